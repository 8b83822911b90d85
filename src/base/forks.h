/* forks: keeps the library usable in a child of fork(), where the parent's other threads do not
 * exist. */
#ifndef TRAWL_BASE_FORKS_H
#define TRAWL_BASE_FORKS_H

/* Between these two calls, a fork() in another thread waits. So a lock that is held only between
 * them is free in every child. The calls may be nested. Once a caller has passed `adopt` (all pass
 * the same function), each child calls it before fork() returns. */
void forks_hold(void (*adopt)(void));
void forks_release(void);

#endif
