/* json: --json, in the schema of ripgrep's JSON Lines: a message on each line, `begin` and `end`
 * around what a file says, `match` and `context` for its lines, one `summary` at the end.
 *
 * As in ripgrep, what is not UTF-8 stands in base64 as "bytes" in the place of "text".
 */
#include "trawl/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "trawl/clock.h"
#include "trawl/utf8.h"

static void put(struct scan *scan, const void *bytes, uint64_t bytes_count)
{
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    scan->json.bytes += bytes_count;
}

static void put_text(struct scan *scan, const char *text)
{
    put(scan, text, strlen(text));
}

static void put_number(struct scan *scan, uint64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    put_text(scan, text);
}

/* Between quotation marks; valid UTF-8. */
static void put_escaped(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    static const char letters[] = "\b\t\n\f\r\"\\", names[] = "btnfr\"\\";
    uint64_t from = 0;

    put(scan, "\"", 1);
    for (uint64_t at = 0; at < bytes_count; at++) {
        const char *letter;
        char escape[8] = {'\\', 0};

        if (bytes[at] >= ' ' && bytes[at] != '"' && bytes[at] != '\\')
            continue;
        put(scan, bytes + from, at - from);
        from = at + 1;
        letter = bytes[at] == 0 ? NULL : strchr(letters, bytes[at]);
        if (letter != NULL)
            escape[1] = names[letter - letters];
        else
            (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)bytes[at]);
        put_text(scan, escape);
    }
    put(scan, bytes + from, bytes_count - from);
    put(scan, "\"", 1);
}

static void put_base64(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    put(scan, "\"", 1);
    for (uint64_t at = 0; at < bytes_count; at += 3) {
        uint64_t left = bytes_count - at;
        uint32_t three = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                         (left > 2 ? bytes[at + 2] : 0u);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};

        put(scan, four, sizeof four);
    }
    put(scan, "\"", 1);
}

void json_data(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    if (utf8_is_valid(bytes, bytes_count)) {
        put_text(scan, "{\"text\":");
        put_escaped(scan, bytes, bytes_count);
    } else {
        put_text(scan, "{\"bytes\":");
        put_base64(scan, bytes, bytes_count);
    }
    put_text(scan, "}");
}

/* {"type":"...","data":{"path":... */
static void put_beginning(struct scan *scan, const char *type)
{
    bool is_input = strcmp(scan->name, "(standard input)") == 0; /* ripgrep's name for it */
    const char *name = is_input && scan->settings->label == NULL ? "<stdin>" : scan->name;

    put_text(scan, "{\"type\":\"");
    put_text(scan, type);
    put_text(scan, "\",\"data\":{\"path\":");
    json_data(scan, (const uint8_t *)name, strlen(name));
}

void json_open(struct scan *scan)
{
    scan->json.begin_ns = now_ns();
}

/* What is printed of a binary file may be taken back, but not its `begin`, which an `end` follows.
 */
static void begin(struct scan *scan)
{
    if (scan->json.begun)
        return;
    scan->json.begun = true;
    put_beginning(scan, "begin");
    put_text(scan, "}}\n");
    output_commit(scan->output);
}

void json_line(struct scan *scan, const struct json_line *line)
{
    begin(scan);
    put_beginning(scan, line->selected ? "match" : "context");
    put_text(scan, ",\"lines\":");
    json_data(scan, line->bytes, line->count);
    put_text(scan, ",\"line_number\":");
    if (line->number > 0)
        put_number(scan, line->number);
    else
        put_text(scan, "null");
    put_text(scan, ",\"absolute_offset\":");
    put_number(scan, line->offset);
    put_text(scan, ",\"submatches\":[");
    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct span *span = &line->spans[i];

        put_text(scan, i > 0 ? ",{\"match\":" : "{\"match\":");
        json_data(scan, line->bytes + span->begin, span->end - span->begin);
        put_text(scan, ",\"start\":");
        put_number(scan, span->begin);
        put_text(scan, ",\"end\":");
        put_number(scan, span->end);
        put_text(scan, "}");
    }
    put_text(scan, "]}}\n");
    scan->json.lines += line->selected;
    scan->json.matches += line->selected ? line->span_count : 0;
}

/* In the order of ripgrep's keys; those of the summary are sorted by name. */
static int elapsed(char *text, size_t text_bytes, uint64_t ns, bool sorted)
{
    char human[40];

    (void)snprintf(human, sizeof human, "\"human\":\"%.6fs\"", (double)ns * 1e-9);
    return snprintf(text, text_bytes,
                    sorted ? "{%3$s,\"nanos\":%2$" PRIu64 ",\"secs\":%1$" PRIu64 "}"
                           : "{\"secs\":%1$" PRIu64 ",\"nanos\":%2$" PRIu64 ",%3$s}",
                    ns / SECOND_NS, ns % SECOND_NS, human);
}

void json_end(struct scan *scan, bool binary)
{
    struct json_totals *totals = &scan->job->totals.json;
    const struct json_state *json = &scan->json;
    uint64_t printed, ns = now_ns() - json->begin_ns;
    uint64_t searched = scan->left_count == 0 ? scan->selected_end : scan->scanned_end;
    char text[512], time[128];

    if (binary)
        begin(scan);
    if (!json->begun)
        return;
    printed = json->bytes;
    totals->searches++;
    totals->with_match += json->lines > 0;
    totals->bytes_searched += searched;
    totals->bytes_printed += printed;
    totals->lines += json->lines;
    totals->matches += json->matches;
    totals->elapsed_ns += ns;
    put_beginning(scan, "end");
    if (scan->null_seen)
        (void)snprintf(text, sizeof text, ",\"binary_offset\":%" PRIu64, scan->null_offset);
    else
        (void)snprintf(text, sizeof text, ",\"binary_offset\":null");
    put_text(scan, text);
    (void)elapsed(time, sizeof time, ns, false);
    (void)snprintf(text, sizeof text,
                   ",\"stats\":{\"elapsed\":%s,\"searches\":1,\"searches_with_match\":%d,"
                   "\"bytes_searched\":%" PRIu64 ",\"bytes_printed\":%" PRIu64
                   ",\"matched_lines\":%" PRIu64 ",\"matches\":%" PRIu64 "}}}\n",
                   time, json->lines > 0, searched, printed, json->lines, json->matches);
    put_text(scan, text);
}

void json_add(struct json_totals *sum, const struct json_totals *more)
{
    sum->searches += more->searches;
    sum->with_match += more->with_match;
    sum->bytes_searched += more->bytes_searched;
    sum->bytes_printed += more->bytes_printed;
    sum->lines += more->lines;
    sum->matches += more->matches;
    sum->elapsed_ns += more->elapsed_ns;
}

void json_summary(struct output *output, const struct json_totals *totals, uint64_t elapsed_ns)
{
    char text[1024], all[128], searching[128];

    (void)elapsed(all, sizeof all, elapsed_ns, true);
    (void)elapsed(searching, sizeof searching, totals->elapsed_ns, true);
    (void)snprintf(text, sizeof text,
                   "{\"data\":{\"elapsed_total\":%s,\"stats\":{\"bytes_printed\":%" PRIu64
                   ",\"bytes_searched\":%" PRIu64 ",\"elapsed\":%s,\"matched_lines\":%" PRIu64
                   ",\"matches\":%" PRIu64 ",\"searches\":%" PRIu64
                   ",\"searches_with_match\":%" PRIu64 "}},\"type\":\"summary\"}\n",
                   all, totals->bytes_printed, totals->bytes_searched, searching, totals->lines,
                   totals->matches, totals->searches, totals->with_match);
    output_text(output, text);
}
