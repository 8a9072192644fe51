#!/usr/bin/env bash
# ci/fuzz.sh            every fuzz target once over its committed corpus
# ci/fuzz.sh SECONDS    every fuzz target for that long, from its corpus
# ci/fuzz.sh SECONDS TARGET...    only these
#
# New inputs go to fuzz/target/corpus, never into the committed corpus; a crash is kept in
# fuzz/artifacts and its path printed.
. "$(dirname "$0")/lib.sh"

seconds=${1:-0}
shift || true
if ! cargo +nightly --version >/dev/null 2>&1; then
    skip fuzz "needs a nightly toolchain (rustup toolchain install nightly)"
    exit 0
fi
if ! have c++ && ! apt_need g++; then
    skip fuzz "needs a C++ compiler for libFuzzer"
    exit 0
fi
cargo_tool_need cargo-fuzz cargo-fuzz
PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
export CARGO_TARGET_DIR="$TARGET_DIR/fuzz"

targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)

say "building ${targets[*]}"
mkdir -p "$CARGO_TARGET_DIR"
cargo +nightly fuzz build >"$CARGO_TARGET_DIR/build.log" 2>&1 || { tail -n 60 "$CARGO_TARGET_DIR/build.log"; exit 1; }
for target in "${targets[@]}"; do
    corpus=fuzz/corpus/$target
    common=(-max_len=4096 -timeout=120 -rss_limit_mb=1024)
    if [ "$seconds" = 0 ]; then
        say "$target: $(find "$corpus" -type f | wc -l) inputs of its corpus"
        cargo +nightly fuzz run "$target" "$corpus" -- "${common[@]}" -runs=0 2>&1 | tail -n 2
    else
        say "$target: $seconds s"
        found=$CARGO_TARGET_DIR/corpus/$target
        mkdir -p "$found"
        cargo +nightly fuzz run "$target" "$found" "$corpus" -- "${common[@]}" \
            -len_control=0 -max_total_time="$seconds" -print_final_stats=1 2>&1 | tail -n 40
    fi
done
