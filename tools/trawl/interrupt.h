/* interrupt: SIGINT ends the program after what was found is written.
 *
 * The output belongs to the thread that prints at the moment. While a search with all threads goes
 * on, that is nobody: then the handler itself writes what is complete, and ends. Otherwise it
 * leaves a note, and the printing thread looks for it after each file and each piece of a text. A
 * second SIGINT ends the program at once. As the program dies by the signal, a shell says 130 and
 * ends its loop too.
 */
#ifndef TRAWL_INTERRUPT_H
#define TRAWL_INTERRUPT_H

#include "trawl/output.h"

/* Unless SIGINT is ignored. output is what the handler writes. */
void interrupt_open(struct output *output);

/* For the caller that may print: from here on the handler may end the program. Ends it if SIGINT
 * came before. */
void interrupt_allow(void);
/* ... and from here on no longer. Does not return if it is at it. */
void interrupt_forbid(void);
/* For the caller that may print: end the program if SIGINT came. */
void interrupt_check(void);
/* Did it come? */
bool interrupt_came(void);

#endif
