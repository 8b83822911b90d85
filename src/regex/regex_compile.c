/* regex_compile: compiles a plan's expressions: each by itself, and all together as a single
 * program. Also builds the plan of the atoms, the strings by which the expressions are searched. */
#include "regex/regex_compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/anchors.h"
#include "regex/class_text.h"
#include "regex/program_memory.h"
#include "regex/regex_load.h"
#include "regex/translate.h"
#include "regex/words.h"

/* a text is wide if more than 1/64 of its bytes begin a character of three bytes */
#define WIDE_SHARE 64u
#define WHOLE_MAX 256u /* up to this many expressions get a common program */
/* A program for whole words may take this much memory, even if the plan allows less. */
#define WORDS_BYTES (UINT64_C(512) << 10)

/* The state of compiling a plan's expressions. */
struct maker {
    struct expressions *made;
    /* the expressions as alternatives of one expression, for the common program */
    char *joined;
    uint64_t joined_count;
    uint64_t joined_capacity;
    bool needs_line;
    struct anchor_maker anchors;
};

/* Frees an array with a program for each expression. The array may be NULL. */
static void free_programs(struct expressions *made, struct regex **programs)
{
    for (uint32_t i = 0; i < made->count && programs != NULL; i++)
        if (programs[i] != NULL)
            made->ops->release(programs[i]);
    memory_release(programs, made->count, sizeof(struct regex *));
}

static void expressions_free(void *object)
{
    struct expressions *made = (struct expressions *)object;

    if (made == NULL)
        return;
    free_programs(made, made->each);
    free_programs(made, made->marked);
    for (uint32_t i = 0; i < made->count && made->beyond != NULL; i++)
        if (made->beyond[i] != NULL)
            pcre2_release(made->beyond[i]);
    memory_release(made->beyond, made->count, sizeof(struct pcre2 *));
    memory_release((void *)made->may_be_empty, made->count, 1);
    if (made->whole != NULL)
        made->ops->release(made->whole);
    anchors_free(made);
    trawl_plan_free(made->atoms);
    memory_release(made, 1, sizeof *made);
}

/* Returns the options with which RE2 compiles the plan's expressions. */
static struct regex_options options_of(const struct trawl_plan *plan)
{
    static _Atomic uint64_t plans;
    const struct plan_expressions *given = &plan->expressions;
    struct regex_options options = {.plan = ++plans,
                                    .longest = given->syntax != TRAWL_PERL,
                                    .is_copied = given->memory_mib == 0,
                                    .fold = (plan->flags & TRAWL_IGNORE_CASE) != 0,
                                    .bytes = !given->characters,
                                    .dot_all = (plan->flags & TRAWL_DOT_ALL) != 0,
                                    .multi = (plan->flags & TRAWL_MULTILINE) != 0,
                                    .line_end = plan->line_end,
                                    .ripgrep = (plan->flags & (TRAWL_UNICODE | TRAWL_RIPGREP)) != 0,
                                    .pcre = (plan->flags & TRAWL_PCRE) != 0,
                                    .unicode = (plan->flags & TRAWL_UNICODE) != 0};

    /* A line that ends in NUL may hold newlines: '.' of the syntaxes of POSIX matches a newline,
     * and ^ and $ of ripgrep's syntax match beside it. */
    if (plan->line_end != '\n' && !options.multi) {
        options.dot_all |= options.longest;
        options.multi = options.ripgrep && !options.longest &&
                        (plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE | TRAWL_CRLF)) == 0;
    }
    if (plan->utf8_is_set && (given->characters || (plan->flags & TRAWL_SINGLE_BYTE) != 0))
        options.letters = plan->utf8;
    else if (given->characters)
        options.letters.variants = trawl_unicode()->variants;
    if (given->syntax == TRAWL_PERL && (plan->flags & TRAWL_SINGLE_BYTE) == 0)
        options.letters.class_ranges = NULL;
    return options;
}

static enum trawl_status no_memory(struct trawl_error *error)
{
    return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
}

