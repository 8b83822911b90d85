/* json: writes results as JSON Lines in ripgrep's schema (option --json). Each line is a message:
 * `begin` and `end` around the messages of a file, `match` and `context` for lines, and a `summary`
 * at the end. As in ripgrep, text that is not UTF-8 is written in base64, as "bytes" instead of
 * "text". */
#include "trawl/print/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "trawl/text/base64.h"
#include "trawl/print/binary.h"
#include "trawl/print/excerpt.h"
#include "trawl/text/charset.h"
#include "trawl/text/command_clock.h"
#include "trawl/print/reread.h"
#include "trawl/text/sizes.h"
#include "trawl/text/utf8.h"

typedef uint8_t byte_vector __attribute__((vector_size(16)));

/* bytes that are escaped at a time; a multiple of 3 for base64 */
#define PART_BYTES SIZE_OR_SMALL(6144u, 6u)
#define BEGINNING_BYTES 64u /* room for the start of a message, up to its path */
#define ESCAPE_BYTES_MAX 6u

static void put(struct text_scan *scan, const void *bytes, uint64_t bytes_count)
{
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    scan->json.bytes += bytes_count;
}

static inline void put_json(struct text_scan *scan, const char *text)
{
    put(scan, text, strlen(text));
}

/* Writes a number as a member of an object. `name` has the comma, the name and the colon. */
static void put_member(struct text_scan *scan, const char *name, uint64_t number)
{
    struct output *output = scan->output;
    size_t used;

    put_json(scan, name);
    output_need(output, OUTPUT_NUMBER_BYTES);
    used = output->used;
    output_number(output, number, 0);
    scan->json.bytes += output->used - used;
}

/* How control characters are written in a JSON string. */
static const char escapes[32][8] = {
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};

#define ESCAPES_SHORT (1u << '\b' | 1u << '\t' | 1u << '\n' | 1u << '\f' | 1u << '\r')

/* Writes a byte escaped for a JSON string, and returns the end. May write up to 8 bytes. */
static uint8_t *escape(uint8_t *to, uint8_t byte)
{
    if (byte >= ' ' && byte != '"' && byte != '\\') {
        *to = byte;
        return to + 1;
    }
    if (byte >= ' ') {
        to[0] = '\\';
        to[1] = byte;
        return to + 2;
    }
    memcpy(to, escapes[byte], sizeof escapes[byte]);
    return to + ((ESCAPES_SHORT >> byte & 1) != 0 ? 2 : ESCAPE_BYTES_MAX);
}

