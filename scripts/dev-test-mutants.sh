#!/usr/bin/env bash
# test mutants: put faults into a copy of the sources, one at a time: would the tests notice?
set -euo pipefail
. scripts/common.sh

need build python
exec python3 tests/mutation/mutants.py "$@"