/* Reports why RE2 made no program of a translated expression: a mistake, a limit, or no memory. */
static enum trawl_status refuse(const struct expressions *made, const struct translated *translated,
                                enum regex_status regex_status, const struct regex_fault *fault,
                                struct trawl_error *error)
{
    enum trawl_status status;

    if (regex_status == REGEX_MEMORY)
        return no_memory(error);
    if (regex_status == REGEX_LARGE && made->bytes_left < made->program_bytes_max)
        return TRAWL_FAIL(error, LIMIT,
                          "the programs of the expressions up to this one need more than %u MiB, "
                          "the limit for all: search for fewer expressions at a time",
                          made->plan->expressions.memory_mib);
    if (regex_status == REGEX_LARGE)
        return TRAWL_FAIL(error, LIMIT,
                          "the expression's program needs more than %" PRIu64 " KiB, the limit: "
                          "make repetitions and classes such as \\pL{300} smaller",
                          made->program_bytes_max >> 10);
    status = TRAWL_FAIL(error, ARGUMENT, "%s", fault->message);
    if (error != NULL)
        error->text_offset = translated->from[min_u64(fault->at, translated->count)];
    return status;
}

/* Appends the expression as a further alternative to the common program's expression. */
static enum trawl_status join(struct maker *maker, const struct translated *translated,
                              struct trawl_error *error)
{
    uint64_t more = translated->count + 5, capacity = maker->joined_capacity;
    void *memory = maker->joined;

    if (maker->joined_count + more > capacity) {
        capacity = max_u64(2 * capacity, maker->joined_count + more);
        TRAWL_TRY(memory_grow(maker->joined_capacity, capacity, 1, &memory, error));
        maker->joined = (char *)memory;
        maker->joined_capacity = capacity;
    }
    if (maker->joined_count > 0)
        maker->joined[maker->joined_count++] = '|';
    memcpy(maker->joined + maker->joined_count, "(?:", 3);
    memcpy(maker->joined + maker->joined_count + 3, translated->bytes, (size_t)translated->count);
    maker->joined_count += translated->count + 3;
    maker->joined[maker->joined_count++] = ')';
    return TRAWL_OK;
}

/* Compiles expression number `index` a second time, for copies of lines with marks (words.h).
 * Serves expressions that ask for edges of words, about which the ordinary program may be wrong. */
static enum trawl_status compile_marked(struct maker *maker, uint32_t index,
                                        const struct translated *translated,
                                        struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const bool words =
        (made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) == TRAWL_WHOLE_WORD;
    const bool is_wide = translated->edges != 0 && made->options.letters.is_word != NULL &&
                         (words || made->options.longest || made->options.unicode ||
                          (made->plan->flags & TRAWL_SINGLE_BYTE) != 0);
    const bool lines = made->options.multi && !words && translated->edges <= TRANSLATED_EDGES;
    const uint8_t mark = lines ? ' ' : '\n';
    struct regex_options options = made->options;
    struct regex_fault fault = {0, ""};
    enum regex_status status;

    if (!words && !is_wide && translated->edges <= TRANSLATED_EDGES)
        return TRAWL_OK;
    if (translated->has_byte && !options.bytes)
        return TRAWL_FAIL(error, ARGUMENT, "\\C: a part of a character has no word borders");
    if (made->options.multi &&
        ((translated->has_lines && !lines) || (made->mark != 0 && made->mark != mark)))
        return TRAWL_FAIL(error, ARGUMENT,
                          "^ and $ across lines know no edges of words but \\b and \\B, and no -w");
    made->mark = mark;
    if (made->marked == NULL)
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the items are pointers */
        TRAWL_TRY(MEMORY_ZEROED(made->marked, made->count, error));
    if (made->may_be_empty == NULL)
        TRAWL_TRY(MEMORY_ZEROED(made->may_be_empty, made->count, error));
    words_prepare(made);
    made->has_wide_words |= is_wide;
    made->needs_marks |= words || translated->edges > TRANSLATED_EDGES;
    made->is_strict |= (words || (translated->edges & TRANSLATED_HALVES) != 0) &&
                       (made->plan->flags & TRAWL_STRICT_WORD) != 0;
    options.when = REGEX_LATER;
    options.marks = words ? REGEX_MARKED_WORD : lines ? REGEX_MARKED_LINES : REGEX_MARKED;
    options.multi = lines;
    status = program_compile(made, translated->bytes, translated->count, &options, 1,
                             &made->marked[index], &fault);
    options.memory_bytes = WORDS_BYTES;
    if (status == REGEX_LARGE && words)
        status = made->ops->compile(translated->bytes, translated->count, &options,
                                    &made->marked[index], &fault);
    return status == REGEX_OK ? TRAWL_OK : refuse(made, translated, status, &fault, error);
}

