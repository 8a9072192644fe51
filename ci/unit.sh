#!/usr/bin/env bash
# Unit, integration and documentation tests on this machine.
. "$(dirname "$0")/lib.sh"

if ! have strace && ! apt_need strace; then
    skip "killed saves at every system call" "needs strace"
fi

# The server module is tested by ci/valkey.sh, with servers.
say "workspace, all features"
cargo test --locked --workspace --exclude cuculus-valkey --all-features --no-fail-fast

say "the shared filter under the model checker"
CARGO_TARGET_DIR="$TARGET_DIR/loom" RUSTFLAGS="--cfg loom" cargo test --locked -p cuculus --test loom

# The feature gates change little code: a tenth of the heavy tests' work (in percent) is enough.
export CUCULUS_TEST_SCALE="${CUCULUS_TEST_SCALE:-10}"
say "library, default features"
cargo test --locked -p cuculus --lib
say "library, no_std"
cargo test --locked -p cuculus --lib --no-default-features
say "library, no_std with serde"
cargo test --locked -p cuculus --lib --no-default-features --features serde
