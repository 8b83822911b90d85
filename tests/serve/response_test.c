/* response_test: tests responses when memory runs out, when the time is over, and when the client
 * goes away. Other tests check what responses say: test_served.py compares them with the command,
 * and test_day.py with the files. A pass is a search of the collection's bytes in memory that
 * several requests may share. A view is the list of files that a request searches. */
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/response.h"
#include "tests/serve/collection_tree.h"
#include "tests/serve/short_memory.h"
#include "tests/test.h"

/* ---- Passes that take too long -------------------------------------------------------- */

/* While pass_hangs is set, the server runs a pass for each search, and the pass ends only when it
 * is cancelled. If reads_after_ms is not 0, the client reads only after this time, when the
 * request's time is over and has ended the pass. */
static atomic_bool pass_hangs;
static atomic_uint reads_after_ms;
/* If not 0, each pass claims to answer this many requests. */
static atomic_uint shares;

bool __real_pass_run(struct passes *passes, struct pass_request *request);
bool __wrap_pass_run(struct passes *passes, struct pass_request *request);

bool __wrap_pass_run(struct passes *passes, struct pass_request *request)
{
    bool good;

    while (pass_hangs)
        if (request->cancelled || (reads_after_ms > 0 && guard_is_over(request->guard)))
            return false;
    good = __real_pass_run(passes, request);
    request->shared_count = shares != 0 ? shares : request->shared_count;
    return good;
}

bool __real_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan);
bool __wrap_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan);

bool __wrap_pass_is_frequent(struct passes *passes, const struct state *state,
                             const struct trawl_plan *plan)
{
    return !pass_hangs && __real_pass_is_frequent(passes, state, plan);
}

/* ---- Asking --------------------------------------------------------------------------- */

struct output_bytes {
    char *bytes;
    size_t count;
};

/* The output of a response, and the exit status in the response. */
struct printed {
    struct output_bytes output, messages;
    int status;
};

static struct server server = {
    .limits = {.body_bytes_max = 1 << 20,
               .patterns_max = 1000,
               .results_max = 1 << 20,
               .seconds_max = 600},
    .thread_count = 3,
};
/* If ask_short_after is at least 0, the server's first ask_short_after allocations succeed, and the
 * next ask_short_count fail. */
static long ask_short_after = -1, ask_short_count;

static void append(struct output_bytes *to, const void *bytes, size_t bytes_count)
{
    char *larger;

    do
        larger = realloc(to->bytes, to->count + bytes_count + 1);
    while (larger == NULL); /* allocations fail only for a while */
    to->bytes = larger;
    memcpy(to->bytes + to->count, bytes, bytes_count);
    to->count += bytes_count;
    to->bytes[to->count] = '\0';
}

static void free_printed(struct printed *printed)
{
    free(printed->output.bytes);
    free(printed->messages.bytes);
}

/* Reads the response to its end, or until the response's time is over. */
static void read_response(struct response *response, struct output_bytes *to)
{
    char bytes[65536];
    ssize_t got;

    append(to, "", 0);
    while ((got = response_read(response, -1, bytes, sizeof bytes)) > 0)
        append(to, bytes, (size_t)got);
    if (got < 0)
        append(to, "ended early", 11);
}

static void take_frames(struct printed *printed, const struct output_bytes *frames)
{
    for (size_t at = 0; at + 5 <= frames->count;) {
        const uint8_t *head = (const uint8_t *)frames->bytes + at;
        size_t bytes_count = head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16;

        if (head[0] == OUTPUT_FRAME_OUTPUT)
            append(&printed->output, head + 5, bytes_count);
        else if (head[0] == OUTPUT_FRAME_MESSAGE)
            append(&printed->messages, head + 5, bytes_count);
        else
            printed->status =
                head[0] == OUTPUT_FRAME_EXIT && at + 6 == frames->count ? head[5] : -2;
        at += 5 + bytes_count;
    }
}

/* Asks for a response. Returns false if the request was rejected; then `printed` has the HTTP
 * status and the message. */