/* Compiles an expression for RE2: expression number `index`, or the filter that stands for it. Adds
 * the strings by which the expression is searched to maker->anchors. Adds the expression to the
 * common program if the plan has at most WHOLE_MAX expressions. */
static enum trawl_status compile_linear(struct maker *maker, uint32_t index, const char *bytes,
                                        uint64_t count, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_plan *plan = made->plan;
    const bool is_filter = made->beyond != NULL && made->beyond[index] != NULL;
    const bool crlf = made->options.multi && (plan->flags & TRAWL_CRLF) != 0;
    struct regex_options options = made->options;
    struct regex_fault fault = {0, ""};
    struct translated translated;
    enum regex_status regex_status;
    enum trawl_status status;

    TRAWL_TRY(translate(is_filter ? TRAWL_PERL : plan->expressions.syntax, plan->flags,
                        options.bytes, bytes, count, &translated, error));
    made->bytes_left +=
        /* program_memory_divide has set this much memory aside for the expression */
        made->program_bytes;
    options.when = REGEX_PARSED;
    if (made->each[index] != NULL) /* compile_beyond may compile a second filter, after a refusal */
        made->ops->release(made->each[index]);
    made->each[index] = NULL;
    regex_status = program_compile(made, translated.bytes, translated.count, &options, 1,
                                   &made->each[index], &fault);
    status = regex_status != REGEX_OK ? refuse(made, &translated, regex_status, &fault, error)
             : is_filter              ? TRAWL_OK
             : crlf && translated.has_lines
                 ? TRAWL_FAIL(error, ARGUMENT, "--crlf: ^ and $ across lines know newlines alone")
                 : compile_marked(maker, index, &translated, error);
    if (regex_status != REGEX_OK)
        made->bytes_left -= made->program_bytes;
    made->crosses |= regex_status == REGEX_OK && made->ops->crosses(made->each[index]) != 0;
    if (status == TRAWL_OK && made->count <= WHOLE_MAX)
        status = join(maker, &translated, error);
    maker->needs_line |= translated.needs_line;
    if (status == TRAWL_OK)
        status = anchors_add(&maker->anchors, index, translated.bytes, translated.count, error);
    translated_release(&translated);
    return status;
}

/* Compiles expression number `index`, in PCRE2's syntax, by PCRE2, and the filter by RE2. */
static enum trawl_status compile_beyond(struct maker *maker, uint32_t index,
                                        struct trawl_pattern pattern,
                                        const struct pcre2_filter *filter,
                                        struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_plan *plan = made->plan;
    enum trawl_status status = TRAWL_ARGUMENT;
    /* for the syntaxes of POSIX, write_perl has written the edges of words already */
    const uint32_t words = plan->expressions.syntax == TRAWL_PERL ? 0 : TRAWL_WHOLE_WORD;
    const bool had_strings = !maker->anchors.fails;

    if (made->beyond == NULL)
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the items are pointers */
        TRAWL_TRY(MEMORY_ZEROED(made->beyond, made->count, error));
    made->needs_marks = made->crosses = true;
    TRAWL_TRY(pcre2_prepare((const char *)pattern.bytes, pattern.bytes_count, &made->options,
                            plan->flags & ~words, &made->beyond[index], error));
    if (filter->count > 0)
        status = compile_linear(maker, index, filter->bytes, filter->count, NULL);
    /* there is no filter, or RE2 cannot compile the filter, so PCRE2 is asked about each line */
    if (status == TRAWL_ARGUMENT || status == TRAWL_LIMIT) {
        maker->needs_line = true;
        status = compile_linear(maker, index, "(?:)", 4, error);
    }
    /* without a string, the filter rules out only short lines, and PCRE2 is as fast */
    maker->needs_line |= had_strings && maker->anchors.fails;
    maker->anchors.all_sure = false;
    return status;
}

