/* request_log: writes one line of JSON for each request. */
#include "serve/request_log.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/json.h"
#include "trawl/text/command_clock.h"

void request_log(const struct request_entry *entry)
{
    uint64_t elapsed_ns = now_ns() - entry->begin_ns;
    struct timespec now;
    struct tm parts;
    char seconds[32], time[48] = "";
    char *line;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) != NULL &&
        strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts) > 0)
        (void)snprintf(time, sizeof time, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
    line = text_line(json_pack(
        "{s:s, s:s, s:s?, s:o?, s:s?, s:i, s:I, s:f, s:b}", "time", time, "client", entry->client,
        "user", *entry->user != '\0' ? entry->user : NULL, "method", json_string(entry->method),
        "path", entry->path, "status", (int)entry->status, "bytes", (json_int_t)entry->bytes,
        "seconds", (double)elapsed_ns / 1e9, "whole", entry->is_whole));
    if (line != NULL)
        (void)!write(STDERR_FILENO, line, strlen(line));
    free(line);
}
