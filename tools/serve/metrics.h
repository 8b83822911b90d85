/* metrics: what GET /metrics says, in the text format of Prometheus. */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include <stdio.h>

#include "serve/answer.h"

/* From any thread. */
void metrics_write(FILE *file, struct server *server);

#endif
