#!/usr/bin/env bash
# The library away from home: the oldest compiler; builds without an operating system; unit tests
# on a 32-bit target and, emulated, on a big-endian one.
#
# Standard libraries for other targets are built from the sources that Debian packages, with
# Debian's own compiler; so one compiler gives both the oldest supported version and every target.
. "$(dirname "$0")/lib.sh"

OLDEST=1.85
if ! apt_need "rustc-web=$OLDEST*" "cargo-web=$OLDEST*" "rust-web-src=$OLDEST*" \
    "libstd-rust-web-$OLDEST" "libstd-rust-web-dev=$OLDEST*"; then
    skip targets "needs Debian's rustc-web, cargo-web and rust-web-src $OLDEST (install them as root)"
    exit 0
fi
RUSTC=$(dpkg -L rustc-web | grep '/bin/rustc$')
RUSTDOC=$(dpkg -L rustc-web | grep '/bin/rustdoc$')
CARGO=$(dpkg -L cargo-web | grep '/bin/cargo$' | head -n 1)
export RUSTC RUSTDOC
export CARGO_TARGET_DIR="$TARGET_DIR/oldest"
# Nothing is debugged here, and without debug information it builds in half the time.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
unset RUSTUP_TOOLCHAIN

say "oldest compiler: $("$RUSTC" --version)"
"$CARGO" check --quiet --locked -p cuculus --all-features
"$CARGO" check --quiet --locked -p cuculus --no-default-features

# -Zbuild-std is not stable.
export RUSTC_BOOTSTRAP=1

for target in thumbv7em-none-eabihf wasm32-unknown-unknown; do
    say "$target: no_std, no_std with serde"
    for features in "" serde; do
        "$CARGO" build --quiet --locked -p cuculus --no-default-features --features "$features" \
            --target "$target" -Zbuild-std=core,alloc
    done
done
say "wasm32-unknown-unknown: default features"
"$CARGO" check --quiet --locked -p cuculus --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort

# Each costs a standard library and, emulated, runs about ten times slower: two percent of the
# work of heavy tests.
export CUCULUS_TEST_SCALE="${CUCULUS_TEST_SCALE:-2}"

# unit TARGET RUNNER: statically linked, so that no library path of the target is needed; without
# the standard library's backtraces, a third of what there is to build.
unit() {
    local target=$1 runner=$2 name
    name=$(printf %s "$target" | tr 'a-z-' 'A-Z_')
    say "$target: unit tests${runner:+ under $runner}"
    env "CARGO_TARGET_${name}_LINKER=${target%%-*}-linux-gnu-gcc" \
        "CARGO_TARGET_${name}_RUSTFLAGS=-Ctarget-feature=+crt-static" \
        ${runner:+"CARGO_TARGET_${name}_RUNNER=$runner"} \
        "$CARGO" test --locked -p cuculus --lib --features serde --target "$target" \
        -Zbuild-std=std,panic_abort,test -Zbuild-std-features=panic-unwind
}

if apt_need gcc-i686-linux-gnu libc6-dev-i386-cross; then
    unit i686-unknown-linux-gnu ""
else
    skip "i686 tests" "needs gcc-i686-linux-gnu"
fi
if apt_need gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user; then
    unit s390x-unknown-linux-gnu qemu-s390x
else
    skip "s390x tests" "needs gcc-s390x-linux-gnu and qemu-user"
fi
