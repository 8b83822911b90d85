/* program_memory: divides the memory that a plan may use among the programs into which RE2 compiles
 * its expressions. */
#ifndef TRAWL_REGEX_PROGRAM_MEMORY_H
#define TRAWL_REGEX_PROGRAM_MEMORY_H

#include "regex/regex_compile.h"

/* Divides the memory. program_bytes are set aside for each expression. What is left serves programs
 * of parts of expressions, the common program of all expressions, and programs that need more. */
void program_memory_divide(struct expressions *made);
/* Compiles a program with times * program_bytes of memory. A program that needs more gets up to
 * times * program_bytes_max. `times` is 2 for the common program of all expressions, else 1.
 * Returns REGEX_LARGE if the program needs more than that, or more than bytes_left. If the plan's
 * options limit the memory, the program is compiled at once, whatever options->when says. */
enum regex_status program_compile(struct expressions *made, const struct syntax_node *tree,
                                  const struct regex_options *options, uint64_t times,
                                  struct regex **regex, struct regex_fault *fault);

#endif