/* Where an expression is written in PCRE2's syntax. bytes NULL: only the length is wanted. */
struct perl {
    const struct expressions *made;
    char *bytes;
    uint64_t count;
};

static void put(struct perl *perl, const char *bytes, uint64_t count)
{
    if (perl->bytes != NULL)
        memcpy(perl->bytes + perl->count, bytes, (size_t)count);
    perl->count += count;
}

/* Writes a class, \w, \W, \s or \S as the ranges of its characters, because PCRE2's own classes
 * hold different characters. */
static void put_class(struct perl *perl, const char *part, uint64_t count)
{
    enum { RANGES_MAX = 4096 };
    struct regex_range ranges[RANGES_MAX];
    const uint32_t range_count =
        perl->made->ops->list(part, count, &perl->made->options, 0, UINT32_MAX, ranges, RANGES_MAX);
    char text[40];

    if (range_count == 0 || range_count == UINT32_MAX) {
        put(perl, part, count); /* perhaps a mistake; PCRE2 will report it */
        return;
    }
    put(perl, "(?-i:[", 6);
    for (uint32_t i = 0; i < range_count; i++)
        put(perl, text,
            (uint64_t)snprintf(text, sizeof text, "\\x{%x}-\\x{%x}", ranges[i].first,
                               ranges[i].last));
    put(perl, "])", 2);
}

/* Writes the text, in which '@' stands for a word character. */
static void put_words(struct perl *perl, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '@')
            put_class(perl, "\\w", 2);
        else
            put(perl, text, 1);
}

/* Writes the edge of a word: \b, \B, \m (begin) or \M (end). */
static void put_edge(struct perl *perl, char letter)
{
    put_words(perl, letter == 'b'   ? "(?:(?<=@)(?!@)|(?<!@)(?=@))"
                    : letter == 'B' ? "(?:(?<=@)(?=@)|(?<!@)(?!@))"
                    : letter == 'm' ? "(?<!@)(?=@)"
                                    : "(?<=@)(?!@)");
}

/* Writes the expression `posix` in PCRE2's syntax, until about `most` bytes are written. Returns
 * for how many bytes of `posix` the first `most` written bytes stand. */
static uint64_t write_perl(const struct translated *posix, uint64_t most, struct perl *perl)
{
    const bool asks = perl->made->options.letters.class_ranges != NULL;
    const uint32_t flags = perl->made->plan->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    uint64_t at = 0, length = 1;

    perl->count = 0;
    put_words(perl, flags == TRAWL_WHOLE_WORD ? "(?<!@)(?:" : "");
    for (; at < posix->count && perl->count < most; at += length) {
        const char *part = posix->bytes + at;
        bool is_set;

        length = part[0] == '\\' && at + 1 < posix->count ? 2 : 1;
        if (part[0] == '[')
            length = max_u64(1, class_length(part, posix->count - at, false, &is_set));
        if (part[0] == '[' || (length == 2 && strchr("wWsS", part[1]) != NULL))
            put_class(perl, part, length);
        else if (length == 2 && strchr(asks ? "bBmM" : "mM", part[1]) != NULL)
            put_edge(perl, part[1]);
        else
            put(perl, part, length);
    }
    if (perl->count > most)
        at -= min_u64(perl->count - most, min_u64(at, length));
    put_words(perl, flags == TRAWL_WHOLE_WORD ? ")(?!@)" : "");
    return at;
}

