/* served: the options that a server takes with a search. */
#include "trawl/served.h"

const char *served_refusal(enum flag_id id)
{
    switch (flag_table[id].target) {
    case FLAG_REGEXP:
    case FLAG_FILE:
    case FLAG_REPLACEMENTS:
        return "its text goes into a member of the request";
    case FLAG_EXCLUDE_FROM:
    case FLAG_IGNORE_FILE:
        return "it reads a file of the client";
    case FLAG_MATRIX:
        return "it writes other results than lines and counts";
    case FLAG_FOLLOW:
    case FLAG_DEREFERENCE:
        return "the server follows no links";
    case FLAG_ENGINE:
    case FLAG_ALGORITHM:
    case FLAG_METHOD:
    case FLAG_INSTRUCTION_SET:
    case FLAG_CHUNK_BYTES:
    case FLAG_THREADS:
        return "the server chooses how it searches";
    case FLAG_SERVER:
        return "a server asks no other one";
    case FLAG_STATS:
    case FLAG_PROGRESS:
    case FLAG_EXPLAIN:
        return "it tells about a search of the command itself";
    case FLAG_VERSION:
    case FLAG_HELP:
    case FLAG_HELP_LONG:
    case FLAG_LIST_ALGORITHMS:
    case FLAG_TYPE_LIST:
    case FLAG_GENERATE:
        return "it prints a document and searches nothing";
    default:
        return NULL;
    }
}
