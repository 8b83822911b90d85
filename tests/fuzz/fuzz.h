/* fuzz: the functions that each fuzz target defines, for libFuzzer and for the replay of its
 * corpus. */
#ifndef TRAWL_FUZZ_FUZZ_H
#define TRAWL_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Tests one input. Returns 0 if the answer is right; else prints the answer and aborts. libFuzzer
 * prescribes the name. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count);

#endif