static bool ask(json_t *body, enum request_format format, struct printed *printed)
{
    struct request request;
    struct response *response = NULL;
    char message[SETTINGS_ERROR_BYTES] = "", *text = json_dumps(body, 0);
    bool is_frames = json_object_get(body, "format") != NULL;
    struct output_bytes bytes = {NULL, 0};

    memset(printed, 0, sizeof *printed);
    append(&printed->output, "", 0);
    append(&printed->messages, "", 0);
    if (ask_short_after >= 0)
        short_memory(ask_short_after, ask_short_count);
    if (request_read(&request, text, strlen(text), format, &server.limits, &printed->status,
                     message))
        response = response_begin(&server, &request, 1, &printed->status, message);
    else
        request_free(&request);
    free(text);
    if (response != NULL && !response_begun(response, -1, &printed->status, message)) {
        response_end(response);
        response = NULL;
    }
    if (response == NULL) {
        (void)short_memory_ends();
        append(&printed->messages, message, strlen(message));
        return false;
    }
    printed->status = is_frames ? -1 : 0;
    usleep(reads_after_ms * 1000);
    read_response(response, &bytes);
    (void)short_memory_ends();
    if (is_frames)
        take_frames(printed, &bytes);
    else
        append(&printed->output, bytes.bytes, bytes.count);
    free(bytes.bytes);
    response_end(response);
    return true;
}

static json_t *body_of(const char *text)
{
    json_t *body = json_loads(text, 0, NULL);

    TEST_CHECK(body != NULL);
    return body;
}

/* Checks responses whose time ends during a pass: a count is rejected, JSON is truncated, and
 * frames say that they were truncated. In a tree with 2,000 more files the server searches the
 * first files before the pass, so the response has their lines. */
static void check_time(void)
{
    json_t *body = body_of("{\"patterns\":[\"needle\"],\"max_seconds\":1}");
    struct printed got;

    pass_hangs = true;
    TEST_CHECK(!ask(body, REQUEST_COUNT, &got));
    TEST_CHECK_U64((uint64_t)got.status, 503);
    TEST_CHECK(strstr(got.messages.bytes, "longer than the server or the request allows") != NULL);
    free_printed(&got);
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK(strstr(got.output.bytes, "\"truncated\":true") != NULL);
    free_printed(&got);
    json_object_set_new(body, "format", json_string("frames"));
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK_U64((uint64_t)got.status, 2);
    TEST_CHECK(strstr(got.messages.bytes, "cut off after 1 s") != NULL);
    TEST_CHECK(got.output.count == 0);
    free_printed(&got);
    for (unsigned k = 0; k < 2000; k++) {
        char path[4096];

        (void)snprintf(path, sizeof path, "%s/first-%u", top, k);
        put(path, "needle\n");
    }
    reads_after_ms = 1100;
    TEST_CHECK(ask(body, REQUEST_JSON, &got) && got.output.count > 0);
    TEST_CHECK(strstr(got.messages.bytes, "cut off after 1 s") != NULL);
    free_printed(&got);
    json_decref(body);
    pass_hangs = false;
    /* A client that reads even later gets a part of a long line, and then whole lines. */
    reads_after_ms = 2200;
    body = body_of("{\"patterns\":[\"000\"],\"paths\":[\"long.txt\"],\"max_seconds\":1}");
    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    TEST_CHECK(strstr(got.output.bytes, "\n{\"type\":\"end\"") != NULL);
    TEST_CHECK(strstr(got.output.bytes, "}}\n{\"type\":\"end\"") == NULL);
    free_printed(&got);
    json_decref(body);
    reads_after_ms = 0;
}

/* Checks that a response says how many requests shared the pass. */
static void check_shared(void)
{
    json_t *body = body_of("{\"patterns\":[\"absent\"]}");
    struct printed got;

    for (shares = 2; shares < 4; shares++)
        for (int format = REQUEST_JSON; format <= REQUEST_COUNT; format += REQUEST_COUNT) {
            char expected[32];

            (void)snprintf(expected, sizeof expected, "\"shared\":%u}", (unsigned)shares);
            TEST_CHECK(ask(body, (enum request_format)format, &got));
            TEST_CHECK(strstr(got.output.bytes, expected) != NULL);
            free_printed(&got);
        }
    json_decref(body);
    shares = 0;
}

