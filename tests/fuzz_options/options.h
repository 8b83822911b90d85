/* options: what the fuzzer and the replay of its corpus both call. Aborts on a wrong answer. */
#ifndef TRAWL_FUZZ_OPTIONS_H
#define TRAWL_FUZZ_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

void options_check(const uint8_t *bytes, size_t bytes_count);

#endif
