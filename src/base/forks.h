/* forks: keeps the library usable in a child of fork(), where the parent's other threads do not
 * exist. */
#ifndef TRAWL_BASE_FORKS_H
#define TRAWL_BASE_FORKS_H

/* Between these two calls, fork() waits in the other threads of the process, so a lock that is held
 * only between them is free in every child. A thread may nest the calls. Once a caller has given
 * `adopt` (all give the same), each child calls it before fork() returns there. */
void forks_hold(void (*adopt)(void));
void forks_release(void);

#endif
