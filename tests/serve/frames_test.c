/* frames_test: checks the frames that a server writes for the command, byte by byte. Otherwise only
 * this project would write and read frames, so no test would notice a change of the layout. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "serve/answering.h"
#include "test.h"

static struct server server;
static struct served_answer answer;
static struct output *const output = &answer.output;

/* Writes frames into the pipe. */
static void begin(int ends[2])
{
    TEST_CHECK(pipe(ends) == 0);
    answer = (struct served_answer){.server = &server, .begun = true};
    answer.lines_left = UINT64_MAX;
    answer.request.format = REQUEST_FRAMES;
    answer.descriptors[1] = ends[1];
    output_open(output, -1);
    output->sink = answering_sink;
    output->sink_context = &answer;
}

static void test_layout(void)
{
    static const uint8_t expected[] = {'o', 3,   0, 0, 0, 'a', '\n', 0,   'm', 2, 0, 0, 0, 'h',
                                       'i', 'o', 1, 0, 0, 0,   'b',  'x', 1,   0, 0, 0, 2};
    uint8_t got[sizeof expected + 1] = {0};
    uint8_t status = 2;
    int ends[2];

    begin(ends);
    output_bytes(output, "a\n", 3);
    output_frame(output, OUTPUT_FRAME_MESSAGE, "hi", 2);
    output_byte(output, 'b');
    output_frame(output, OUTPUT_FRAME_EXIT, &status, 1);
    output_close(output);
    TEST_CHECK(read(ends[0], got, sizeof got) == (ssize_t)sizeof expected);
    TEST_CHECK(memcmp(got, expected, sizeof expected) == 0);
    TEST_CHECK(output->error == 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* No byte is lost, whichever function writes the bytes. */
static void test_large(void)
{
    static uint8_t large[OUTPUT_BYTES], got[OUTPUT_BYTES + 32];
    static const uint8_t heads[] = {'o', 1, 0, 0, 0, 'a', 'o', 0, 0, 2, 0};
    size_t used = 0;
    int ends[2];

    memset(large, 'x', sizeof large);
    begin(ends);
    TEST_CHECK(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
    output_byte(output, 'a');
    output_bytes(output, large, sizeof large);
    output_close(output);
    (void)close(ends[1]);
    for (ssize_t more = 1; more > 0; used += (size_t)more)
        more = read(ends[0], got + used, sizeof got - used);
    TEST_CHECK(used == sizeof heads + sizeof large);
    TEST_CHECK(memcmp(got, heads, sizeof heads) == 0);
    TEST_CHECK(memcmp(got + sizeof heads, large, sizeof large) == 0);
    (void)close(ends[0]);
}

int main(void)
{
    test_begin("serve frames");
    test_layout();
    test_large();
    return test_end();
}
