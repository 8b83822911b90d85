/* interrupt: SIGINT ends the program after what was found is written, and SIGBUS, raised by a
 * mapped file that lost its bytes, is repaired.
 *
 * The output belongs to the thread that prints at the moment. While a search with all threads runs,
 * no thread prints: the handler itself then writes what is complete, and ends. Otherwise it sets a
 * flag, which the printing thread checks after each file and each part of a text. A second SIGINT
 * ends the program at once. The program dies by the signal, so a shell reports 130 and ends its
 * loop, too.
 */
#ifndef TRAWL_INTERRUPT_H
#define TRAWL_INTERRUPT_H

#include "trawl/output.h"

/* Unless SIGINT is ignored. output is what the handler writes. */
void interrupt_open(struct output *output);

/* For the caller that may print: from here on the handler may end the program. Ends it if SIGINT
 * came before. */
void interrupt_allow(void);
/* ... and from here on no longer. Does not return if the handler is ending the program. */
void interrupt_forbid(void);
/* For the caller that may print: end the program if SIGINT came. */
void interrupt_check(void);

/* Before a text that may be mapped: SIGBUS of a file that lost its bytes has the library repair the
 * mapping, any other one ends the program as before. Again does nothing. */
void interrupt_guard_maps(void);

#endif
