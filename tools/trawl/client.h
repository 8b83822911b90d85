/* client: a server searches in the place of the command. */
#ifndef TRAWL_CLIENT_H
#define TRAWL_CLIENT_H

#include "trawl/output.h"
#include "trawl/settings.h"

#define CLIENT_NOT_ANSWERED (-1)

/* Send the server that --server or TRAWL_SERVER names the options, and print what it answers.
 * Returns the exit status; what is wrong was said. CLIENT_NOT_ANSWERED: there is no string to
 * search for, or the variable alone names a server that does not run or does not serve this. Then
 * nothing was printed or taken from standard input, and the command is to search by itself. */
int client_run(const struct settings *settings, const char *address, struct output *output);

#endif
