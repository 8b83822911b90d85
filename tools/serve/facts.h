/* facts: what the server tells about its collections, in JSON. */
#ifndef SERVE_FACTS_H
#define SERVE_FACTS_H

#include <sys/types.h>

#include "serve/answer.h"

/* {"error":{"status":...,"message":...}} with a line end; to be freed. NULL: out of memory. */
char *facts_error(int status, const char *message);

/* All collections, as one object; to be freed. NULL: out of memory. */
char *facts_collections(struct server *server);

/* The collection of this name, or the only one where name is NULL. NULL: there is none. */
struct collection *facts_find(struct server *server, const char *name);

/* The files of a state, a line each. */
struct listing {
    struct state *state; /* dropped by facts_listing_close */
    uint32_t next;
    char *line;
    size_t line_sent;
};

/* At most `room` bytes of the lines; 0 after the last; -1: out of memory. */
ssize_t facts_list(struct listing *listing, char *to, size_t room);
void facts_listing_close(struct listing *listing);

#endif
