/* runs: tests the search for lines by runs of a class (src/regex/runs.h): random classes, up to 70
 * times in a row, in texts of characters in and beside the class and of bytes that belong to none.
 * A loop over characters says which lines match. Each text ends where its memory does. */
#include "calls.h"
#include "regex/engine_regex.h"

#define RANGES_MAX 12u
#define LINES_MAX 600u

struct drawn {
    uint32_t first[RANGES_MAX], last[RANGES_MAX], count, times;
    bool bytes; /* each byte is a character */
    char expression[4096];
};

static uint32_t draw_code(struct test_random *random)
{
    static const uint32_t near[] = {
        '0',    'A',    'f',    0x7f,   0x80,   0xe9,    0x300,   0x3a9,   0x430,   0x7ff,
        0x800,  0x966,  0xc66,  0xe01,  0x1000, 0x2003,  0x3000,  0x3042,  0x4e2d,  0x9fff,
        0xac00, 0xd7ff, 0xe000, 0xff10, 0xffff, 0x10000, 0x1d7ce, 0x20000, 0x10ffff};
    uint32_t code = near[test_random_below(random, sizeof near / sizeof *near)] +
                    (uint32_t)test_random_below(random, 9) - 4;

    if (test_random_one_in(random, 3))
        code += (uint32_t)test_random_below(random, 300);
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code == '\n' ? 'q' : code;
}

static bool has(const struct drawn *drawn, uint32_t code)
{
    for (uint32_t i = 0; i < drawn->count; i++)
        if (drawn->first[i] <= code && code <= drawn->last[i])
            return true;
    return false;
}

static void draw_expression(struct test_random *random, struct drawn *drawn)
{
    char class[1024] = "", *to = class, *end = class + sizeof class;

    drawn->bytes = test_random_one_in(random, 5);
    drawn->count =
        (uint32_t)test_random_between(random, 1, test_random_one_in(random, 3) ? RANGES_MAX : 3);
    drawn->times = (uint32_t)test_random_between(random, 1, test_random_one_in(random, 3) ? 70 : 9);
    for (uint32_t i = 0; i < drawn->count; i++) {
        uint32_t first = draw_code(random), last = first + (uint32_t)test_random_below(random, 40);

        if (test_random_one_in(random, 6))
            last += 5000;
        if (drawn->bytes) {
            first = (uint32_t)test_random_between(random, 1, 255);
            last = first + (uint32_t)test_random_below(random, 256 - first);
        }
        last = last > 0x10ffff || (last >= 0xd800 && last < 0xe000) ? first : last;
        drawn->first[i] = first;
        drawn->last[i] = last;
        to += snprintf(to, (size_t)(end - to), "\\x{%x}-\\x{%x}", first, last);
    }
    to = drawn->expression;
    end = to + sizeof drawn->expression;
    switch (test_random_below(random, 5)) {
    case 0:
        (void)snprintf(to, (size_t)(end - to), "[%s]{%u}", class, drawn->times);
        return;
    case 1:
        (void)snprintf(to, (size_t)(end - to), "x?(?:[%s]{%u,})y?", class, drawn->times);
        return;
    case 2:
        (void)snprintf(to, (size_t)(end - to), "[%s]{%u,%u}[%s]", class, (drawn->times + 1) / 2,
                       drawn->times + 1, class);
        drawn->times = (drawn->times + 1) / 2 + 1;
        return;
    case 3: /* each alternative has the run, the first one a longer one */
        (void)snprintf(to, (size_t)(end - to), "x?(?:[%s]{%u}|[%s][%s]{%u,}|y?[%s]{%u}z?)", class,
                       drawn->times + 3, class, class, drawn->times - 1, class, drawn->times);
        return;
    default:
        drawn->times = drawn->times % 3 + 1;
        for (uint32_t i = 0; i < drawn->times; i++)
            to += snprintf(to, (size_t)(end - to), "[%s]%s", class, i == 0 ? "+" : "");
    }
}

