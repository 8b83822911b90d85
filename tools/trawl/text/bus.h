/* bus: on SIGBUS, which a mapped file raises if the file was truncated, repairs the mapping. */
#ifndef TRAWL_BUS_H
#define TRAWL_BUS_H

#include <stdbool.h>
#include <stdint.h>

/* Installs the handler of SIGBUS, before a text that may be mapped is opened. If a mapped file was
 * truncated, the library repairs the mapping; any other SIGBUS ends the program as before. Further
 * calls do nothing. */
void bus_guard_maps(void);

/* Maps the first `bytes` bytes of a regular file, whose pages read as zeros if the file is
 * truncated later. NULL: the file cannot be mapped, or another file is. */
const uint8_t *bus_map(int descriptor, uint64_t bytes);
/* Returns whether no page was replaced by zeros, and the file is not shorter. */
bool bus_unmap(const uint8_t *base, uint64_t bytes, int descriptor);

#endif
