/* facts: writes errors, and facts about collections, as JSON. */
#ifndef SERVE_FACTS_H
#define SERVE_FACTS_H

#include <stdio.h>

#include "serve/response.h"

/* Returns {"error":{"status":...,"message":...}} as a line, to be freed. NULL: out of memory. */
char *facts_error(int status, const char *message);

/* Returns one object with the facts of all collections; to be freed. NULL: out of memory. */
char *facts_collections(struct server *server);
/* Writes all metrics to the file. Any thread may call. */
void metrics_write(FILE *file, struct server *server);

#endif
