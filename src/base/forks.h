/* forks: keeps a child process of fork() usable, in which the parent's other threads do not
 * exist. */
#ifndef TRAWL_BASE_FORKS_H
#define TRAWL_BASE_FORKS_H

/* Between these two calls, fork() waits in the other threads of the process. So a lock that threads
 * hold only between these calls is free in every child. A thread may nest the calls. Once a caller
 * has given `adopt`, each child calls that function before fork() returns there. All callers that
 * give a function give the same. */
void forks_hold(void (*adopt)(void));
void forks_release(void);

#endif
