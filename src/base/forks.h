/* forks: what a child process of fork() needs, in which the parent's other threads do not exist. */
#ifndef TRAWL_BASE_FORKS_H
#define TRAWL_BASE_FORKS_H

/* Between these two calls, fork() waits in the other threads of the process. So a lock that is held
 * only there is free in every child. A thread may nest the calls. */
void forks_hold(void);
void forks_release(void);

/* Calls `adopt` in each child from now on, before fork() returns there. The caller is between
 * forks_hold and forks_release. There is one such function. */
void forks_adopt_by(void (*adopt)(void));

#endif