/* Returns true if some of the bytes must be escaped in a JSON string. */
static bool has_escape(byte_vector bytes)
{
    uint64_t halves[2];
    byte_vector found = (byte_vector)(bytes < (byte_vector){0} + ' ') |
                        (byte_vector)(bytes == (byte_vector){0} + '"') |
                        (byte_vector)(bytes == (byte_vector){0} + '\\');

    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Writes valid UTF-8 inside a JSON string. */
static bool put_escaped(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    struct output *output = scan->output;

    for (uint64_t at = 0; at < bytes_count;) {
        uint64_t end = bytes_count - at > PART_BYTES ? at + PART_BYTES : bytes_count;
        uint8_t *to;

        output_need(output, PART_BYTES * ESCAPE_BYTES_MAX + sizeof escapes[0]);
        to = output->bytes + output->used;
        while (at < end) {
            uint64_t limit = at + sizeof(byte_vector);
            byte_vector several;

            if (limit <= end) {
                memcpy(&several, bytes + at, sizeof several);
                memcpy(to, &several, sizeof several);
                if (!has_escape(several)) {
                    to += sizeof several;
                    at = limit;
                    continue;
                }
            }
            for (; at < limit && at < end; at++)
                to = escape(to, bytes[at]);
        }
        scan->json.bytes += (uint64_t)(to - output->bytes) - output->used;
        output->used = (size_t)(to - output->bytes);
    }
    return output->error == 0;
}

/* Writes a part of a text in base64. Each part but the last must have a multiple of 3 bytes. */
static bool put_base64(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    struct output *output = scan->output;

    for (uint64_t at = 0, count; at < bytes_count; at += count) {
        count = bytes_count - at < PART_BYTES ? bytes_count - at : PART_BYTES;
        output_need(output, BASE64_DIGITS(count));
        base64_encode((char *)output->bytes + output->used, bytes + at, (size_t)count);
        output->used += BASE64_DIGITS(count);
        scan->json.bytes += BASE64_DIGITS(count);
    }
    return output->error == 0;
}

static bool is_utf8(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    (void)scan;
    return utf8_is_valid(bytes, bytes_count);
}

/* Writes the bytes [begin, end) as json_data does. The offsets are in `line` or, if it is NULL, in
 * the text, which is read again. */
static void put_data(struct text_scan *scan, const uint8_t *line, uint64_t begin, uint64_t end)
{
    bool is_text = line != NULL ? utf8_is_valid(line + begin, end - begin)
                                : reread_pieces(scan, CHARSET_UTF8, begin, end, is_utf8);
    reread_pass put_piece = is_text ? put_escaped : put_base64;

    put_json(scan, is_text ? "{\"text\":\"" : "{\"bytes\":\"");
    if (line != NULL)
        (void)put_piece(scan, line + begin, end - begin);
    else
        (void)reread_pieces(scan, CHARSET_BYTES, begin, end, put_piece);
    put_json(scan, "\"}");
}

/* Prints bytes as {"text":...}, or as {"bytes":...} in base64 if the bytes are not UTF-8. */
static void json_data(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    put_data(scan, bytes, 0, bytes_count);
}

/* Writes the start of a message: {"type":TYPE,"data":{"path":PATH */
static void put_beginning(struct text_scan *scan, const char *type)
{
    /* ripgrep calls standard input <stdin> */
    bool is_input = strcmp(scan->name, "(standard input)") == 0;
    const char *name = is_input && scan->settings->heads.label == NULL ? "<stdin>" : scan->name;

    /* The server counts results based on the first bytes of each line, so a full buffer is never
     * written between them. */
    output_need(scan->output, BEGINNING_BYTES);
    put_json(scan, "{\"type\":\"");
    put_json(scan, type);
    put_json(scan, "\",\"data\":{\"path\":");
    json_data(scan, (const uint8_t *)name, strlen(name));
}

void json_open(struct text_scan *scan)
{
    scan->json.begin_ns = now_ns();
    scan->nulls.json_before = scan->json;
}

/* Writes a file's `begin` message, unless it has been written. */
static void put_begin(struct text_scan *scan)
{
    if (scan->json.begun)
        return;
    scan->json.begun = true;
    /* Make room for the whole line, because the server needs it in one piece. */
    output_need(scan->output, BEGINNING_BYTES + ESCAPE_BYTES_MAX * strlen(scan->name));
    put_beginning(scan, "begin");
    put_json(scan, "}}\n");
}

static void put_match(struct text_scan *scan, const struct piece *line,
                      const struct line_span *span)
{
    uint64_t begin = line->offset + span->from, end = line->offset + span->to;
    const uint8_t *near =
        line->bytes != NULL ? line->bytes + span->from : reread_range(scan, begin, end);

    if (near != NULL)
        put_data(scan, near, 0, end - begin);
    else
        put_data(scan, NULL, begin, end);
}

/* Writes the excerpts of --around, which are of the line as the text has it. */
static void put_excerpts(struct text_scan *scan, const struct piece *line)
{
    struct style_state *style = &scan->style;
    struct piece original = *line;
    struct excerpt excerpt = {.past = 0};
    uint64_t limit;

    original.replaced = false;
    original.count = line->line_bytes;
    original.content = line->content - line->count + line->line_bytes;
    limit = excerpt_limit(scan, &original);
    if (!SCAN_GROW(scan, style->inside, style->inside_capacity, line->span_count + 1))
        return;
    original.spans = style->inside;
    for (uint64_t i = 0; i < line->span_count; i++)
        style->inside[i] =
            (struct line_span){.begin = line->spans[i].from, .end = line->spans[i].to};
    put_json(scan, ",\"excerpts\":[");
    while (excerpt_next(scan, &original, limit, &excerpt)) {
        const struct line_span part = {.from = excerpt.begin, .to = excerpt.end};

        put_json(scan, excerpt.first > 0 ? ",{\"excerpt\":" : "{\"excerpt\":");
        put_match(scan, line, &part);
        put_member(scan, ",\"start\":", part.from);
        put_member(scan, ",\"end\":", part.to);
        put_json(scan, "}");
    }
    put_json(scan, "]");
}

/* Writes distance and strand if options ask for them. ripgrep has no such members. */
static void put_errors(struct text_scan *scan, uint16_t distance, uint16_t reversed)
{
    if (scan->settings->shows_distance)
        put_member(scan, ",\"distance\":", distance);
    if (scan->settings->errors.reverse_complement)
        put_json(scan, reversed ? ",\"strand\":\"-\"" : ",\"strand\":\"+\"");
}

/* Writes the name of a string or, if it has none, its number. */
static void put_pattern(struct text_scan *scan, const char *before, uint64_t number)
{
    const struct trawl_pattern *name = patterns_name(scan->job->patterns, number);

    if (name == NULL) {
        put_member(scan, before, number);
        return;
    }
    put_json(scan, before);
    put_json(scan, "\"");
    (void)put_escaped(scan, name->bytes, name->bytes_count);
    put_json(scan, "\"");
}

/* Writes which strings a match stands for: the first as `pattern`, and several as `patterns`. */
static void put_patterns(struct text_scan *scan, const struct trawl_match *matches,
                         const struct line_span *span, uint64_t end)
{
    const struct number_set *set = &scan->numbers;

    if (!number_set_at(scan, matches + span->group, span->group_count, end) || set->count == 0)
        return;
    put_pattern(scan, ",\"pattern\":", set->list[0]);
    for (uint64_t i = 0; set->count > 1 && i < set->count; i++)
        put_pattern(scan, i == 0 ? ",\"patterns\":[" : ",", set->list[i]);
    if (set->count > 1)
        put_json(scan, "]");
}

void json_match(struct text_scan *scan, const struct json_match *match)
{
    put_begin(scan);
    put_beginning(scan, "match");
    put_json(scan, ",\"sequence\":");
    json_data(scan, match->sequence, match->sequence_bytes);
    put_member(scan, ",\"offset\":", match->offset);
    put_member(scan, ",\"end\":", match->offset + match->bytes_count);
    put_json(scan, match->reversed ? ",\"strand\":\"-\"" : ",\"strand\":\"+\"");
    put_member(scan, ",\"distance\":", match->distance);
    put_pattern(scan, ",\"pattern\":", match->number);
    put_json(scan, ",\"match\":");
    json_data(scan, match->bytes, match->bytes_count);
    put_json(scan, "}}\n");
    scan->json.lines++;
    scan->json.matches++;
}

void json_line(struct text_scan *scan, const struct piece *line, const struct trawl_match *matches,
               uint64_t number, uint64_t lines)
{
    const uint64_t max = scan->settings->style.max_columns;
    const uint64_t base = line->bytes != NULL ? 0 : line->offset;
    const bool is_long = max > 0 && line->line_bytes > max;

    put_begin(scan);
    put_beginning(scan, line->selected ? "match" : "context");
    put_json(scan, ",\"lines\":");
    if (is_long) {
        put_json(scan, "{\"text\":\"\"}");
        put_member(scan, ",\"line_bytes\":", line->line_bytes);
    } else {
        put_data(scan, line->bytes, base, base + line->line_bytes);
    }
    if (number > 0)
        put_member(scan, ",\"line_number\":", number);
    else
        put_json(scan, ",\"line_number\":null");
    put_member(scan, ",\"absolute_offset\":", line->offset);
    put_json(scan, ",\"submatches\":[");
    for (uint64_t i = 0; i < line->span_count; i++) {
        const struct line_span *span = &line->spans[i];

        put_json(scan, i > 0 ? ",{\"match\":" : "{\"match\":");
        put_match(scan, line, span);
        if (span->text != NULL) {
            put_json(scan, ",\"replacement\":");
            json_data(scan, span->text->bytes, span->text->bytes_count);
        }
        put_member(scan, ",\"start\":", span->from);
        put_member(scan, ",\"end\":", span->to);
        put_errors(scan, span->distance, span->reversed);
        if (scan->settings->heads.pattern_number)
            put_patterns(scan, matches, span, line->offset + span->to);
        put_json(scan, "}");
    }
    put_json(scan, "]");
    if (scan->settings->style.excerpts)
        put_excerpts(scan, line);
    put_json(scan, "}}\n");
    scan->json.lines += line->selected ? lines : 0;
    scan->json.matches += line->selected ? line->span_count : 0;
}

/* Writes a duration as text. If `sorted`, the keys are in alphabetical order, as in ripgrep's
 * summary; otherwise in the order of ripgrep's `end`. */
static void elapsed(char *text, size_t text_bytes, uint64_t ns, bool sorted)
{
    char human[40];

    (void)snprintf(human, sizeof human, "\"human\":\"%.6fs\"", (double)ns * 1e-9);
    (void)snprintf(text, text_bytes,
                   sorted ? "{%3$s,\"nanos\":%2$" PRIu64 ",\"secs\":%1$" PRIu64 "}"
                          : "{\"secs\":%1$" PRIu64 ",\"nanos\":%2$" PRIu64 ",%3$s}",
                   ns / SECOND_NS, ns % SECOND_NS, human);
}

void json_end(struct text_scan *scan, bool binary)
{
    struct json_totals *totals = &scan->job->totals.sums.json;
    const struct json_state *json = &scan->json;
    uint64_t printed, ns = now_ns() - json->begin_ns;
    uint64_t searched = !scan->job->patterns->crosses && scan->lines.left == 0 && scan->stop
                            ? scan->lines.selected_end
                            : scan->lines.scanned_end;
    char time[128];

    /* as in ripgrep, a text is searched up to its first NUL */
    if (scan->nulls.seen && binary_offset(scan) < searched)
        searched = binary_offset(scan);
    totals->searches++;
    totals->bytes_searched += searched;
    if (binary)
        put_begin(scan);
    if (!json->begun)
        return;
    printed = json->bytes;
    totals->with_match += json->lines > 0;
    totals->bytes_printed += printed;
    totals->lines += json->lines;
    totals->matches += json->matches;
    totals->elapsed_ns += ns;
    put_beginning(scan, "end");
    if (scan->nulls.seen)
        put_member(scan, ",\"binary_offset\":", binary_offset(scan));
    else
        put_json(scan, ",\"binary_offset\":null");
    elapsed(time, sizeof time, ns, false);
    output_format(scan->output,
                  ",\"stats\":{\"elapsed\":%s,\"searches\":1,\"searches_with_match\":%d,"
                  "\"bytes_searched\":%" PRIu64 ",\"bytes_printed\":%" PRIu64
                  ",\"matched_lines\":%" PRIu64 ",\"matches\":%" PRIu64 "}}}\n",
                  time, json->lines > 0, searched, printed, json->lines, json->matches);
}

/* Writes what was not searched, for --stats. */
static void put_skipped(const struct command_job *job)
{
    struct job_skipped skipped[JOB_SKIPPED_COUNT];

    job_skipped(job, skipped);
    for (size_t i = 0; i < JOB_SKIPPED_COUNT; i++)
        output_format(job->output, "%s\"%s\":%" PRIu64, i == 0 ? ",\"not_searched\":{" : ",",
                      skipped[i].why, skipped[i].count);
    output_text(job->output, "}");
}

void json_summary(const struct command_job *job)
{
    const struct settings *settings = job->settings;
    const struct json_totals *totals = &job->totals.sums.json;
    char all[128], searching[128];

    elapsed(all, sizeof all, job->totals.elapsed_ns, true);
    elapsed(searching, sizeof searching, totals->elapsed_ns, true);
    output_format(job->output,
                  "{\"data\":{\"elapsed_total\":%s,\"stats\":{\"bytes_printed\":%" PRIu64
                  ",\"bytes_searched\":%" PRIu64 ",\"elapsed\":%s,\"matched_lines\":%" PRIu64
                  ",\"matches\":%" PRIu64 ",\"searches\":%" PRIu64
                  ",\"searches_with_match\":%" PRIu64 "}",
                  all, totals->bytes_printed, totals->bytes_searched, searching, totals->lines,
                  totals->matches, totals->searches, totals->with_match);
    if (settings->stats)
        put_skipped(job);
    if (settings->max_total < UINT64_MAX || settings->max_output < UINT64_MAX)
        output_text(job->output, job->truncated ? ",\"truncated\":true" : ",\"truncated\":false");
    output_text(job->output, "},\"type\":\"summary\"}\n");
}
