/* server: runs trawl-serve for `trawl serve`, if the build has it. */
#ifndef TRAWL_SERVER_H
#define TRAWL_SERVER_H

/* Returns the path of the installed trawl-serve: beside the command, or in libexec. NULL: there is
 * no trawl-serve. The path lies in static memory, which the next call overwrites. */
const char *server_path(void);

/* Replaces this process by trawl-serve with the arguments after arguments[1]. If that fails, prints
 * why and returns the exit status. */
int server_become(char **arguments);

#endif
