#!/usr/bin/env bash
# ci/plant.sh            plants each bug of ci/plants.txt in a copy of the repository, and shows that
#                        the check named there finds it
# ci/plant.sh NAME...    only these
#
# PLANT_SECONDS (default 120) is how long a fuzz target may look for a bug. Needs what ci/fuzz.sh needs.
. "$(dirname "$0")/lib.sh"

root=$PWD
seconds=${PLANT_SECONDS:-120}
export CARGO_TARGET_DIR="$TARGET_DIR/plant"
mkdir -p "$CARGO_TARGET_DIR"
log=$CARGO_TARGET_DIR/log
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy" 2>/dev/null || true
cd "$copy"
export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

# build CHECK, look CHECK: the second fails if there is a bug.
build() {
    case $1 in
        test*) cargo test --no-run ${1#test} ;;
        loom*) RUSTFLAGS="--cfg loom" cargo test --no-run ${1#loom} ;;
        *) cargo +nightly fuzz build "$1" ;;
    esac >"$log" 2>&1
}
look() {
    case $1 in
        test*) cargo test ${1#test} ;;
        loom*) RUSTFLAGS="--cfg loom" cargo test ${1#loom} ;;
        *) cargo +nightly fuzz run "$1" "fuzz/corpus/$1" -- -max_len=4096 -timeout=120 -len_control=0 \
            -max_total_time="$seconds" ;;
    esac >"$log" 2>&1
}

passed=0 failed=0
while IFS='|' read -r name check file change; do
    name=${name// /}
    case $name in "" | \#*) continue ;; esac
    if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx -- "$name"; then
        continue
    fi
    check=$(echo $check) file=${file// /}
    verdict=FAILED
    perl -0pi -e "$change" "$file"
    started=$SECONDS
    if cmp -s "$file" "$root/$file"; then
        why="there is nothing left to change in $file: renew the line in ci/plants.txt"
    elif ! build "$check" </dev/null; then
        why="the changed copy does not build: $(grep -m 1 '^error' "$log")"
    elif started=$SECONDS && look "$check" </dev/null; then
        why="'$check' did not find it in $((SECONDS - started)) s"
    else
        verdict=ok
        why="'$check' found it in $((SECONDS - started)) s: $(grep -m 1 -A 1 'panicked at' "$log" | tr '\n' ' ' | cut -c 1-160)"
    fi
    echo "$name ... $verdict, $why"
    [ $verdict = ok ] && passed=$((passed + 1)) || failed=$((failed + 1))
    cp "$root/$file" "$file"
done <"$root/ci/plants.txt"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
