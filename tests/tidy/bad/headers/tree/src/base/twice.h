/* twice: the guard of another header. */
#ifndef TRAWL_BASE_USED_H
#define TRAWL_BASE_USED_H
#endif
