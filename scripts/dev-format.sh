#!/usr/bin/env bash
# format: lay out C, C++, CUDA and Python files in place, and make docs/python-reference.md anew
set -euo pipefail
. scripts/common.sh

have clang-format || die 'clang-format is missing; ./dev setup installs it'
clang-format --version | grep -q 'version 14\.' ||
    die "clang-format is not version 14; other versions format otherwise ($(clang-format --version))"
git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cc' '*.cpp' '*.cu' '*.cuh' |
    tr '\n' '\0' |
    xargs -0 -r clang-format -i
place=$(bash scripts/judges.sh tools) || die "ruff cannot be installed (build/judges.log)"
"$place/bin/ruff" format
"$place/bin/ruff" check --fix
python3 python/reference.py docs/python-reference.md
