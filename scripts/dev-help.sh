#!/usr/bin/env bash
# help: list the commands
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

echo 'usage: ./dev COMMAND [ARGUMENT...]'
echo
for script in dev-*.sh; do
    name=${script#dev-}
    name=${name%.sh}
    line=$(sed -n '2s/^# [a-z0-9 ]*: //p' "$script")
    printf '  %-12s %s\n' "${name//-/ }" "$line"
done
echo
echo 'Environment: TRAWL_JOBS (parallel jobs), TRAWL_DATA (folder of texts for demo and bench),'
echo 'TRAWL_TEST_SEED, TRAWL_TEST_SCALE (how much the tests do).'
