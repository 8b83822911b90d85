#!/usr/bin/env bash
# test mutants: put faults into a copy of the sources, one at a time, to see whether the tests notice them
set -euo pipefail
. scripts/common.sh

need build python
exec python3 tests/mutation/mutants.py "$@"
