/* search: the entry that libFuzzer and the replay of the corpus call. */
#ifndef TRAWL_FUZZ_SEARCH_H
#define TRAWL_FUZZ_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; a wrong answer is printed and aborts. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count);

#endif