/* Asks for a response, and cuts the duration off the output, so that outputs can be compared. */
static bool ask_for_matches(json_t *body, enum request_format format, struct printed *got)
{
    bool good = ask(body, format, got);
    char *seconds = format == REQUEST_COUNT ? strstr(got->output.bytes, "\"seconds\"") : NULL;

    if (seconds != NULL)
        got->output.count = (size_t)(seconds - got->output.bytes);
    return good;
}

/* Makes allocations of a request fail: one, or 20 in a row, later and later. Checks that the status
 * does not blame the request, and that the response is right or reports the lack of memory. The
 * requests have other options about files than the server, so the server makes a view for each of
 * them. */
static void check_short(void)
{
    static const struct {
        const char *body;
        enum request_format format;
    } asked[] = {{"{\"patterns\":[\"zipped\",\"needle\",\"foo\"],\"options\":[\"-g!*.md\","
                  "\"--max-filesize=1M\"]}",
                  REQUEST_COUNT},
                 {"{\"patterns\":[\"needle\"],\"format\":\"frames\",\"options\":[\"-tc\",\"-g*.c\","
                  "\"--max-filesize=1M\"]}",
                  REQUEST_JSON},
                 {"{\"patterns\":[\"6e656564\"],\"format\":\"frames\",\"options\":[\"--include=*."
                  "c\",\"--hex\"]}",
                  REQUEST_JSON}};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        json_t *body = body_of(asked[i].body);
        struct printed expected, got;
        uint64_t refused_count = 0;

        TEST_CHECK(ask_for_matches(body, asked[i].format, &expected));
        TEST_CHECK(asked[i].format != REQUEST_COUNT ||
                   strstr(expected.output.bytes, "\"occurrences\":5,") != NULL);
        for (long fault = 0; fault < 400 && test_failures == 0;
             fault += test_is_long() || fault < 200 ? 1 : 9) {
            bool good;

            ask_short_after = fault / 2;
            ask_short_count = fault % 2 == 0 ? 1 : 20;
            good = ask_for_matches(body, asked[i].format, &got);
            ask_short_after = -1;
            refused_count += !good;
            if (!good)
                TEST_CHECK_U64((uint64_t)got.status, 503);
            else if (got.status == expected.status)
                TEST_CHECK(got.output.count == expected.output.count &&
                           memcmp(got.output.bytes, expected.output.bytes, got.output.count) == 0);
            else /* a wrong response must report the lack of memory, or break off */
                TEST_CHECK(got.status == 2 || got.status == -1);
            if (test_failures > 0)
                printf("  fault %ld of %s: %s\n", fault, asked[i].body, got.messages.bytes);
            free_printed(&got);
        }
        TEST_CHECK(refused_count > 20);
        free_printed(&expected);
        json_decref(body);
    }
}

