/* request_test: checks which options a request may have, what counts as its memory, and that no
 * body makes the server fail. (test_exchanges.py has what bodies mean, and which are too large.) */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "serve/request.h"
#include "trawl/options/flag_table.h"
#include "tests/serve/short_memory.h"
#include "tests/test.h"

static const struct request_limits limits = {
    .body_bytes_max = 4096,
    .patterns_max = 8,
    .results_max = 1000,
    .seconds_max = 60,
};

/* Checks each option of the command: columns accept the options that affect what occurs where, and
 * frames also the options about lines. A value that the option does not accept is an error. */
static void check_flags(void)
{
    struct request request;
    char body[256], message[SETTINGS_ERROR_BYTES];

    for (size_t i = 0; i < 2 * FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i / 2];
        enum flag_served served = flag_table[flag->target].served;
        bool is_columns = i % 2 == 0, good;
        bool lines = served == SERVED_LINES || served == SERVED_START_LINES;
        bool refused = flag_refusal(flag) != NULL || (is_columns && lines);
        int http_status = 0;

        if (flag->name == NULL)
            continue;
        (void)snprintf(body, sizeof body,
                       "{\"patterns\":[\"a\"],\"format\":\"%s\",\"options\":[\"--%s%s\"]}",
                       is_columns ? "columns" : "frames", flag->name,
                       flag->argument == ARGUMENT_REQUIRED ? "=1" : "");
        good = request_read(&request, body, strlen(body), REQUEST_JSON, &limits, &http_status,
                            message);
        if (!TEST_CHECK(refused
                            ? !good && (http_status == 422 || http_status == 400)
                            : good || http_status == 400 || flag->category == CATEGORY_REFUSED) ||
            !TEST_CHECK(flag_refusal(flag) == NULL || http_status == 422))
            printf("  %s: %d\n", body, http_status);
        request_free(&request);
    }
}

/* Checks what a request counts as its memory (trawl-serve(1) says what each part costs), and which
 * limit rejects a request. */
static void check_memory(void)
{
    static const char body[] =
        "{\"patterns\":[\"ab\",\"c\\nd,[\",{\"name\":\"f\",\"text\":\"12\"}],"
        "\"options\":[\"-n\",\"--glob=*.c\",\"-g*.h\"]}";
    const uint64_t cost = 4 * (sizeof body - 1) + 160 * 10 + 512 * 4 + 16 * 9 + 64 * (10 + 5);
    struct guard all = {0};
    struct request_limits its_limits = limits;
    struct request request;
    char message[SETTINGS_ERROR_BYTES];
    int http_status = 0;

    its_limits.all = &all;
    for (int i = 0; i < 4; i++) {
        its_limits.memory_max = i == 0 ? cost - 1 : i == 1 ? cost : 0;
        all.bytes_max = i == 2 ? cost - 1 : cost;
        if (TEST_CHECK(request_read(&request, body, sizeof body - 1, REQUEST_JSON, &its_limits,
                                    &http_status, message) == (i % 2 == 1)) &&
            i % 2 == 1)
            TEST_CHECK(request.guard.bytes == cost && all.bytes == cost);
        else
            TEST_CHECK(http_status == (i == 0 ? 413 : 503) &&
                       strstr(message, i == 0 ? "--max-memory" : "--request-memory") != NULL);
        request_free(&request);
        TEST_CHECK_U64(all.bytes, 0);
    }
    its_limits.memory_max = 7;
    request_files(&request, "c", &its_limits);
    TEST_CHECK(request.format == REQUEST_FILES && strcmp(request.collection, "c") == 0);
    TEST_CHECK(request.guard.all == &all && request.guard.bytes_max == 7 && !request.is_head);
    TEST_CHECK_U64(request.seconds_max, limits.seconds_max);
    request_free(&request);
}

static const char whole_body[] =
    "{\"patterns\":[\"a\",{\"bytes\":\"/w==\"},{\"name\":\"w\",\"text\":\"1\\n\"}],\"paths\":"
    "[\"b\"],\"options\":[\"--ignore-case\",\"--glob=*.c\"],\"directory\":\"/d\",\"max_results\":5,"
    "\"environment\":{\"terminal\":true,\"grep_colors\":\"mt=1\"}}";

/* Checks that the server never rejects a valid body as invalid because memory runs out. Jansson,
 * which parses the bodies, calls some valid bodies invalid if an allocation fails. */
static void check_short(void)
{
    bool fails = true;

    for (long after = 0; fails && after < 1000; after++) {
        char message[SETTINGS_ERROR_BYTES] = "";
        struct request request;
        int http_status = 0;
        bool good;

        short_memory(after, 1);
        good = request_read(&request, whole_body, sizeof whole_body - 1, REQUEST_JSON, &limits,
                            &http_status, message);
        fails = short_memory_ends();
        if (!TEST_CHECK(good || (fails && http_status == 503)))
            printf("  after %ld: %d %s\n", after, http_status, message);
        request_free(&request);
    }
    TEST_CHECK(!fails);
}

/* Changes and removes bytes in a short body and in one with each kind of member. The server must
 * accept each body, or reject it with a status and a message. */
static void check_random(uint64_t count)
{
    struct test_random random = test_random_begin("serve_request");

    for (uint64_t i = 0; i < count; i++) {
        const char *from =
            test_random_one_in(&random, 2)
                ? whole_body
                : "{\"patterns\":[\"a\"],\"format\":\"columns\",\"options\":[\"-y\"]}";
        char body[512], message[SETTINGS_ERROR_BYTES] = "";
        size_t bytes = strlen(from);
        struct request request;
        int http_status = 0;
        bool good;

        memcpy(body, from, bytes + 1);
        for (uint64_t j = 0; bytes > 0 && j <= test_random_below(&random, 4); j++) {
            size_t at = test_random_below(&random, bytes);

            if (test_random_one_in(&random, 3)) {
                memmove(body + at, body + at + 1, bytes - at - 1);
                bytes--;
            } else if (test_random_one_in(&random, 2)) {
                body[at] = "\"[]{}:,\\u0-=a"[test_random_below(&random, 13)];
            } else {
                body[at] = (char)test_random_below(&random, 256);
            }
        }
        good = request_read(&request, body, bytes, REQUEST_JSON, &limits, &http_status, message);
        if (!TEST_CHECK(good ? http_status == 0 && request.argument_count > 0
                             : http_status >= 400 && http_status < 600 && *message != '\0'))
            printf("  %.*s\n", (int)bytes, body);
        request_free(&request);
    }
}

int main(void)
{
    test_begin("serve_request");
    setenv("LC_ALL", "C", 1);
    check_flags();
    check_memory();
    check_short();
    check_random(test_amount(20000, 1000000));
    return test_end();
}
