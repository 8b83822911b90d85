/* facts: what the server tells about its collections, in JSON. */
#ifndef SERVE_FACTS_H
#define SERVE_FACTS_H

#include "serve/answer.h"

/* {"error":{"status":...,"message":...}} with a line end; to be freed. NULL: out of memory. */
char *facts_error(int status, const char *message);

/* All collections, as one object; to be freed. NULL: out of memory. */
char *facts_collections(struct server *server);

#endif
