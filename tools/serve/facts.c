/* facts: writes errors, and facts about collections, as JSON. */
#include "serve/facts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/json.h"
#include "serve/response.h"

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
        struct json_answer_values values = {0};
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
        if (json_array_append_new(list, json_answer_pack(JSON_collection, &values)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return text_line(json_pack("{s:o}", "collections", list));
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static void write_head(FILE *file, const char *name, const char *type, const char *help)
{
    (void)fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_latency(FILE *file, struct server *server)
{
    static const char name[] = "trawl_answer_seconds";
    const size_t last = sizeof server->latency_counts / sizeof *server->latency_counts - 1;
    uint64_t sum = 0, ns = 0;

    write_head(file, name, "histogram", "From a request's last byte to the end of its answer.");
    for (size_t i = 0; i <= last; i++) {
        sum += server->latency_counts[i];
        if (i < last)
            (void)fprintf(file, "%s_bucket{le=\"%.6f\"} %" PRIu64 "\n", name,
                          (double)(UINT64_C(1) << i) * 1e-6, sum);
    }
    for (size_t i = 0; i < REQUEST_FORMATS; i++)
        ns += server->latency_ns[i];
    (void)fprintf(file, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.9f\n%s_count %" PRIu64 "\n",
                  name, sum, name, (double)ns * 1e-9, name, sum);
}

static void write_requests(FILE *file, struct server *server)
{
    static const char *const kinds[] = {
        [REQUEST_JSON] = "json",   [REQUEST_FRAMES] = "frames", [REQUEST_COLUMNS] = "columns",
        [REQUEST_COUNT] = "count", [REQUEST_FILES] = "files",
    };

    write_head(file, "trawl_requests_total", "counter",
               "Requests to search, count or list files, by answer.");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        (void)fprintf(file, "trawl_requests_total{kind=\"%s\"} %" PRIu64 "\n", kinds[i],
                      server->request_count[i]);
    write_head(file, "trawl_kind_seconds_total", "counter",
               "From a request's last byte to the end of its answer, by answer.");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        (void)fprintf(file, "trawl_kind_seconds_total{kind=\"%s\"} %.9f\n", kinds[i],
                      (double)server->latency_ns[i] * 1e-9);
    write_latency(file, server);
}

/* A total or a state of the server. */
struct number {
    const char *name, *type, *help;
    uint64_t value;
};

static void write_numbers(FILE *file, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_head(file, numbers[i].name, numbers[i].type, numbers[i].help);
        (void)fprintf(file, "%s %" PRIu64 "\n", numbers[i].name, numbers[i].value);
    }
}

static void write_totals(FILE *file, struct server *server)
{
    static const char total[] = "counter", state[] = "gauge";
    struct pass_facts facts;

    passes_facts(server->passes, &facts);
    const struct number numbers[] = {
        {"trawl_connections_total", total, "Connections that came.", server->connection_count},
        {"trawl_connections", state, "Connections that are open.", server->open_count},
        {"trawl_refused_total", total, "Requests that got a status of 4xx or 5xx.",
         server->refused_count},
        {"trawl_cancelled_total", total, "Answers that ended early since their clients went away.",
         server->cancelled_count},
        {"trawl_running", state, "Answers that are being made.", server->running_count},
        {"trawl_answer_bytes_total", total, "Bytes of answers.", server->answer_bytes},
        {"trawl_passes_total", total, "Passes over a collection.", facts.pass_count},
        {"trawl_own_passes_total", total, "Passes for one request alone.", facts.own_pass_count},
        {"trawl_pass_requests_total", total, "Requests that passes answered.", facts.request_count},
        {"trawl_shared_requests_total", total, "Requests that shared their pass with others.",
         facts.shared_request_count},
        {"trawl_waiting", state, "Requests that wait for a pass.", facts.waiting_count},
        {"trawl_searched_bytes_total", total, "Bytes that passes searched.", facts.searched_bytes},
        {"trawl_method_changes_total", total,
         "How often threads changed the way in which they search, as texts differ.",
         facts.change_count},
    };

    write_numbers(file, numbers, sizeof numbers / sizeof *numbers);
    write_head(file, "trawl_search_seconds_total", total, "Time of passes.");
    (void)fprintf(file, "trawl_search_seconds_total %.9f\n", (double)facts.search_ns * 1e-9);
}

/* Writes a collection's name as the value of a label, with escapes. */
static void write_label(FILE *file, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '\n')
            (void)fputs("\\n", file);
        else
            (void)fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void write_collections(FILE *file, struct server *server)
{
    static const struct {
        const char *name, *help;
        size_t offset; /* offset of the number in struct collection_facts */
    } rows[] = {
#define AT(member) offsetof(struct collection_facts, member)
        {"trawl_collection_files", "Files of a collection.", AT(file_count)},
        {"trawl_collection_bytes", "Bytes of its files.", AT(bytes_count)},
        {"trawl_collection_held_bytes", "Bytes of them in memory.", AT(held_bytes)},
        {"trawl_collection_device_bytes", "Bytes of them on devices, too.", AT(device_bytes)},
        {"trawl_collection_unheld_files", "Files that each search reads.", AT(unheld_count)},
        {"trawl_collection_state", "The number of its newest state.", AT(state_number)},
#undef AT
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_head(file, rows[i].name, "gauge", rows[i].help);
        for (size_t j = 0; j < server->collection_count; j++) {
            struct collection_facts facts;

            collection_facts(server->collections[j], &facts);
            (void)fprintf(file, "%s{collection=\"", rows[i].name);
            write_label(file, facts.name);
            (void)fprintf(file, "\"} %" PRIu64 "\n",
                          *(const uint64_t *)(const void *)((const char *)&facts + rows[i].offset));
        }
    }
}

static void write_process(FILE *file)
{
    FILE *statm = fopen("/proc/self/statm", "re");
    char text[128], *resident = NULL;

    if (statm == NULL)
        return;
    if (fgets(text, sizeof text, statm) != NULL) /* numbers of pages: total, resident, ... */
        resident = strchr(text, ' ');
    if (resident != NULL)
        write_numbers(
            file,
            &(struct number){"process_resident_memory_bytes", "gauge", "Memory of the process.",
                             strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE)},
            1);
    (void)fclose(statm);
}

void metrics_write(FILE *file, struct server *server)
{
    write_requests(file, server);
    write_totals(file, server);
    write_collections(file, server);
    write_process(file);
}
