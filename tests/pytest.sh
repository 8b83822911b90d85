#!/usr/bin/env bash
# pytest.sh BUILD ARGUMENT...: run pytest with these arguments on the programs of BUILD, for CTest. Status 77: pytest
# cannot be installed, or a test cannot run here.
place=$(bash "$(dirname "$0")/../scripts/judges.sh" tools) || { echo "$place" && exit 77; }
export TRAWL_BUILD=$1 PYTHONDONTWRITEBYTECODE=1
exec "$place/bin/python" -m pytest -p no:cacheprovider -W ignore::pytest.PytestConfigWarning --ctest "${@:2}"
