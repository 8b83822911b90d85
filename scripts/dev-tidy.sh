#!/usr/bin/env bash
# tidy: the checks of tests/tidy on the tree, then clang-tidy over src, tools and include
set -euo pipefail
. scripts/common.sh

need required build python
need optional test tidy
python3 tests/tidy/tidy.py --root . all
have clang-tidy || die 'clang-tidy is missing; ./dev setup installs it'
[ -f build/release/compile_commands.json ] || build_preset release
python3 scripts/clang_tidy.py --jobs "$jobs" build/release "$@"