static uint32_t encode(uint32_t code, uint8_t to[4])
{
    const uint32_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};

    for (uint32_t i = 0; i <= more; i++)
        to[i] = (uint8_t)(i == 0 ? leads[more] | code >> 6 * more
                                 : 0x80 | (code >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Returns how many bytes the character at `bytes` has; 1 for a byte that begins none, whose *code
 * is then above all. */
static uint32_t decode(const uint8_t *bytes, uint64_t left, uint32_t *code)
{
    const uint32_t more = bytes[0] >= 0xf0 ? 3 : bytes[0] >= 0xe0 ? 2 : bytes[0] >= 0xc0;
    uint8_t again[4];

    *code = bytes[0] & (more == 0 ? 0x7fu : 0x3fu >> more);
    for (uint32_t i = 1; i <= more && i < left; i++)
        *code = *code << 6 | (bytes[i] & 0x3f);
    if (more < left && *code < 0x110000 && (*code < 0xd800 || *code > 0xdfff) &&
        encode(*code, again) == more + 1 && memcmp(bytes, again, more + 1) == 0)
        return more + 1;
    *code = UINT32_MAX;
    return 1;
}

static uint64_t draw_text(struct test_random *random, const struct drawn *drawn, uint8_t *text,
                          uint64_t max)
{
    static const uint8_t odd[] = {0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xf0, 0xff};
    const uint64_t line = test_random_between(random, 2, 300),
                   rare = 1 + test_random_below(random, 40);
    uint64_t count = 0;

    while (count + 4 < max) {
        const uint32_t range = (uint32_t)test_random_below(random, drawn->count);
        const uint32_t size = drawn->last[range] - drawn->first[range] + 1;
        uint32_t code = drawn->first[range] + (uint32_t)test_random_below(random, size);

        if (test_random_one_in(random, line))
            code = '\n';
        else if (!test_random_one_in(random, rare))
            code = test_random_one_in(random, 2) ? draw_code(random) : 'a';
        if (code == 0 || (code >= 0xd800 && code < 0xe000))
            code = ' ';
        for (uint64_t k = test_random_one_in(random, 9) ? test_random_below(random, 80) : 1;
             k > 0 && count + 4 < max; k--)
            if (drawn->bytes)
                text[count++] = (uint8_t)code;
            else
                count += encode(code, text + count);
        if (test_random_one_in(random, 90))
            text[count++] = odd[test_random_below(random, sizeof odd)];
    }
    return count;
}

static uint64_t count_lines(const struct drawn *drawn, const uint8_t *text, uint64_t count)
{
    uint64_t lines = 0, run = 0;
    bool found = false;

    for (uint64_t at = 0; at < count;) {
        uint32_t code = text[at];

        at += drawn->bytes ? 1 : decode(text + at, count - at, &code);
        run = code != '\n' && has(drawn, code) ? run + 1 : 0;
        found |= run == drawn->times;
        if (code == '\n' || at == count) {
            lines += found;
            found = false;
        }
    }
    return lines;
}

int main(void)
{
    struct test_random random = test_random_begin("runs");
    static uint8_t room[20000];
    static struct drawn drawn;
    uint64_t cases = test_amount(400, 20000), selected = 0;

    for (uint64_t i = 0; i < cases; i++) {
        const uint64_t max =
            5 + test_random_below(&random, test_random_one_in(&random, 4) ? sizeof room - 5 : 700);
        uint64_t count, lines;
        uint8_t *text;

        draw_expression(&random, &drawn);
        count = draw_text(&random, &drawn, room, max);
        lines = count_lines(&drawn, room, count);
        selected += lines > 0;
        text = malloc(count + 1);
        memcpy(text, room, count);
        regex_step_bytes =
            test_random_one_in(&random, 2) ? 64 << 10 : test_random_between(&random, 1, 9000);
        for (uint32_t set = 0; trawl_instruction_set(set) != NULL; set++) {
            AUTO_SEARCHER searcher = must_searcher_with(
                SEARCHER_WITH(.threads = 1, .instruction_set = trawl_instruction_set(set),
                              .chunk_bytes = test_random_one_in(&random, 2)
                                                 ? 0
                                                 : test_random_between(&random, 1, 9000)));

            for (uint32_t pause = 0; pause < 2; pause++) {
                AUTO_PLAN plan = must_plans(
                    &(struct trawl_pattern){drawn.expression, strlen(drawn.expression)}, 1,
                    PLAN_WITH(.syntax = TRAWL_PERL,
                              .alphabet = drawn.bytes ? TRAWL_BYTES : TRAWL_CHARACTERS));
                AUTO_TEXT opened = must_text(text, count);
                uint64_t got = 99;

                regex_runs_pause = pause == 0 ? 0 : UINT32_MAX;
                MUST(ask_count_lines(searcher, plan, opened, false, UINT64_MAX, &got, NULL));
                if (!TEST_CHECK_U64(got, lines))
                    printf("  case %u, %s, runs %s: %s\n", (unsigned)i, trawl_instruction_set(set),
                           pause == 0 ? "always" : "never", drawn.expression);
            }
        }
        free(text);
    }
    printf("  %u of %u texts have a match\n", (unsigned)selected, (unsigned)cases);
    return test_end();
}
