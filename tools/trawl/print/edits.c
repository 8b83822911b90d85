/* edits: prints a unified diff, whose changes are known. */
#include "trawl/print/edits.h"

#include <inttypes.h>
#include <string.h>

#define CONTEXT_LINES 3u

/* A text, and how many of its lines were passed. */
struct side {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t at, line; /* `line` lines end before `at` */
};

/* Returns the offset after `lines` lines that begin at `at`. */
static uint64_t after_lines(const struct side *side, uint64_t at, uint64_t lines)
{
    for (; lines > 0 && at < side->count; lines--) {
        const uint8_t *end = memchr(side->bytes + at, '\n', (size_t)(side->count - at));

        at = end != NULL ? (uint64_t)(end - side->bytes) + 1 : side->count;
    }
    return at;
}

/* Returns where the line begins that is `lines` lines before the one at `at`. */
static uint64_t lines_back(const struct side *side, uint64_t at, uint64_t lines)
{
    for (; lines > 0 && at > 0; lines--) {
        const uint8_t *end = at < 2 ? NULL : memrchr(side->bytes, '\n', (size_t)(at - 1));

        at = end != NULL ? (uint64_t)(end - side->bytes) + 1 : 0;
    }
    return at;
}

static uint64_t lines_in(const struct side *side, uint64_t at, uint64_t end)
{
    uint64_t lines = 0;

    for (; at < end; lines++)
        at = after_lines(side, at, 1);
    return lines;
}

/* Prints whole lines after a sign. */
static void put(struct output *output, const struct side *side, uint64_t at, uint64_t end,
                char sign)
{
    while (at < end) {
        const uint64_t next = after_lines(side, at, 1);

        output_byte(output, (uint8_t)sign);
        output_bytes(output, side->bytes + at, (size_t)(next - at));
        if (side->bytes[next - 1] != '\n')
            output_text(output, "\n\\ No newline at end of file\n");
        at = next;
    }
}

/* Drops edits without effect, and lets each other edit end at the end of a line in both texts. */
static void complete(struct edits *edits, const struct side *old, const struct side *made)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < edits->count; i++) {
        struct edit edit = edits->items[i];

        while (edit.made_end < made->count && edit.made_end > 0 &&
               made->bytes[edit.made_end - 1] != '\n') {
            uint64_t end = after_lines(old, edit.end, 1);

            if (i + 1 < edits->count && edits->items[i + 1].begin < end) {
                edit.made_end = edits->items[++i].made_end;
                edit.end = edits->items[i].end;
            } else {
                edit.made_end += end - edit.end;
                edit.end = end;
            }
        }
        if (edit.end - edit.begin != edit.made_end - edit.made ||
            memcmp(old->bytes + edit.begin, made->bytes + edit.made,
                   (size_t)(edit.end - edit.begin)) != 0)
            edits->items[kept++] = edit;
    }
    edits->count = kept;
}

static void put_range(struct output *output, struct side *side, uint64_t begin, uint64_t end)
{
    const uint64_t lines = lines_in(side, begin, end);

    side->line += lines_in(side, side->at, begin);
    side->at = begin;
    output_format(output, "%" PRIu64 ",%" PRIu64, side->line + (lines > 0), lines);
}

/* Prints a head with a name: in quotes and with C's escapes if it has blanks, control characters,
 * '"' or '\', as GNU diff does, whose tab before a date ends the name. */
static void put_name(struct output *output, const char *head, const char *name)
{
    static const char special[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
    bool quotes = strpbrk(name, special) != NULL;

    for (const char *at = name; *at != '\0'; at++)
        quotes |= (unsigned char)*at <= ' ' || *at == 0x7f;
    output_format(output, quotes ? "%s \"" : "%s ", head);
    for (const char *at = name; *at != '\0'; at++) {
        const char *found = strchr(special, *at);

        if (found != NULL)
            output_format(output, "\\%c", letters[found - special]);
        else if ((unsigned char)*at < ' ' || *at == 0x7f)
            output_format(output, "\\%03o", (unsigned)*at);
        else
            output_byte(output, (uint8_t)*at);
    }
    output_text(output, quotes ? "\"\t\n" : "\n");
}

void edits_print(struct output *output, const char *name, struct edits *edits, const uint8_t *old,
                 uint64_t old_bytes, const uint8_t *made, uint64_t made_bytes)
{
    struct side before = {old, old_bytes, 0, 0}, after = {made, made_bytes, 0, 0};
    uint64_t next;

    complete(edits, &before, &after);
    for (uint64_t i = 0; i < edits->count; i = next) {
        const struct edit *first = &edits->items[i], *last;
        const uint64_t begin = lines_back(&before, first->begin, CONTEXT_LINES);
        uint64_t at = begin, end;

        for (next = i + 1; next < edits->count &&
                           edits->items[next].begin <=
                               after_lines(&before, edits->items[next - 1].end, 2 * CONTEXT_LINES);)
            next++;
        last = &edits->items[next - 1];
        end = after_lines(&before, last->end, CONTEXT_LINES);
        if (i == 0)
            put_name(output, "---", name);
        if (i == 0)
            put_name(output, "+++", name);
        output_text(output, "@@ -");
        put_range(output, &before, begin, end);
        output_text(output, " +");
        put_range(output, &after, first->made - (first->begin - begin),
                  last->made_end + (end - last->end));
        output_text(output, " @@\n");
        for (const struct edit *edit = first; edit <= last; edit++) {
            put(output, &before, at, edit->begin, ' ');
            put(output, &before, edit->begin, edit->end, '-');
            put(output, &after, edit->made, edit->made_end, '+');
            at = edit->end;
        }
        put(output, &before, at, end, ' ');
    }
}
