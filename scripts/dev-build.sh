#!/usr/bin/env bash
# build: build a preset (default release; the command is build/release/trawl)
#
#     ./dev build [PRESET [CMAKE-OPTION...]]   CMakePresets.json lists the presets
#
# Of the tests, release and asan build those of `./dev test`; -DTRAWL_QUICK=OFF builds all. On a machine without an
# NVIDIA GPU, release compiles the GPU kernels only to check them; -DTRAWL_CUDA_QUICK=OFF makes kernels that run.
set -euo pipefail
. scripts/common.sh

need build -- codecs server
build_preset "${1:-release}" "${@:2}"
[ ! -x "build/${1:-release}/tg" ] || printf '== try: build/%s\n' "${1:-release}/tg -n trawl_count include" \
    "${1:-release}/trawl --help-long | less"
