/* bus: on SIGBUS, which a mapped file raises if the file was truncated, repairs the mapping. */
#ifndef TRAWL_BUS_H
#define TRAWL_BUS_H

/* Installs the handler of SIGBUS, before a text that may be mapped is opened. If a mapped file was
 * truncated, the library repairs the mapping; any other SIGBUS exits as before. Further
 * calls do nothing. */
void bus_guard_maps(void);

#endif
