#!/usr/bin/env bash
# build: build a preset (default release; the command is build/release/trawl)
set -euo pipefail
. scripts/common.sh

need build -- codecs server
build_preset "${1:-release}" "${@:2}"
