/* interrupt: on SIGINT, writes the results so far and ends the program. On SIGBUS, which a mapped
 * file raises if the file was truncated, repairs the mapping.
 *
 * The output belongs to the thread that prints. While a search with all threads runs, no thread
 * prints: then the handler itself writes the committed output and ends the program. Otherwise the
 * handler sets a flag, which the printing thread checks after each file and each part of a text. A
 * second SIGINT ends the program at once. The program dies by the signal, so that a shell reports
 * 130 and also ends its loop.
 */
#ifndef TRAWL_INTERRUPT_H
#define TRAWL_INTERRUPT_H

#include "trawl/output.h"

/* Installs the handler of SIGINT, unless SIGINT is ignored. The handler writes `output`. */
void interrupt_open(struct output *output);

/* Lets the handler end the program from now on. Ends the program if SIGINT came before. Called by
 * the thread that prints. */
void interrupt_allow(void);
/* Forbids the handler to end the program. Does not return if the handler is ending the program. */
void interrupt_forbid(void);
/* Ends the program if SIGINT came. Called by the thread that prints. */
void interrupt_check(void);

/* Installs the handler of SIGBUS, before a text that may be mapped is opened. If a mapped file was
 * truncated, the library repairs the mapping; any other SIGBUS ends the program as before. Further
 * calls do nothing. */
void interrupt_guard_maps(void);

#endif
