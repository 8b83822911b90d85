/* bus: on SIGBUS, which a mapped file raises if the file was truncated, repairs the mapping. */
#ifndef TRAWL_BUS_H
#define TRAWL_BUS_H

/* Installs the SIGBUS handler; call it before opening a text that may be mapped. If a mapped file
 * was truncated, the library repairs the mapping; any other SIGBUS still kills the process. Later
 * calls do nothing. */
void bus_install_handler(void);

#endif
