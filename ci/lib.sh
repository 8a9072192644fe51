# Shared by the scripts in this folder; source it, do not run it.
# Every script runs from the root of the repository and stops at the first error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
export CARGO_INCREMENTAL=0
TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

say() { printf -- '--- %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# skip WHAT WHY: a check that this machine cannot make. An error in CI, where every check must run.
skip() {
    printf 'SKIPPED %s: %s\n' "$1" "$2"
    if [ -n "${CI:-}" ]; then
        echo "error: CI is set, so no check may be skipped" >&2
        exit 1
    fi
}

# apt_need PACKAGE...: makes sure that Debian packages are there. A package may carry a version
# pattern (name=1.2*) for the case that it has to be installed. Fails when it cannot.
apt_need() {
    have dpkg-query || return 1
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}\n' "${package%%=*}" 2>/dev/null | grep -q '^install ok installed' \
            || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    have apt-get && [ "$(id -u)" = 0 ] || return 1
    say "installing ${missing[*]}"
    local log
    log=$(mktemp)
    # The lists of a fresh machine may be empty or old: renew them once a run.
    if [ -z "${CI_APT_UPDATED:-}" ]; then
        apt-get update >"$log" 2>&1 || true
        export CI_APT_UPDATED=1
    fi
    if DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" \
        >>"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        tail -n 5 "$log"
        rm -f "$log"
        return 1
    fi
}

# cargo_tool_need COMMAND CRATE: a program that crates.io has.
cargo_tool_need() {
    have "$1" || [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/$1" ] && return 0
    say "installing $2 (built from source, about a minute)"
    CARGO_TARGET_DIR="$TARGET_DIR/tools" cargo install --quiet --locked "$2"
}
