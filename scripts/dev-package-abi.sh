#!/usr/bin/env bash
# package abi: for a release: record the present binary interface as the one that later versions keep
set -euo pipefail
. scripts/common.sh

major=$(sed -n 's/^#define TRAWL_VERSION_MAJOR //p' include/trawl.h)
need build python test
python3 -B tests/package/abi.py write . "packaging/abi/libtrawl.so.$major.abi" cc
git diff --stat -- packaging/abi