/* Compiles expression number `index`, in a syntax of POSIX: by PCRE2 if it has backreferences. */
static enum trawl_status compile_posix(struct maker *maker, uint32_t index,
                                       struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_pattern pattern = trawl_plan_pattern(made->plan, index);
    const char *bytes = (const char *)pattern.bytes;
    struct pcre2_filter filter = {.bytes = NULL};
    struct perl perl = {.made = made};
    struct translated posix;
    enum trawl_status status;
    uint64_t room = 0;

    TRAWL_TRY(translate(made->plan->expressions.syntax, made->plan->flags, made->options.bytes,
                        bytes, pattern.bytes_count, &posix, error));
    if (!posix.refers) {
        translated_release(&posix);
        return compile_linear(maker, index, bytes, pattern.bytes_count, error);
    }
    made->lines_alone |= posix.chooses;
    (void)write_perl(&posix, UINT64_MAX, &perl);
    room = perl.count;
    TRAWL_TRY_DONE(MEMORY_NEW(perl.bytes, room, error));
    (void)write_perl(&posix, UINT64_MAX, &perl);
    TRAWL_TRY_DONE(
        pcre2_filter(perl.bytes, room, made->options.fold, !made->options.bytes, &filter, error));
    status = compile_beyond(maker, index, (struct trawl_pattern){perl.bytes, room}, &filter, error);
    if (status == TRAWL_ARGUMENT && error != NULL)
        error->text_offset = posix.from[write_perl(&posix, error->text_offset, &perl)];
done:
    pcre2_filter_release(&filter);
    memory_release(perl.bytes, room, 1);
    translated_release(&posix);
    return status;
}

/* Compiles expression number `index`. If the caller allows PCRE2, PCRE2 gets expressions in Perl's
 * syntax that RE2 refuses as mistakes or that have possessive repetitions; for the other syntaxes
 * see compile_posix. */
static enum trawl_status compile_one(struct maker *maker, uint32_t index, struct trawl_error *error)
{
    const struct trawl_plan *plan = maker->made->plan;
    const struct trawl_pattern pattern = trawl_plan_pattern(plan, index);
    const char *bytes = (const char *)pattern.bytes;
    struct pcre2_filter filter;
    struct trawl_error linear; /* what RE2 says: the call may still succeed, without an error */
    enum trawl_status status = TRAWL_ARGUMENT;

    if ((plan->flags & TRAWL_PCRE) == 0)
        return compile_linear(maker, index, bytes, pattern.bytes_count, error);
    if (plan->expressions.syntax != TRAWL_PERL)
        return compile_posix(maker, index, error);
    TRAWL_TRY(pcre2_filter(bytes, pattern.bytes_count, maker->made->options.fold,
                           !maker->made->options.bytes, &filter, error));
    /* in ripgrep's syntax a++ is (a+)+, in PCRE2's a possessive repetition */
    if (!filter.possessive)
        status = compile_linear(maker, index, bytes, pattern.bytes_count, &linear);
    if (status == TRAWL_ARGUMENT) {
        status = compile_beyond(maker, index, pattern, &filter, error);
        /* Both found a mistake: report RE2's description, but PCRE2's if RE2 lacks the syntax. */
        if (status == TRAWL_ARGUMENT && error != NULL && !filter.possessive &&
            strstr(linear.message, "RE2 has none") == NULL)
            *error = linear;
    } else if (status != TRAWL_OK && error != NULL) {
        *error = linear;
    }
    pcre2_filter_release(&filter);
    return status;
}

/* Compiles the common program of all expressions, which reads texts of many lines. */
static enum trawl_status compile_whole(struct maker *maker, struct trawl_error *error)
{
    struct expressions *made = maker->made;
    const struct trawl_plan *plan = made->plan;
    const bool lines = (plan->flags & TRAWL_WHOLE_LINE) != 0;
    struct regex_options options = made->options;
    const char *before = lines ? "(?m)^(?:" : "(?m)(?:", *after = lines ? ")$" : ")";
    uint64_t begin = strlen(before), count = begin + maker->joined_count + strlen(after);
    struct regex_fault fault;
    enum regex_status status;
    void *memory;

