/* server: `trawl serve` is another program, where the build has it. */
#ifndef TRAWL_SERVER_H
#define TRAWL_SERVER_H

/* Become that program, with the arguments after arguments[1]. Returns the exit status if it cannot
 * be; then it is said why. */
int server_become(char **arguments);

#endif
