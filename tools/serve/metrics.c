/* metrics: writes totals of the server, its searches and collections in Prometheus's format. */
#include "serve/metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_head(FILE *file, const char *name, const char *type, const char *help)
{
    (void)fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_number(FILE *file, const char *name, const char *type, const char *help,
                         uint64_t number)
{
    write_head(file, name, type, help);
    (void)fprintf(file, "%s %" PRIu64 "\n", name, number);
}

static void write_seconds(FILE *file, const char *name, const char *help, uint64_t ns)
{
    write_head(file, name, "counter", help);
    (void)fprintf(file, "%s %.9f\n", name, (double)ns * 1e-9);
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
    write_number(file, "trawl_connections_total", "counter", "Connections that came.",
                 server->connection_count);
    write_number(file, "trawl_connections", "gauge", "Connections that are open.",
                 server->open_count);
    write_number(file, "trawl_refused_total", "counter",
                 "Requests that got a status of 4xx or 5xx.", server->refused_count);
    write_number(file, "trawl_cancelled_total", "counter",
                 "Answers that ended early since their clients went away.",
                 server->cancelled_count);
    write_number(file, "trawl_running", "gauge", "Answers that are being made.",
                 server->running_count);
    write_number(file, "trawl_answer_bytes_total", "counter", "Bytes of answers.",
                 server->answer_bytes);
    write_latency(file, server);
}

static void write_passes(FILE *file, struct passes *passes)
{
    struct pass_facts facts;

    passes_facts(passes, &facts);
    write_number(file, "trawl_passes_total", "counter", "Passes over a collection.",
                 facts.pass_count);
    write_number(file, "trawl_own_passes_total", "counter", "Passes for one request alone.",
                 facts.own_pass_count);
    write_number(file, "trawl_pass_requests_total", "counter", "Requests that passes answered.",
                 facts.request_count);
    write_number(file, "trawl_shared_requests_total", "counter",
                 "Requests that shared their pass with others.", facts.shared_request_count);
    write_number(file, "trawl_waiting", "gauge", "Requests that wait for a pass.",
                 facts.waiting_count);
    write_number(file, "trawl_searched_bytes_total", "counter", "Bytes that passes searched.",
                 facts.searched_bytes);
    write_seconds(file, "trawl_search_seconds_total", "Time of passes.", facts.search_ns);
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
        write_number(file, "process_resident_memory_bytes", "gauge", "Memory of the process.",
                     strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE));
    (void)fclose(statm);
}

void metrics_write(FILE *file, struct server *server)
{
    write_requests(file, server);
    write_passes(file, server->passes);
    write_collections(file, server);
    write_process(file);
}
