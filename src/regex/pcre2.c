/* pcre2: compiles expressions by the library PCRE2, and asks the library whether expressions match
 * in a line. The library is loaded at run time. */
#include "regex/pcre2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/forks.h"
#include "base/memory.h"
#include "plan/plan.h"

#define LIBRARY "libpcre2-8.so.0"
/* Constants of pcre2.h, which are the same in all versions of the library. */
#define CASELESS 0x8u
#define DOLLAR_ENDONLY 0x10u
#define DOTALL 0x20u
#define MULTILINE 0x400u
#define NO_DOTSTAR_ANCHOR 0x8000u /* after a byte of no character, .* may match again */
#define UCP 0x20000u
#define UTF 0x80000u
#define USE_OFFSET_LIMIT 0x00800000u
#define NEVER_BACKSLASH_C 0x100000u
#define MATCH_INVALID_UTF 0x04000000u
#define NOTBOL 0x1u
#define NOTEOL 0x2u
#define NO_JIT 0x2000u
#define NO_UTF_CHECK 0x40000000u
#define JIT_COMPLETE 1u
#define NEWLINE_LF 2u
#define NEWLINE_ANYCRLF 5u
#define INFO_CAPTURECOUNT 4u
#define INFO_MATCHEMPTY 13u
#define ERROR_COMPILE_MEMORY 121
#define ERROR_NOMATCH (-1)
#define ERROR_BADUTFOFFSET (-36)
#define ERROR_JIT_STACKLIMIT (-46)
#define ERROR_NOMEMORY (-48)

/* Limits for the work on a line. PCRE2 counts its steps anew for each position where a match may
 * begin. A line of n bytes allows STEPS / n steps for each position, at least STEPS_LEAST and at
 * most STEPS_MOST. So a line of some KiB takes less than two seconds. STEPS_LEAST_WHOLE is the
 * least for a search that cannot stop between positions. */
#define STEPS UINT64_C(100000000)
#define STEPS_LEAST UINT64_C(50000)
#define STEPS_LEAST_WHOLE UINT64_C(2000)
#define STEPS_MOST UINT64_C(10000000)
#define HEAP_KIB 65536u
/* PCRE2's machine code does not count the steps by which a repetition gives back characters: up to
 * n for each repetition in a line of n bytes. If that could be more than JIT_STEPS in all, PCRE2
 * interprets the expression instead. */
#define JIT_STEPS 1e9
#define SCRATCHES 32u /* number of threads that keep memory for matches between calls */

/* The functions of the library. A `void *` stands for a pointer to a struct of PCRE2. */
#define FUNCTION_LIST(X)                                                                     \
    X(void *, compile, (const char *, size_t, uint32_t, int *, size_t *, void *))            \
    X(void, code_free, (void *))                                                             \
    X(int, jit_compile, (void *, uint32_t))                                                  \
    X(int, match, (const void *, const uint8_t *, size_t, size_t, uint32_t, void *, void *)) \
    X(void *, match_data_create_from_pattern, (const void *, void *))                        \
    X(void, match_data_free, (void *))                                                       \
    X(size_t *, get_ovector_pointer, (void *))                                               \
    X(int, get_error_message, (int, char *, size_t))                                         \
    X(void *, match_context_create, (void *))                                                \
    X(void, match_context_free, (void *))                                                    \
    X(int, set_offset_limit, (void *, size_t))                                               \
    X(int, set_match_limit, (void *, uint32_t))                                              \
    X(int, set_heap_limit, (void *, uint32_t))                                               \
    X(void *, compile_context_create, (void *))                                              \
    X(void, compile_context_free, (void *))                                                  \
    X(int, set_newline, (void *, uint32_t))                                                  \
    X(int, pattern_info, (const void *, uint32_t, void *))                                   \
    X(int, substring_number_from_name, (const void *, const char *))

struct functions {
#define MEMBER(result, name, arguments) result(*name) arguments;
    FUNCTION_LIST(MEMBER)
#undef MEMBER
};

/* The memory for a call of `match`. A single thread uses this memory at a time. */
struct scratch {
    void *data;
    void *context;
};

/* PCRE2 as in Debian 12 has a fault: for texts that may be invalid UTF-8, its machine code finds no
 * character beyond ASCII for \W, \D and \S. PCRE2 would also check the line again for each match.
 * So PCRE2 gets the parts of a line that are valid UTF-8 one by one, and is told that they are
 * valid.
 */
