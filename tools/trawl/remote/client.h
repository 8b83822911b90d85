/* client: lets a server search instead of the command. */
#ifndef TRAWL_CLIENT_H
#define TRAWL_CLIENT_H

#include "trawl/text/output.h"

struct settings;

#define CLIENT_NOT_ANSWERED (-1)

/* Sends the options to the server that --server or TRAWL_SERVER names, and prints the server's
 * answer and errors. Returns the exit status. Returns CLIENT_NOT_ANSWERED if there is no string to
 * search for, or if only TRAWL_SERVER names the server and that server does not run or does not
 * support this request. Then nothing was printed or read from standard input, and the command must
 * search by itself. */
int client_run(const struct settings *settings, const char *address, struct output *output);

#endif
