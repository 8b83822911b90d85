/* bar: a line at the terminal's bottom that is continually redrawn, and is gone at the end. Output
 * and messages erase it first. */
#ifndef TRAWL_BAR_H
#define TRAWL_BAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern atomic_bool bar_is_open; /* all other functions may be called only while this is set */

/* Makes standard error the terminal of the bar. If `shares_output`, standard output is that
 * terminal, too. */
void bar_open(bool shares_output);
void bar_close(void);

/* Draws the text, truncated to the terminal's width. Draws nothing while another program uses the
 * terminal, or while a line of output is incomplete. */
void bar_draw(const char *text);

/* Erases the bar before a write to `descriptor`, and locks it until bar_unlock. False: the bar does
 * not share the descriptor's terminal, and is not locked. */
bool bar_lock(int descriptor);
void bar_unlock(bool in_line); /* in_line: what was written does not end in a newline */

#endif
