#!/usr/bin/env bash
# pytest.sh BUILD ARGUMENT...: run pytest with these arguments on the programs of BUILD, for CTest. Status 77: pytest is
# not installed, or a test cannot run here.
if place=$(bash "$(dirname "$0")/../scripts/judges.sh" tools); then
    python=$place/bin/python
elif python3 -c 'import pytest' 2>/dev/null; then
    python=python3
else
    echo "$place"
    exit 77
fi
export TRAWL_BUILD=$1 PYTHONDONTWRITEBYTECODE=1
# Pytest's plugin of hypothesis imports all of it, which takes longer than many a test; tests/shrunk.py imports it when a
# case fails.
exec "$python" -m pytest -p no:hypothesispytest -p no:cacheprovider -W ignore::pytest.PytestConfigWarning --ctest "${@:2}"
