/* processor: which instruction sets the processor and the system offer. */
#ifndef TRAWL_BASE_PROCESSOR_H
#define TRAWL_BASE_PROCESSOR_H

/* Each level includes the levels before it. */
enum processor_level { PROCESSOR_ALL, PROCESSOR_AVX2, PROCESSOR_AVX512, PROCESSOR_AVX512VBMI };

/* Returns the highest level that this machine has. Asks the processor once, which in a guest takes
 * microseconds. */
enum processor_level processor_level(void);

#endif
