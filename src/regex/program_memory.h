/* program_memory: the memory that a plan of expressions allows for RE2's programs. */
#ifndef TRAWL_REGEX_PROGRAM_MEMORY_H
#define TRAWL_REGEX_PROGRAM_MEMORY_H

#include "regex/regex_compile.h"

/* Divides the memory of all programs. Each expression is sure to get a program; the rest serves
 * heads, tails, the program of all expressions, and programs that need more. */
void program_memory_divide(struct expressions *made);
/* Compiles a program within times * program_bytes of memory, or more if the program needs more, up
 * to times * program_bytes_max. `times` is 2 for the program of all expressions, else 1.
 * REGEX_LARGE: the program needs more than that, or more than bytes_left. options->when has no
 * effect if the plan's options limit the memory. */
enum regex_status program_compile(struct expressions *made, const char *bytes, uint64_t count,
                                  const struct regex_options *options, uint64_t times,
                                  struct regex **regex, struct regex_fault *fault);

#endif
