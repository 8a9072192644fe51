#!/usr/bin/env bash
# The cheap gate: formatting, the scripts' syntax, clippy and rustdoc, all without a warning.
. "$(dirname "$0")/lib.sh"

say "scripts parse"
for script in test .ci/run ci/*.sh; do
    bash -n "$script"
done

say "cargo fmt"
cargo fmt --all --check
if [ -f fuzz/Cargo.toml ]; then
    cargo fmt --check --manifest-path fuzz/Cargo.toml
fi

say "cargo clippy"
# The server module needs libclang: ci/valkey.sh looks at it.
cargo clippy --quiet --locked --workspace --exclude cuculus-valkey --all-targets --all-features -- -D warnings
# What the feature gates leave over must be clean too.
cargo clippy --quiet --locked -p cuculus --lib --no-default-features -- -D warnings
cargo clippy --quiet --locked -p cuculus --lib --no-default-features --features serde -- -D warnings
cargo clippy --quiet --locked -p cuculus --lib --no-default-features --features std -- -D warnings

say "cargo doc"
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --exclude cuculus-valkey --all-features --no-deps