/* Returns how often `part` occurs in `text`. */
static size_t count_of_part(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* Checks responses that max_results truncates: a line of any length, in any number of parts, is a
 * single result, and the response ends with a whole line. */
static void check_cut(void)
{
    enum { LINES = 4, LINE_BYTES = 300000 };
    json_t *body = body_of("{\"patterns\":[\"00000\"],\"paths\":[\"long.txt\"]}");
    struct printed got;

    for (uint64_t max = 1; max <= LINES + 1; max++) {
        char expected[64];
        size_t count = max < LINES ? max : LINES;

        (void)snprintf(expected, sizeof expected, "\"exit\":0,\"truncated\":%s,",
                       max < LINES ? "true" : "false");
        json_object_set_new(body, "max_results", json_integer((json_int_t)max));
        TEST_CHECK(ask(body, REQUEST_JSON, &got));
        TEST_CHECK_U64(count_of_part(got.output.bytes, "{\"type\":\"match\""), count);
        TEST_CHECK(strstr(got.output.bytes, expected) != NULL);
        free_printed(&got);
        json_object_set_new(body, "format", json_string("frames"));
        TEST_CHECK(ask(body, REQUEST_JSON, &got));
        TEST_CHECK_U64(got.output.count, count * (LINE_BYTES + 1));
        TEST_CHECK_U64((uint64_t)got.status, max < LINES ? 2 : 0);
        (void)snprintf(expected, sizeof expected, "cut off after %d lines", (int)max);
        TEST_CHECK((strstr(got.messages.bytes, expected) != NULL) == (max < LINES));
        free_printed(&got);
        json_object_del(body, "format");
    }
    json_decref(body);
}

/* Checks that an error in the middle of a file's lines comes before the file's only line `end`. */
static void check_message(void)
{
    json_t *body = body_of("{\"patterns\":[\"1\"],\"options\":[\"--search-zip\"],"
                           "\"paths\":[\"cut.gz\"]}");
    const char *message;
    struct printed got;

    TEST_CHECK(ask(body, REQUEST_JSON, &got));
    message = strstr(got.output.bytes, "{\"type\":\"message\"");
    TEST_CHECK(message != NULL && count_of_part(message, "{\"type\":\"end\"") == 1);
    TEST_CHECK_U64(count_of_part(got.output.bytes, "{\"type\":\"end\""), 1);
    free_printed(&got);
    json_decref(body);
}

/* Writes a file with more bytes than fit into a response's pipe, its compressed bytes without the
 * last one, and a file of long lines. */
static void write_large(void)
{
    FILE *file = fopen("large.txt", "wb");

    for (unsigned i = 0; i < 100000; i++)
        fprintf(file, "line %u\n", i);
    fclose(file);
    TEST_CHECK(system("gzip <large.txt | head -c -1 >cut.gz") == 0);
    file = fopen("long.txt", "wb");
    for (unsigned i = 0; i < 4; i++)
        fprintf(file, "%0300000d\n", 0);
    fclose(file);
}

/* Disconnects the client after some bytes of the response, or before the first byte. */
static void check_goes_away(void)
{
    for (size_t bytes_count = 0; bytes_count <= 100000; bytes_count += 50000) {
        static const char body[] = "{\"patterns\":[\"\"],\"options\":[\"-nH\"]}";
        static const char good[] = "{\"patterns\":[\"\"],\"options\":[\"-n\",\"-C99\"]}";
        char message[SETTINGS_ERROR_BYTES], *bytes = malloc(bytes_count + 1);
        struct request request;
        struct response *response;
        int http_status = 0;
        size_t got = 0;

        TEST_CHECK(!request_read(&request, body, strlen(body), REQUEST_JSON, &server.limits,
                                 &http_status, message));
        request_free(&request);
        http_status = 0;
        TEST_CHECK(request_read(&request, good, strlen(good), REQUEST_JSON, &server.limits,
                                &http_status, message));
        response = response_begin(&server, &request, 1, &http_status, message);
        TEST_CHECK(response != NULL);
        while (response != NULL && got < bytes_count) {
            ssize_t more = response_read(response, -1, bytes + got, bytes_count - got);

            if (more <= 0)
                break;
            got += (size_t)more;
        }
        if (response != NULL)
            response_end(response);
        free(bytes);
    }
    TEST_CHECK_U64(server.running_count, 0);
}

int main(void)
{
    char message[SETTINGS_ERROR_BYTES];
    struct collection *collection = NULL;

    test_begin("serve_response");
    setenv("LC_ALL", "C", 1);
    signal(SIGPIPE, SIG_IGN);
    begin_trees();
    server.runtime = runtime;
    TEST_CHECK(mkdir("src", 0755) == 0);
    put("src/a.c", "a needle\nfoo\n");
    put("b.txt", "needle in foo\nneed\n");
    put(".ignore", "*.md\n");
    put("c.md", "needle\n");
    TEST_CHECK(system("echo zipped | gzip >z.gz") == 0);
    write_large();
    TEST_CHECK(chdir("/") == 0);
    TEST_CHECK(passes_open(&server.passes, runtime, message));
    server.collections = &collection;
    server.collection_count = 1;
    collection =
        open_by("trawl --search-zip", top, true, 8192); /* the large file is not in memory */
    check_short();
    check_shared();
    check_cut();
    check_message();
    check_time();
    TEST_CHECK_U64(server.cancelled_count, 0);
    check_goes_away();
    TEST_CHECK(server.cancelled_count > 0);
    close_opened(collection);
    passes_close(server.passes);
    return end_trees();
}
