/* facts: writes errors and facts about collections as JSON. */
#include "serve/facts.h"

#include <jansson.h>
#include <string.h>

#include "serve/serve_text.h"

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
