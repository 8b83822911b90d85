/* facts: writes errors, and facts about collections, as JSON. */
#include "serve/facts.h"

#include <jansson.h>
#include <string.h>

#include "serve/answers.h"
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
        struct answer_values values = {0};
        struct collection_facts facts;

        collection_facts(server->collections[i], &facts);
        values.collection_name = text_of(facts.name);
        values.collection_root = text_of(facts.root);
        values.collection_link = text_of(server->link != NULL ? server->link : "");
        values.collection_files = facts.file_count;
        values.collection_bytes = facts.bytes_count;
        values.collection_held_bytes = facts.held_bytes;
        values.collection_device_bytes = facts.device_bytes;
        values.collection_unheld_files = facts.unheld_count;
        values.collection_state = facts.state_number;
        values.collection_load_seconds = (double)facts.load_ns * 1e-9;
        values.collection_loading = facts.loading;
        if (json_array_append_new(list, answers_pack(ANSWER_collection, &values)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return text_line(json_pack("{s:o}", "collections", list));
}