    if (maker->needs_line || made->count > WHOLE_MAX || plan->line_end != '\n' ||
        (plan->flags & TRAWL_MULTILINE) != 0)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate(count, 1, &memory, error));
    memcpy(memory, before, (size_t)begin);
    if (maker->joined_count > 0)
        memcpy((char *)memory + begin, maker->joined, (size_t)maker->joined_count);
    memcpy((char *)memory + begin + maker->joined_count, after, strlen(after));
    options.lines = true;
    options.is_list = made->count > 1;
    options.when = REGEX_LATER;
    status = program_compile(made, (const char *)memory, count, &options, 2, &made->whole, &fault);
    memory_release(memory, count, 1);
    if (status == REGEX_MEMORY)
        return no_memory(error);
    made->whole_is_exact = status == REGEX_OK && !made->needs_marks;
    return TRAWL_OK;
}

/* What a plan is compiled from. */
struct source {
    const struct trawl_plan *plan;
    const uint8_t *sample; /* a part of the text; NULL: the text is unknown */
    uint64_t sample_bytes;
};

/* Compiles each expression, then the common program, then the plan of the atoms. An error says
 * which expression is at fault. */
static enum trawl_status make_all(struct maker *maker, const struct source *source,
                                  struct trawl_error *error)
{
    struct expressions *made = maker->made;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(made->count, sizeof(struct regex *), &memory, error));
    made->each = (struct regex **)memory;
    anchors_begin(&maker->anchors, made, source->sample, source->sample_bytes);
    for (uint32_t i = 0; i < made->count; i++) {
        enum trawl_status status = TRAWL_OK;

        if (made->plan->expressions.poll != NULL &&
            made->plan->expressions.poll(made->plan->expressions.poll_context) != 0)
            return TRAWL_STOPPED;
        status = compile_one(maker, i, error);
        if (status != TRAWL_OK && error != NULL)
            error->pattern_index = i;
        TRAWL_TRY(status);
    }
    TRAWL_TRY(compile_whole(maker, error));
    return anchors_end(&maker->anchors, error);
}

/* Makes the compiled form of a plan. attachment_want calls this function until a call succeeds. */
static enum trawl_status expressions_make(const void *from, void **object,
                                          struct trawl_error *error)
{
    const struct source *source = (const struct source *)from;
    struct maker maker = {.made = NULL};
    uint64_t wide = 0;
    enum trawl_status status;
    const struct regex_ops *ops;
    void *memory;

    TRAWL_TRY(regex_load(&ops, error));
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *maker.made, &memory, error));
    maker.made = (struct expressions *)memory;
    maker.made->ops = ops;
    maker.made->plan = source->plan;
    maker.made->options = options_of(source->plan);
    maker.made->count = (uint32_t)source->plan->pattern_count;
    for (uint64_t i = 0; i < source->sample_bytes && !maker.made->options.bytes; i++)
        wide += (source->sample[i] & 0xf0) == 0xe0;
    maker.made->is_wide_text = wide > source->sample_bytes / WIDE_SHARE;
    program_memory_divide(maker.made);
    status = make_all(&maker, source, error);
    memory_release(maker.joined, maker.joined_capacity, 1);
    anchors_release(&maker.anchors);
    if (status != TRAWL_OK)
        expressions_free(maker.made);
    else
        *object = maker.made;
    return status;
}

/* Gets the plan's compiled form that is attached to the plan at `place`. If none is there, makes
 * the form. */
static enum trawl_status want(enum plan_attachment place, struct source source,
                              const struct expressions **expressions, struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(attachment_want(&source.plan->attached[place], &source, expressions_make,
                              expressions_free, &object, error));
    *expressions = (const struct expressions *)object;
    return TRAWL_OK;
}

enum trawl_status expressions_want(const struct trawl_plan *plan,
                                   const struct expressions **expressions,
                                   struct trawl_error *error)
{
    return want(PLAN_EXPRESSIONS, (struct source){plan, NULL, 0}, expressions, error);
}

enum trawl_status expressions_resplit(const struct trawl_plan *plan, const uint8_t *sample,
                                      uint64_t sample_bytes, const struct expressions **expressions,
                                      struct trawl_error *error)
{
    return want(PLAN_RESPLIT, (struct source){plan, sample, sample_bytes}, expressions, error);
}
