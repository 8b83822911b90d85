#!/usr/bin/env bash
# test: build release and asan, run the tests of both except those left to long runs, then a quick clang-tidy
set -euo pipefail
. scripts/common.sh
. scripts/tests.sh

if [ $# -gt 0 ]; then
    warn "no such test: $1 (./dev help lists them)"
    exit 2
fi
need build python -- codecs server test tidy
bash scripts/judges.sh >/dev/null 2>&1 & # beside the build, because the network is slow
# Run a part of the random cases (tests/test.h); ./dev test long runs more.
export TRAWL_TEST_DIVISOR=${TRAWL_TEST_DIVISOR:-32}
# The tests that each build leaves to long runs: those that take longest and fail least, and those for which it is
# enough that the other build runs them here.
release_later=(gpu_approximate bench.papers bench.gpu serve_page serve_day.device diff_work sim_table sim_regex
    sim_answers sim_approximate sim_choice sim_devices sim_floods sim_loaded sim_mixed sim_kernels sim_pieces
    sim_simulator sim_wakes sim_gallery sim_swift_host unit_arguments unit_options unit_plan unit_sinks unit_texts
    unit_streams unit_stats unit_runtime unit_stopped unit_cancelled unit_choose unit_errors unit_bytes serve_request
    serve_pass serve_view serve_memory serve_options diff_seed_table regex_syntax regex_oracle fuzz_regex_replay
    serve_exchanges)
asan_later=(unit_matrix unit_rewritten diff_work diff_approximate gallery_device gallery_records_device grep_numbers
    grep_compare grep_encodings grep_compressed grep_fold grep_rg_output rg_types git_ignored cli_faults cli_options
    cli_signals sim_command sim_gallery_command regex_judges regex_differential serve_page serve_client serve_differential
    serve_answer serve_day.device serve_http serve_collection serve_limits rg_files serve_day)
quick=ON # no device will run the kernels
[ ! -e /dev/nvidiactl ] || quick=OFF
release_options=("-DTRAWL_CUDA_QUICK=$quick" "-DTRAWL_TESTS_LATER=$(IFS=';' && echo "${release_later[*]}")")
asan_options=(-DTRAWL_BENCH=OFF "-DTRAWL_TEST_DIVISOR=$TRAWL_TEST_DIVISOR" "-DTRAWL_TESTS_LATER=$(IFS=';' && echo "${asan_later[*]}")")
# Configuring keeps only one core busy, so the build asan is configured while release is built.
configure_preset asan "${asan_options[@]}" >/dev/null 2>&1 & # a failure here is reported by the build below
if step 'build release' bash scripts/dev-build.sh release "${release_options[@]}"; then
    run_ctest_but release "${release_later[@]}"
fi
wait
# AddressSanitizer keeps 16 MiB of freed memory from reuse instead of 256, which avoids most page
# faults, and records 2 calls of each allocation instead of 30.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16:malloc_context_size=2
if step 'build asan' bash scripts/dev-build.sh asan "${asan_options[@]}"; then
    run_ctest_but asan "${asan_later[@]}"
fi
step 'clang-tidy, quick' bash scripts/dev-tidy.sh --quick --clang || true
summary
