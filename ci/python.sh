#!/usr/bin/env bash
# The second reader of the file format, in Python, on every golden file.
. "$(dirname "$0")/lib.sh"

reader=testdata/read_cuculus.py
if [ ! -f "$reader" ]; then
    echo "no $reader yet"
    exit 0
fi
if ! have python3 && ! apt_need python3; then
    skip python "needs python3"
    exit 0
fi
python3 "$reader"