struct pcre2 {
    void *code;
    /* The program for lines that are invalid UTF-8, which is interpreted. NULL: the parts of such a
     * line are searched, because the expression does not ask where a line begins or ends. */
    void *broken;
    bool is_utf8; /* false: each byte is a character */
    uint32_t groups;
    uint32_t matches_empty;
    uint32_t repetitions;
    bool may_stop;
    bool moves;      /* \K may move the begin of a match */
    bool has_border; /* \B, a place that is no edge of a word */
    _Atomic(struct scratch *) scratches[SCRATCHES];
};

static struct functions functions;

static bool load_functions(void *library)
{
    bool good = true;

#define LOAD(result, name, arguments)                                        \
    *(void **)(void *)&functions.name = dlsym(library, "pcre2_" #name "_8"); \
    good &= functions.name != NULL;
    FUNCTION_LIST(LOAD)
#undef LOAD
    return good;
}

static enum trawl_status load(struct trawl_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    bool good;

    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    if (!loaded && !fault_hit(FAULT_OPEN)) {
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

        loaded = library != NULL && load_functions(library);
        if (library != NULL && !loaded)
            (void)dlclose(library);
    }
    good = loaded;
    (void)pthread_mutex_unlock(&lock);
    forks_release();
    return good ? TRAWL_OK
                : TRAWL_FAIL(error, UNSUPPORTED,
                             "look-around, backreferences and what else RE2 lacks need " LIBRARY
                             ", which cannot be loaded");
}

/* Returns PCRE2's options for an expression. In ripgrep's syntax and in the syntaxes of POSIX, \w
 * and other classes mean Unicode's characters. Only lines that end in NUL hold newlines: there ^
 * and $ match at newlines in Perl's syntax, and '.' matches a newline in the syntaxes of POSIX, as
 * in grep. */
static uint32_t flags_of(const struct regex_options *options, uint8_t line_end)
{
    uint32_t flags = options->fold ? CASELESS : 0;

    if (options->longest || options->multi)
        flags |= (options->dot_all ? DOTALL : 0) | (options->multi ? MULTILINE : 0);
    else if (options->ripgrep || line_end != '\n')
        flags |= MULTILINE;
    if (!options->ripgrep)
        flags |= DOLLAR_ENDONLY;
    if (!options->bytes)
        flags |= UTF | NEVER_BACKSLASH_C | (options->unicode || options->longest ? UCP : 0);
    return flags;
}

static enum trawl_status compile(struct pcre2 *made, const char *source, uint64_t count,
                                 uint64_t before, uint64_t most, uint32_t flags, uint32_t newline,
                                 bool asks_ends, struct trawl_error *error)
{
    void *context = functions.compile_context_create(NULL);
    enum trawl_status status;
    char message[128];
    size_t at = 0;
    int code;

    if (context == NULL)
        return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
    (void)functions.set_newline(context, newline);
    made->code = functions.compile(source, (size_t)count, flags, &code, &at, context);
    made->is_utf8 = (flags & UTF) != 0;
    if (made->code != NULL && made->is_utf8 && asks_ends)
        made->broken =
            functions.compile(source, (size_t)count, flags | MATCH_INVALID_UTF | NO_DOTSTAR_ANCHOR,
                              &code, &at, context);
    functions.compile_context_free(context);
    if (made->code != NULL && (made->broken != NULL || !made->is_utf8 || !asks_ends)) {
        /* if this fails, the expression is interpreted */
        (void)functions.jit_compile(made->code, JIT_COMPLETE);
        (void)functions.pattern_info(made->code, INFO_CAPTURECOUNT, &made->groups);
        (void)functions.pattern_info(made->code, INFO_MATCHEMPTY, &made->matches_empty);
        /* PCRE2 does not count the empty match that a verb in a group accepts */
        made->matches_empty |= memmem(source, (size_t)count, "(*ACCEPT", 8) != NULL;
        return TRAWL_OK;
    }
    functions.code_free(made->code); /* or NULL */
    if (code == ERROR_COMPILE_MEMORY)
        return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
    (void)functions.get_error_message(code, message, sizeof message);
    status = TRAWL_FAIL(error, ARGUMENT, "%s", message);
    if (error != NULL)
        error->text_offset = min_u64(at > before ? at - before : 0, most);
    return status;
}

/* Returns whether the expression may hold \G or a verb such as (*SKIP), which depend on where a
 * search begins. Some expressions without either count, too. */
static bool begins_matter(const char *bytes, uint64_t count)
{
    /* in a quotation or a comment, a bracket begins no class, and a backslash may be no escape */
    const bool plain =
        memmem(bytes, (size_t)count, "\\Q", 2) == NULL && memchr(bytes, '#', (size_t)count) == NULL;
    bool in_class = false;

    for (uint64_t i = 0; i + 1 < count; i++) {
        const char byte = bytes[i], next = bytes[i + 1];

        if ((byte == '\\' && next == 'G') || (byte == '(' && next == '*' && !in_class))
            return true;
        if (byte == '\\') {
            i += plain;
        } else if (in_class && byte == '[' && next == ':') {
            uint64_t end = i + 2; /* [:name:] is a part of the class, [: is not */

            while (end + 1 < count && ((bytes[end] | 0x20) >= 'a' || bytes[end] == '^'))
                end++;
            if (end + 1 < count && bytes[end] == ':' && bytes[end + 1] == ']')
                i = end + 1;
        } else if (in_class) {
            in_class = byte != ']';
        } else if (byte == '[' && plain) {
            in_class = true;
            i += next == '^';
            i += i + 1 < count && bytes[i + 1] == ']';
        }
    }
    return false;
}

static bool has(const char *bytes, uint64_t count, const char *text)
{
    return memmem(bytes, (size_t)count, text, strlen(text)) != NULL;
}

enum trawl_status pcre2_prepare(const char *bytes, uint64_t count,
                                const struct regex_options *options, uint32_t flags,
                                uint8_t line_end, struct pcre2 **out, struct trawl_error *error)
{
    const bool lines = (flags & TRAWL_WHOLE_LINE) != 0, words = (flags & TRAWL_WHOLE_WORD) != 0;
    const char *before = lines ? "^(?:" : words ? "(?<!\\w)(?:" : "";
    const char *after = lines ? ")$" : words ? ")(?!\\w)" : "";
    const uint64_t begin = strlen(before), room = begin + count + strlen(after);
    const bool crlf = options->ripgrep && (flags & TRAWL_CRLF) != 0;
    const bool asks_ends = has(bytes, count, "\\A") || has(bytes, count, "\\z") ||
                           has(bytes, count, "\\Z") || has(bytes, count, "\\G");
    enum trawl_status status;
    struct pcre2 *made;
    char *source;

    TRAWL_TRY(load(error));
    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    if (MEMORY_NEW(source, room + 1, error) != TRAWL_OK) {
        memory_release(made, 1, sizeof *made);
        return TRAWL_MEMORY;
    }
    memcpy(source, before, (size_t)begin);
    memcpy(source + begin, bytes, (size_t)count);
    memcpy(source + begin + count, after, strlen(after) + 1);
    /* counts at least as many repetitions as the expression has */
    for (uint64_t i = 0; i < count; i++)
        made->repetitions += bytes[i] == '*' || bytes[i] == '+' || bytes[i] == '{' ||
                             (bytes[i] == '?' && (i == 0 || bytes[i - 1] != '('));
    made->moves = has(bytes, count, "\\K");
    made->has_border = has(bytes, count, "\\B");
    made->may_stop = !begins_matter(bytes, count);
    status =
        compile(made, source, room, begin, count, flags_of(options, line_end) | USE_OFFSET_LIMIT,
                crlf ? NEWLINE_ANYCRLF : NEWLINE_LF, asks_ends, error);
    memory_release(source, room + 1, 1);
    if (status != TRAWL_OK)
        memory_release(made, 1, sizeof *made);
    else
        *out = made;
    return status;
}

static void scratch_free(struct scratch *scratch)
{
    if (scratch == NULL)
        return;
    if (scratch->data != NULL)
        functions.match_data_free(scratch->data);
    if (scratch->context != NULL)
        functions.match_context_free(scratch->context);
    memory_release(scratch, 1, sizeof *scratch);
}

void pcre2_release(struct pcre2 *pcre2)
{
    for (uint32_t i = 0; i < SCRATCHES; i++)
        scratch_free(pcre2->scratches[i]);
    functions.code_free(pcre2->code);
    functions.code_free(pcre2->broken); /* or NULL */
    memory_release(pcre2, 1, sizeof *pcre2);
}

/* Returns memory for matches; NULL if there is no memory. */
static struct scratch *scratch_new(const struct pcre2 *pcre2)
{
    struct scratch *made;

    if (MEMORY_ZEROED(made, 1, NULL) != TRAWL_OK)
        return NULL;
    made->data = functions.match_data_create_from_pattern(pcre2->code, NULL);
    made->context = functions.match_context_create(NULL);
    if (made->data == NULL || made->context == NULL) {
        scratch_free(made);
        return NULL;
    }
    (void)functions.set_heap_limit(made->context, HEAP_KIB);
    return made;
}

static bool may_run_machine_code(const struct pcre2 *pcre2, uint64_t count)
{
    double steps = (double)count;

    for (uint32_t i = 0; i < pcre2->repetitions && steps <= JIT_STEPS; i++)
        steps *= (double)count;
    return steps <= JIT_STEPS;
}

/* Returns whether the byte at `at` continues a character. */
static bool is_inside(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t at)
{
    return pcre2->is_utf8 && at < line.count && (line.bytes[at] & 0xc0) == 0x80;
}

/* Searches a part of the line. Other arguments and results are as of pcre2_find. */
static int match(const struct pcre2 *pcre2, struct scratch *scratch, struct pcre2_line line,
                 struct pcre2_run part, uint64_t from, uint64_t stop, struct regex_span *spans,
                 uint32_t span_count)
{
    const uint64_t steps = STEPS / (line.count + 1);
    const uint64_t least = pcre2->may_stop ? STEPS_LEAST : STEPS_LEAST_WHOLE;
    const size_t *found = functions.get_ovector_pointer(scratch->data);
    uint32_t flags = (part.begin > 0 ? NOTBOL : 0) | (part.end < line.count ? NOTEOL : 0);
    int result;

    (void)functions.set_match_limit(scratch->context,
                                    (uint32_t)min_u64(max_u64(steps, least), STEPS_MOST));
    /* PCRE2's machine code takes a limit inside a character for the character's end */
    while (stop < line.count && stop - 1 > from && is_inside(pcre2, line, stop - 1))
        stop--;
    (void)functions.set_offset_limit(
        scratch->context, stop < line.count ? (size_t)(stop - 1 - part.begin) : SIZE_MAX);
    flags |= may_run_machine_code(pcre2, line.count) ? 0 : NO_JIT;
    flags |= part.is_known ? NO_UTF_CHECK : 0;
    do {
        result =
            functions.match(part.is_known ? pcre2->code : pcre2->broken, line.bytes + part.begin,
                            (size_t)(part.end - part.begin), (size_t)(from - part.begin), flags,
                            scratch->data, scratch->context);
        flags |= result == ERROR_JIT_STACKLIMIT ? NO_JIT : 0;
    } while (result == ERROR_JIT_STACKLIMIT);
    if (result == ERROR_NOMATCH || result == ERROR_BADUTFOFFSET)
        return 0;
    if (result < 0)
        return result == ERROR_NOMEMORY ? -1 : PCRE2_OVER;
    for (uint32_t i = 0; i < span_count; i++) {
        const bool is_set = i <= pcre2->groups && found[2 * i] != SIZE_MAX;

        spans[i].begin = is_set ? part.begin + found[2 * i] : UINT64_MAX;
        if (i == 0)
            spans[0].begin = max_u64(spans[0].begin, line.first);
        spans[i].end = is_set ? max_u64(part.begin + found[2 * i + 1], spans[i].begin) : UINT64_MAX;
    }
    return 1;
}

/* Does what `match` does, with memory that the thread finds or makes. */
static int match_with(const struct pcre2 *pcre2, struct pcre2_line line, struct pcre2_run part,
                      uint64_t from, uint64_t stop, struct regex_span *spans, uint32_t span_count)
{
    static _Thread_local char here; /* the address of this variable differs from thread to thread */
    _Atomic(struct scratch *) *place =
        &((struct pcre2 *)pcre2)->scratches[((uintptr_t)&here >> 12) % SCRATCHES];
    struct scratch *scratch = atomic_exchange(place, NULL);
    int found;

    if (scratch == NULL)
        scratch = scratch_new(pcre2);
    if (scratch == NULL)
        return -1;
    found = match(pcre2, scratch, line, part, from, stop, spans, span_count);
    scratch_free(atomic_exchange(place, scratch));
    return found;
}

/* Returns the offset after the bytes at `at` that continue a character. */
static uint64_t after_character(struct pcre2_line line, uint64_t at)
{
    while (at < line.count && (line.bytes[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Returns where the valid UTF-8 ends that begins at `at`. */
static uint64_t valid_end(struct pcre2_line line, uint64_t at)
{
    uint64_t taken = 1, word;
    uint32_t code_point;

    for (; at < line.count && taken > 0; at += taken) {
        word = UINT64_MAX;
        if (line.count - at >= sizeof word)
            memcpy(&word, line.bytes + at, sizeof word);
        taken = (word & UINT64_C(0x8080808080808080)) == 0 ? sizeof word
                : line.bytes[at] < 0x80
                    ? 1
                    : plan_utf8_decode(line.bytes + at, line.count - at, &code_point);
    }
    return at;
}

/* Sets *run to the part of the line that holds offset `at`, or to the first part after `at`. */
static void seek_run(struct pcre2_line line, uint64_t at, struct pcre2_run *run)
{
    if (!run->is_known || at < run->first)
        *run = (struct pcre2_run){0, valid_end(line, 0), true, 0};
    while (at > run->end) {
        run->first = run->end + 1;
        run->begin = after_character(line, run->first);
        run->end = valid_end(line, run->begin);
    }
}

int pcre2_find(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t from, uint64_t stop,
               struct regex_span *spans, uint32_t span_count)
{
    struct pcre2_run part = {from, from, true, from};
    int found = 0;

    if (!pcre2->is_utf8) {
        part = (struct pcre2_run){0, line.count, true, 0};
        return match_with(pcre2, line, part, from, stop, spans, span_count);
    }
    seek_run(line, from, line.run);
    /* PCRE2 crashes if a search begins inside a character, so it gets an empty part there */
    if (is_inside(pcre2, line, from) && pcre2->broken == NULL && !pcre2->has_border)
        found = match_with(pcre2, line, from == line.run->end ? *line.run : part, from, line.count,
                           spans, span_count);
    if (found != 0) /* reading on to the next character here would take quadratic time */
        return found;
    if (pcre2->broken == NULL || from < line.run->end)
        from = after_character(line, from);
    seek_run(line, from, line.run);
    part = *line.run;
    if (pcre2->broken != NULL && part.end - part.begin < line.count)
        part = (struct pcre2_run){0, line.count, false, 0};
    while (found == 0 && (from < stop || stop == line.count)) {
        /* as in ripgrep, a match begins before a byte that continues no character only if the
         * search begins there; and \B needs a character, or an end of the line */
        const bool is_cut = is_inside(pcre2, line, part.end);
        const bool is_inside = part.end == part.begin && part.begin > 0 && part.end < line.count;

        if (from + is_cut <= part.end && !(is_inside && pcre2->has_border))
            found = match_with(pcre2, line, part, from, is_cut ? min_u64(stop, part.end) : stop,
                               spans, span_count);
        if (part.end == line.count)
            break;
        from = after_character(line, part.end + 1);
        seek_run(line, from, &part);
    }
    return found;
}

bool pcre2_may_stop(const struct pcre2 *pcre2)
{
    return pcre2->may_stop;
}

bool pcre2_may_be_empty(const struct pcre2 *pcre2)
{
    return pcre2->matches_empty != 0 || pcre2->moves;
}

uint32_t pcre2_groups(const struct pcre2 *pcre2)
{
    return pcre2->groups;
}

uint32_t pcre2_group(const struct pcre2 *pcre2, const char *name, uint64_t count)
{
    char text[130] = "";
    int number;

    if (count >= sizeof text || memchr(name, '\0', (size_t)count) != NULL)
        return 0;
    memcpy(text, name, (size_t)count);
    number = functions.substring_number_from_name(pcre2->code, text);
    return number > 0 ? (uint32_t)number : 0;
}
