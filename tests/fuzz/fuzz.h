/* fuzz: what a target's file gives to libFuzzer and to the replay of its corpus. */
#ifndef TRAWL_FUZZ_FUZZ_H
#define TRAWL_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; a wrong answer is printed and aborts. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count);

/* After the corpus the replay tries random inputs, where a target draws any. */
void fuzz_random(void);

#endif
