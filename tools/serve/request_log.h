/* request_log: --log=json, a line of JSON on standard error for each request. The text of queries
 * is not logged. */
#ifndef SERVE_REQUEST_LOG_H
#define SERVE_REQUEST_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/secrets.h"

struct request_entry {
    char client[64];               /* the address; with a Unix socket the user: "uid 1000" */
    char user[SECRETS_NAME_BYTES]; /* the name of the client's token; "": none */
    char method[8];                /* cut off after 7 bytes */
    const char *path;              /* one of the server's paths; NULL: none of them was asked for */
    unsigned status;               /* HTTP's; 0: the connection ended before the answer */
    uint64_t bytes;                /* of the answer's body */
    uint64_t begin_ns;             /* when the head had arrived, of now_ns */
    bool is_whole;                 /* the answer was sent to its end */
};

/* Writes the entry's line with one call, so lines of several threads do not mix. */
void request_log(const struct request_entry *entry);

#endif
