/* bus: SIGBUS, raised by a mapped file that lost its bytes. */
#ifndef TRAWL_BUS_H
#define TRAWL_BUS_H

/* Have the library repair its mappings; any other SIGBUS ends the program as before. To be called
 * before a searcher maps files; again does nothing. */
void bus_open(void);

#endif
