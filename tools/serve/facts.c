/* facts: errors, collections and files, in JSON. */
#include "serve/facts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "serve/text.h"

static json_t *text_of(const char *text)
{
    return text_value(text, strlen(text));
}

char *facts_error(int status, const char *message)
{
    return text_line(
        json_pack("{s:{s:i,s:o}}", "error", "status", status, "message", text_of(message)));
}

char *facts_collections(struct server *server)
{
    json_t *list = json_array();

    for (size_t i = 0; i < server->collection_count; i++) {
        struct collection_facts facts;

        collection_facts(server->collections[i], &facts);
        if (json_array_append_new(
                list,
                json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:b}", "name", text_of(facts.name),
                          "root", text_of(facts.root), "files", (json_int_t)facts.file_count,
                          "bytes", (json_int_t)facts.bytes_count, "held_bytes",
                          (json_int_t)facts.held_bytes, "device_bytes",
                          (json_int_t)facts.device_bytes, "unheld_files",
                          (json_int_t)facts.unheld_count, "state", (json_int_t)facts.state_number,
                          "load_seconds", (double)facts.load_ns * 1e-9, "loading",
                          (int)facts.loading)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return text_line(json_pack("{s:o}", "collections", list));
}

struct collection *facts_find(struct server *server, const char *name)
{
    if (name == NULL)
        return server->collection_count == 1 ? server->collections[0] : NULL;
    for (size_t i = 0; i < server->collection_count; i++) {
        struct collection_facts facts;

        collection_facts(server->collections[i], &facts);
        if (strcmp(facts.name, name) == 0)
            return server->collections[i];
    }
    return NULL;
}

ssize_t facts_list(struct listing *listing, char *to, size_t room)
{
    size_t sent = 0;

    while (sent < room && (listing->line != NULL || listing->next < listing->state->file_count)) {
        size_t count;

        if (listing->line == NULL) {
            const struct served_file *file = listing->state->files[listing->next++];

            listing->line = text_line(json_pack("{s:o,s:I,s:b}", "path", text_of(file->path),
                                                "bytes", (json_int_t)file->held.status.st_size,
                                                "held", (int)(file->block != NULL)));
            listing->line_sent = 0;
            if (listing->line == NULL)
                return -1;
        }
        count = strlen(listing->line + listing->line_sent);
        count = count < room - sent ? count : room - sent;
        memcpy(to + sent, listing->line + listing->line_sent, count);
        sent += count;
        listing->line_sent += count;
        if (listing->line[listing->line_sent] == '\0') {
            free(listing->line);
            listing->line = NULL;
        }
    }
    return (ssize_t)sent;
}

void facts_listing_close(struct listing *listing)
{
    free(listing->line);
    state_drop(listing->state);
}
