/* fuzzer: the entry that libFuzzer calls. */
#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    options_check(bytes, bytes_count);
    return 0;
}
