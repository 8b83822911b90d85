/* metrics: writes the answer of GET /metrics, in the text format of Prometheus. */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include <stdio.h>

#include "serve/answer.h"

/* Writes all metrics to the file. Any thread may call. */
void metrics_write(FILE *file, struct server *server);

#endif
