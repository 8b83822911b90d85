/* pcre2: compiles expressions with the library PCRE2, and finds their matches in lines. The library
 * is loaded at run time. */
#include "regex/pcre2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/forks.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "regex/syntax/print.h"
#include "regex/prices.def"

#define LIBRARY "libpcre2-8.so.0"
/* Constants of pcre2.h, which are the same in all versions of the library. */
#define CASELESS 0x8u
#define DOLLAR_ENDONLY 0x10u
#define DOTALL 0x20u
#define MULTILINE 0x400u
#define UCP 0x20000u
#define UTF 0x80000u
#define USE_OFFSET_LIMIT 0x00800000u
#define NEVER_BACKSLASH_C 0x100000u
#define NO_AUTO_POSSESS 0x4000u
#define NO_DOTSTAR_ANCHOR 0x8000u
#define NO_START_OPTIMIZE 0x10000u
#define NOTBOL 0x1u
#define NOTEOL 0x2u
#define NO_JIT 0x2000u
#define NO_UTF_CHECK 0x40000000u
#define JIT_COMPLETE 1u
#define NEWLINE_LF 2u
#define NEWLINE_ANYCRLF 5u
#define CONFIG_VERSION 11u
#define INFO_CAPTURECOUNT 4u
#define INFO_MATCHEMPTY 13u
#define ERROR_COMPILE_MEMORY 121
#define ERROR_LOOKBEHIND 125
#define ERROR_NOMATCH (-1)
#define ERROR_JIT_STACKLIMIT (-46)
#define ERROR_MATCHLIMIT (-47)
#define ERROR_NOMEMORY (-48)

#define INSIDE "(?:(?=(?s:.))|(?-m:$)|(?<=(?s:.))|(?-m:^))" /* the part of a line is not empty */

/* PCRE2 counts steps anew for each position where a match may begin. At first, each position is
 * granted STEPS / n steps in a line of n bytes, at least STEPS_LEAST and at most STEPS_MOST.
 * STEPS_LEAST_WHOLE is the minimum for a search that cannot stop between positions. */
#define STEPS UINT64_C(100000000)
#define STEPS_LEAST UINT64_C(50000)
#define STEPS_LEAST_WHOLE UINT64_C(2000)
#define STEPS_MOST UINT64_C(10000000)
#define HEAP_KIB 65536u
#define STACK_LEAST ((size_t)32 << 10) /* the JIT's stack grows as it is used */
#define STACK_MOST ((size_t)8 << 20)
#define MACHINE_LEAST UINT64_C(16)

/* The functions of the library. A `void *` is a pointer to one of PCRE2's structs. */
#define FUNCTION_LIST(X)                                                                     \
    X(void *, compile, (const char *, size_t, uint32_t, int *, size_t *, void *))            \
    X(void, code_free, (void *))                                                             \
    X(int, config, (uint32_t, void *))                                                       \
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
    X(void *, jit_stack_create, (size_t, size_t, void *))                                    \
    X(void, jit_stack_assign, (void *, void *, void *))                                      \
    X(void, jit_stack_free, (void *))                                                        \
    X(void *, compile_context_create, (void *))                                              \
    X(void, compile_context_free, (void *))                                                  \
    X(int, set_newline, (void *, uint32_t))                                                  \
    X(const uint8_t *, maketables, (void *))                                                 \
    X(int, set_character_tables, (void *, const uint8_t *))                                  \
    X(int, pattern_info, (const void *, uint32_t, void *))                                   \
    X(int, substring_number_from_name, (const void *, const char *))

/* The characters of words since PCRE2 10.43, which earlier versions' \w means without the marks and
 * connectors; and in a class, all others. */
#define WORDS "\\w\\p{Mn}\\p{Pc}"
#define NO_WORDS "\\p{C}\\p{Mc}\\p{Me}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\p{S}\\p{Z}"

/* An expression, and the text to put before and after it. */
struct pcre2_source {
    const char *before;
    const char *bytes;
    uint64_t count;
    const char *after;
    const struct syntax *syntax;
    bool has_words; /* words are those of `words`, or with adds_marks WORDS, which \w does not mean
                     */
    bool adds_marks;
    uint32_t slow; /* NO_START_OPTIMIZE if a boundary is replaced for lines that are not ASCII */
    struct word_ranges words;
    bool by_locale; /* `tables` say what letters are; false: ASCII does */
    bool
        has_heads; /* there is a choice; alternatives with a head are tried only where runs begin */
    bool counts;   /* {,m}, and blanks inside braces, make a repetition, as in ripgrep */
};

struct functions {
#define MEMBER(result, name, arguments) result(*name) arguments;
    FUNCTION_LIST(MEMBER)
#undef MEMBER
};

/* The memory for a call of `match`; only one thread uses it at a time. */
struct scratch {
    void *data;
    void *context;
    void *stack; /* for the JIT; NULL: it uses 32 KiB of the thread's stack */
};

static struct functions functions;
static const uint8_t *tables; /* single-byte letters and cases, of the locale at the first use */
static char version[64];
static bool before_42, before_43; /* PCRE2 is older than 10.42, than 10.43 */

static bool load_functions(void *library)
{
    bool good = true;

#define LOAD(result, name, arguments)                                        \
    *(void **)(void *)&functions.name = dlsym(library, "pcre2_" #name "_8"); \
    good &= functions.name != NULL;
    FUNCTION_LIST(LOAD)
#undef LOAD
    if (good && functions.config(CONFIG_VERSION, NULL) <= (int)sizeof version)
        (void)functions.config(CONFIG_VERSION, version);
    before_42 = strverscmp(version, "10.42") < 0;
    before_43 = strverscmp(version, "10.43") < 0;
    tables = good ? functions.maketables(NULL) : NULL;
    return tables != NULL;
}

static enum trawl_status load(struct trawl_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    bool good;

    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    if (!loaded && !fault_hit()) {
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
                             "look-around, backreferences and what trawl lacks or finds too large "
                             "need " LIBRARY ", which cannot be loaded");
}

/* Returns PCRE2's options for an expression. In ripgrep's syntax and in those of POSIX, \w and
 * other classes mean Unicode's characters. Without options->multi, a line can contain newlines only
 * if lines end in NUL. In such a line, ^ and $ of ripgrep's syntax match at newlines, and '.' of
 * the POSIX syntaxes matches a newline, as in grep. */
static uint32_t flags_of(const struct regex_options *options)
{
    uint32_t flags = (options->fold ? CASELESS : 0) | (options->dot_all ? DOTALL : 0) |
                     (options->ripgrep || options->multi ? MULTILINE : 0);

    if (!options->ripgrep)
        flags |= DOLLAR_ENDONLY;
    if (!options->bytes)
        flags |= UTF | NEVER_BACKSLASH_C | (options->unicode || options->longest ? UCP : 0);
    return flags;
}

/* Returns the text that replaces this escape in a program, for put_words; NULL: the escape stays.
 * \b and \B may have to be replaced; like these, (?) cannot be repeated. */
static const char *escape_replacement(enum pcre2_program program, uint32_t flags,
                                      const struct pcre2_source *source, char letter)
{
    const bool marks = source->adds_marks && (flags & UCP) != 0;
    const bool words = marks || (source->has_words && !source->adds_marks);

    if (strchr("wWiI", letter) != NULL)
        return !marks          ? NULL
               : letter == 'w' ? "[" WORDS "]"
               : letter == 'W' ? "[^" WORDS "]"
               : letter == 'i' ? WORDS
                               : NO_WORDS;
    if (letter == 'G' && program == PROGRAM_LATER)
        return "(?!)";
    if (letter == 'b' && words)
        return PRINT_EDGE "(?)";
    if (letter == 'B' && words)
        return program == PROGRAM_LINES ? PRINT_NO_EDGE "(?)" : INSIDE PRINT_NO_EDGE "(?)";
    if (program == PROGRAM_LINES)
        return NULL;
    return letter == 'A'                   ? "(?-m:^)"
           : letter == 'z'                 ? "(?-m:$)(?!(?s:.))"
           : letter == 'B'                 ? INSIDE "\\B"
           : letter != 'Z'                 ? NULL
           : (flags & DOLLAR_ENDONLY) != 0 ? "(?=\\n?(?-m:$))"
                                           : "(?-m:$)";
}

/* Writes the repetition {n}, {n,}, {n,m} or {,m} without blanks, and {,m} as {0,m}: PCRE2 before
 * 10.43 reads {,m}, and braces with blanks, as ordinary text. */
static void put_counts(const char *bytes, uint64_t count, struct printed *text)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i == 1)
            print_text(text, "0");
        print_put(text, bytes + i, bytes[i] != ' ' && bytes[i] != '\t');
    }
}

/* Returns the offset after the text at `at` if it is `.*`, `.+` or `.{n,}`; 0 if it is not. */
static uint64_t after_dots(const char *bytes, uint64_t count, uint64_t at)
{
    const char *digits = "0123456789";

    if (count - at < 2 || bytes[at] != '.')
        return 0;
    if (bytes[at + 1] == '*' || bytes[at + 1] == '+')
        return at + 2;
    if (bytes[at + 1] != '{')
        return 0;
    for (at += 2; at < count && bytes[at] != '\0' && strchr(digits, bytes[at]) != NULL;)
        at++;
    return count - at >= 2 && strchr(digits, bytes[at - 1]) != NULL &&
                   memcmp(bytes + at, ",}", 2) == 0
               ? at + 2
               : 0;
}

/* Returns the offset after the assertions (?=.*text) at `at`, of letters, digits and blanks. */
static uint64_t after_aheads(const char *bytes, uint64_t count, uint64_t at)
{
    while (count - at > 5 && memcmp(bytes + at, "(?=.*", 5) == 0) {
        uint64_t end = at + 5;

        while (end < count && (class_is_word_byte(bytes[end]) || bytes[end] == ' '))
            end++;
        if (end == count || bytes[end] != ')')
            break;
        at = end + 1;
    }
    return at;
}

/* Returns true if the text is a group (?:...) without alternatives, as lists are joined of. */
static bool is_wrapped(const char *bytes, uint64_t count)
{
    uint64_t depth = 0, at = 0;

    if (count < 4 || memcmp(bytes, "(?:", 3) != 0 || bytes[count - 1] != ')' ||
        memchr(bytes, '|', (size_t)count) != NULL || memmem(bytes, (size_t)count, "\\Q", 2) != NULL)
        return false;
    for (; at < count && (at == 0 || depth > 0); at++) {
        depth += bytes[at] == '(';
        depth -= bytes[at] == ')';
        if (bytes[at] == '[') { /* a ']' that comes first is a character */
            at += bytes[at + 1] == '^';
            at += at + 1 < count && bytes[at + 1] == ']';
            for (at++; at < count && bytes[at] != ']'; at++)
                at += bytes[at] == '\\';
        }
        at += at < count && bytes[at] == '\\';
    }
    return at == count && depth == 0;
}

/* Returns what the alternative after mark `mark` - 1, or the first one, begins with if that is `.*`
 * or the like: a match that begins in its run of characters has another that begins where the run
 * does, or the search. Without this, n bytes take n * n steps. */
static enum pcre2_head head_of(const struct syntax *syntax, uint64_t mark, bool dot_all)
{
    /* those after the first eight may refer to a group that is the `.*` */
    static const char *const against[] = {"(*",  "(?#", "\\E", "\\G", "\\g<", "\\g'",
                                          "(?R", "(?0", "\\1", "\\g", "\\k",  "(?P"};
    const uint64_t from = mark > 0 ? syntax->marks[mark - 1].end : 0;
    const char *bytes = syntax->bytes + from;
    uint64_t count, flags, first, at;
    bool is_group;

    if (syntax->is_opaque || (mark > 0 && syntax->marks[mark - 1].letter != '|'))
        return HEAD_OTHER;
    while (mark < syntax->mark_count && syntax->marks[mark].letter != '|')
        mark++;
    count = (mark < syntax->mark_count ? syntax->marks[mark].at : syntax->count) - from;
    if (is_wrapped(bytes, count)) {
        bytes += 3;
        count -= 4;
    }
    flags = count > 4 && memcmp(bytes, "(?s)", 4) == 0 ? 4 : 0;
    first = after_aheads(bytes, count, flags);
    is_group = count > first && bytes[first] == '(';
    at = after_dots(bytes, count, first + (is_group ? 1 : 0));
    if (at == 0)
        return HEAD_OTHER;
    at += at < count && bytes[at] == '?';
    if (is_group && (at == count || bytes[at++] != ')'))
        return HEAD_OTHER;
    if (at < count && bytes[at] != '\0' && strchr("*+?{", bytes[at]) != NULL)
        return HEAD_OTHER;
    for (size_t i = 0; i < (is_group ? sizeof against / sizeof *against : 8); i++)
        if (memmem(syntax->bytes, (size_t)syntax->count, against[i], strlen(against[i])) != NULL)
            return HEAD_OTHER;
    return dot_all || flags > 0 ? HEAD_ALL : HEAD_LINE;
}

/* Writes the condition of an alternative with a head: it is tried only where a run of its
 * characters begins, or the search (in PROGRAM_LATER, it has begun). */
static void put_head(enum pcre2_head head, enum pcre2_program program, struct printed *text)
{
    static const char *const only[2][3] = {{"", "(?:\\G|(?<!.))", "\\G"},
                                           {"", "(?<!.)", "(?<!(?s:.))"}};

    print_text(text, only[program == PROGRAM_LATER][head]);
}

/* Writes a text in which '@' stands for a character of a word. */
static void put_words(const struct pcre2_source *source, uint32_t flags, const char *from,
                      struct printed *text)
{
    if (!source->adds_marks) {
        print_words(text, from, source->words.ranges, source->words.count);
        return;
    }
    for (; *from != '\0'; from++)
        if (*from == '@')
            print_text(text, (flags & UCP) != 0 ? "[" WORDS "]" : "\\w");
        else
            print_put(text, from, 1);
}

/* Writes the text from which a program is compiled. Returns false if it is the same as for the
 * previous program. */
static bool write_program(enum pcre2_program program, const struct pcre2_source *source,
                          uint32_t flags, struct printed *text)
{
    const struct syntax *syntax = source->syntax;
    bool differs = program == PROGRAM_LINES || (source->has_heads && program == PROGRAM_LATER);
    uint64_t from = 0;

    put_words(source, flags, source->before, text);
    put_head(source->has_heads ? head_of(syntax, 0, false) : HEAD_OTHER, program, text);
    for (uint64_t i = 0; i < syntax->mark_count; from = syntax->marks[i++].end) {
        const struct syntax_mark mark = syntax->marks[i];
        const char *other = escape_replacement(program, flags, source, mark.letter);

        print_put(text, source->bytes + from, mark.at - from);
        differs |= other != NULL && (program == PROGRAM_FIRST || mark.letter == 'G') &&
                   strchr("bwWiI", mark.letter) == NULL;
        if (other != NULL)
            put_words(source, flags, other, text);
        else if (source->counts && mark.letter == '{')
            put_counts(source->bytes + mark.at, mark.end - mark.at, text);
        else
            print_put(text, source->bytes + mark.at, mark.end - mark.at);
        put_head(source->has_heads ? head_of(syntax, i + 1, false) : HEAD_OTHER, program, text);
    }
    print_put(text, source->bytes + from, source->count - from);
    put_words(source, flags, source->after, text);
    return differs;
}

static enum trawl_status compile(const struct pcre2_source *source, const struct printed *text,
                                 uint32_t flags, uint32_t newline, void **out,
                                 struct trawl_error *error)
{
    const uint64_t before = strlen(source->before);
    void *context = functions.compile_context_create(NULL);
    enum trawl_status status;
    char message[128];
    size_t at = 0;
    int code = ERROR_COMPILE_MEMORY;

    if (context != NULL) {
        (void)functions.set_newline(context, newline);
        (void)functions.set_character_tables(context, source->by_locale ? tables : NULL);
        *out = functions.compile(text->bytes, (size_t)text->count, flags, &code, &at, context);
        functions.compile_context_free(context);
    }
    if (*out != NULL) {
        /* if this fails, the expression is interpreted */
        if (!source->syntax->misleads_jit &&
            !(before_43 && (source->syntax->misleads_old_jit || source->syntax->is_opaque)))
            (void)functions.jit_compile(*out, JIT_COMPLETE);
        return TRAWL_OK;
    }
    if (code == ERROR_COMPILE_MEMORY)
        return TRAWL_MEMORY;
    (void)functions.get_error_message(code, message, sizeof message);
    status = code == ERROR_LOOKBEHIND && before_43
                 ? TRAWL_FAIL(error, ARGUMENT, "%s; PCRE2 %.*s has no other, 10.43 has", message,
                              (int)strcspn(version, " "), version)
                 : TRAWL_FAIL(error, ARGUMENT, "%s", message);
    if (error != NULL && !source->has_words)
        error->text_offset = min_u64(at > before ? at - before : 0, source->count);
    return status;
}

/* Compiles the expression's programs. The last one is for lines of ASCII, in which \w, \d, \s and
 * \b need no properties of characters, which saves a third of the time. In such lines, an
 * expression of ASCII means the same byte by byte; if it contains a character that is not a byte,
 * PCRE2 rejects it, and this program is missing.
 */
static enum trawl_status compile_all(struct pcre2 *made, const struct pcre2_source *source,
                                     uint32_t flags, uint32_t newline, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    bool is_ascii = (flags & UCP) != 0;

    for (uint64_t i = 0; i < source->count; i++)
        is_ascii &= (uint8_t)source->bytes[i] < 0x80;
    for (int i = 0;
         i < (made->is_utf8 || source->has_heads ? PROGRAMS + is_ascii : 1) && status == TRAWL_OK;
         i++) {
        const bool last = i == PROGRAMS;
        const uint32_t own = last ? flags & ~(UTF | UCP) : flags | source->slow;
        struct printed text = {.is_complete = true};

        if (write_program(last ? PROGRAM_LINES : (enum pcre2_program)i, source, own, &text))
            status = text.is_complete
                         ? compile(source, &text, own, newline,
                                   last ? &made->ascii : &made->codes[i], i > 0 ? NULL : error)
                         : TRAWL_MEMORY;
        print_release(&text);
        if (i > 0 && status == TRAWL_ARGUMENT)
            status = TRAWL_OK; /* too large when rewritten, or not ASCII: another program is used */
    }
    return status == TRAWL_MEMORY ? TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression")
                                  : status;
}

/* Returns true if the expression has a verb that begins with `text`, which stands for itself in a
 * class or after \Q. */
static bool has_verb(const char *bytes, uint64_t count, const struct syntax *syntax,
                     const char *text)
{
    for (uint64_t i = 0; i < syntax->mark_count; i++)
        if (syntax->marks[i].letter == '*' && strlen(text) <= count - syntax->marks[i].at &&
            memcmp(bytes + syntax->marks[i].at, text, strlen(text)) == 0)
            return true;
    return false;
}

static void set_edges(struct pcre2_source *source, bool lines, bool words, bool has_own)
{
    bool has_edge = words;

    for (uint64_t i = 0; i < source->syntax->mark_count; i++)
        has_edge |= (source->syntax->marks[i].letter | 0x20) == 'b';
    source->has_words = has_own || source->adds_marks;
    source->before = lines ? "^(?:" : !words ? "" : source->has_words ? "(?<!@)(?:" : "(?<!\\w)(?:";
    source->after = lines ? ")$" : !words ? "" : source->has_words ? ")(?!@)" : ")(?!\\w)";
    source->slow = source->adds_marks && has_edge ? NO_START_OPTIMIZE : 0;
}

static void find_heads(struct pcre2 *made, const struct syntax *syntax, bool dot_all)
{
    bool has_choice = false;

    made->head = head_of(syntax, 0, dot_all);
    for (uint64_t i = 0; i <= syntax->mark_count; i++) {
        has_choice |= i > 0 && syntax->marks[i - 1].letter == '|';
        made->has_heads |= head_of(syntax, i, dot_all) != HEAD_OTHER;
    }
    made->has_heads &= has_choice;
    made->head = has_choice ? HEAD_OTHER : made->head;
}

enum trawl_status pcre2_prepare(const char *bytes, uint64_t count, const struct syntax *syntax,
                                const struct regex_options *options, uint32_t flags,
                                const struct word_ranges *own, struct pcre2 **out,
                                struct trawl_error *error)
{
    const bool lines = (flags & TRAWL_WHOLE_LINE) != 0, words = (flags & TRAWL_WHOLE_WORD) != 0;
    const uint32_t newline =
        options->ripgrep && (flags & TRAWL_CRLF) != 0 ? NEWLINE_ANYCRLF : NEWLINE_LF;
    /* Where PCRE2 chooses where a match may begin, it misses some, for example of `\d(c|\1*)`. But
     * in grep and ripgrep, (*COMMIT) only applies where PCRE2 has chosen. */
    const bool starts =
        has_verb(bytes, count, syntax, "(*COMMIT") ||
        !(syntax->misleads_starts || syntax->misleads_possess || syntax->is_opaque || own != NULL);
    struct pcre2_source source = {
        .bytes = bytes,
        .count = count,
        .syntax = syntax,
        .words = own != NULL ? *own : (struct word_ranges){.count = 0},
        .by_locale = options->bytes && options->letters.is_word != NULL,
        .counts = options->ripgrep,
    };
    const bool moves = memmem(bytes, (size_t)count, "\\K", 2) != NULL;
    enum trawl_status status;
    uint32_t matches_empty;
    struct pcre2 *made;

    TRAWL_TRY(load(error));
    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    /* an upper bound on the number of repetitions */
    for (uint64_t i = 0; i < count; i++)
        made->repetitions +=
            bytes[i] == '*' || bytes[i] == '+' || bytes[i] == '{' ||
            (bytes[i] == '?' && (i == 0 || bytes[i - 1] != '(' || (i > 1 && bytes[i - 2] == '\\')));
    made->may_stop = true; /* except with \G and verbs, which depend on where a search begins */
    for (uint64_t i = 0; i < syntax->mark_count; i++)
        made->may_stop &= syntax->marks[i].letter != 'G' && syntax->marks[i].letter != '*';
    made->remembers = moves || !made->may_stop;
    if (!lines && !words)
        find_heads(made, syntax, options->dot_all);
    source.has_heads = made->has_heads;
    source.adds_marks = before_43 && options->ripgrep && (flags_of(options) & UCP) != 0;
    set_edges(&source, lines, words, own != NULL);
    flags = flags_of(options) | USE_OFFSET_LIMIT;
    flags |= starts && !before_42 ? 0 : NO_START_OPTIMIZE;
    /* PCRE2 makes the first repetition of `a*(?>(b)?)a` possessive, and anchors `(?s:.*?)++a`. */
    if (syntax->misleads_possess)
        flags |= NO_AUTO_POSSESS | NO_DOTSTAR_ANCHOR;
    made->is_utf8 = (flags & UTF) != 0;
    status = compile_all(made, &source, flags, newline, error);
    if (status == TRAWL_ARGUMENT) { /* for a message about the expression as it was given */
        made->has_heads = source.has_heads = source.adds_marks = false;
        set_edges(&source, lines, words, own != NULL);
        status = compile_all(made, &source, flags, newline, error);
    }
    if (status != TRAWL_OK) {
        pcre2_release(made);
        return status;
    }
    (void)functions.pattern_info(made->codes[0], INFO_CAPTURECOUNT, &made->groups);
    (void)functions.pattern_info(made->codes[0], INFO_MATCHEMPTY, &matches_empty);
    /* INFO_MATCHEMPTY misses empty matches that (*ACCEPT) inside a group allows */
    made->may_be_empty =
        matches_empty != 0 || moves || memmem(bytes, (size_t)count, "(*ACCEPT", 8) != NULL;
    *out = made;
    return TRAWL_OK;
}

static void scratch_free(struct scratch *scratch)
{
    if (scratch == NULL)
        return;
    if (scratch->data != NULL)
        functions.match_data_free(scratch->data);
    if (scratch->context != NULL)
        functions.match_context_free(scratch->context);
    if (scratch->stack != NULL)
        functions.jit_stack_free(scratch->stack);
    memory_release(scratch, 1, sizeof *scratch);
}

void pcre2_release(struct pcre2 *pcre2)
{
    for (uint32_t i = 0; i < PCRE2_SCRATCHES; i++)
        scratch_free(pcre2->scratches[i]);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        functions.code_free(pcre2->codes[i]); /* accepts NULL */
    functions.code_free(pcre2->ascii);
    memory_release(pcre2, 1, sizeof *pcre2);
}

/* Returns memory for matches; NULL if it cannot be allocated. */
static struct scratch *scratch_new(const struct pcre2 *pcre2)
{
    struct scratch *made;

    if (MEMORY_ZEROED(made, 1, NULL) != TRAWL_OK)
        return NULL;
    made->data = functions.match_data_create_from_pattern(pcre2->codes[PROGRAM_LINES], NULL);
    made->context = functions.match_context_create(NULL);
    if (made->data == NULL || made->context == NULL) {
        scratch_free(made);
        return NULL;
    }
    (void)functions.set_heap_limit(made->context, HEAP_KIB);
    made->stack = functions.jit_stack_create(STACK_LEAST, STACK_MOST, NULL);
    functions.jit_stack_assign(made->context, NULL, made->stack);
    return made;
}

bool pcre2_steps(const struct pcre2 *pcre2, struct pcre2_line *line, uint64_t begins)
{
    const uint64_t min = pcre2->may_stop ? STEPS_LEAST : STEPS_LEAST_WHOLE;
    double hidden = (double)begins;

    line->machine = line->steps = min_u64(max_u64(STEPS / (line->count + 1), min), STEPS_MOST);
    for (uint32_t i = 0; i < pcre2->repetitions && hidden <= MACHINE_STEPS; i++)
        hidden *= (double)line->count;
    if (hidden > MACHINE_STEPS)
        line->machine =
            min_u64(max_u64(line->steps * MACHINE_SHARE / line->count, MACHINE_LEAST), line->steps);
    return hidden > MACHINE_STEPS;
}

/* Returns true if the byte at `at` is inside a character. */
static bool is_inside(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t at)
{
    return pcre2->is_utf8 && at < line.count && (line.bytes[at] & 0xc0) == 0x80;
}

uint64_t pcre2_next(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t from)
{
    const uint64_t end = pcre2->is_utf8 ? line.run->end : line.count;
    uint64_t at = from;

    if (is_inside(pcre2, line, from) || (pcre2->is_utf8 && from < line.run->begin))
        return from + 1; /* it has not been tried */
    if (pcre2->head == HEAD_LINE)
        at += bytes_find_either(line.bytes + from, end - from, '\n', '\r');
    return (pcre2->head == HEAD_LINE ? at : end) + 1;
}

/* Searches a part of the line. `is_later` means that the search began in an earlier part. The other
 * arguments and the results are those of pcre2_find. */
static int match(const struct pcre2 *pcre2, struct scratch *scratch, struct pcre2_line line,
                 struct pcre2_run part, bool is_later, uint64_t from, uint64_t stop,
                 struct regex_span *spans, uint32_t span_count)
{
    enum pcre2_program program = is_later                                  ? PROGRAM_LATER
                                 : part.begin > 0 || part.end < line.count ? PROGRAM_FIRST
                                                                           : PROGRAM_LINES;
    const size_t *found = functions.get_ovector_pointer(scratch->data);
    uint32_t flags = (part.begin > 0 ? NOTBOL : 0) | (part.end < line.count ? NOTEOL : 0);
    uint64_t steps = line.machine > 0 ? line.machine : line.steps;
    const void *code;
    bool again;
    int result;

    /* PCRE2's JIT moves a limit inside a character to the character's end */
    while (stop < line.count && is_inside(pcre2, line, stop - 1))
        stop--;
    (void)functions.set_offset_limit(
        scratch->context, stop < line.count ? (size_t)(stop - 1 - part.begin) : SIZE_MAX);
    flags |= NO_UTF_CHECK | (line.machine > 0 ? 0 : NO_JIT);
    while (pcre2->codes[program] == NULL)
        program--;
    code = program == PROGRAM_LINES && part.is_ascii && pcre2->ascii != NULL
               ? pcre2->ascii
               : pcre2->codes[program];
    do {
        (void)functions.set_match_limit(scratch->context, (uint32_t)steps);
        result =
            functions.match(code, line.bytes + part.begin, (size_t)(part.end - part.begin),
                            (size_t)(from - part.begin), flags, scratch->data, scratch->context);
        again =
            result == ERROR_JIT_STACKLIMIT || (result == ERROR_MATCHLIMIT && steps < line.steps);
        flags |= NO_JIT;
        steps = line.steps;
    } while (again);
    if (result == ERROR_NOMATCH)
        return 0;
    if (result < 0)
        return result == ERROR_NOMEMORY     ? -1
               : result == ERROR_MATCHLIMIT ? PCRE2_OVER
                                            : PCRE2_LARGE;
    for (uint32_t i = 0; i < span_count; i++) {
        const bool is_set = i <= pcre2->groups && found[2 * i] != SIZE_MAX;

        spans[i].begin = is_set ? part.begin + found[2 * i] : UINT64_MAX;
        if (i == 0)
            spans[0].begin = max_u64(spans[0].begin, line.first);
        spans[i].end = is_set ? max_u64(part.begin + found[2 * i + 1], spans[i].begin) : UINT64_MAX;
    }
    return 1;
}

/* Like `match`, with memory that is shared between threads, or else allocated. */
static int match_with(const struct pcre2 *pcre2, struct pcre2_line line, struct pcre2_run part,
                      bool is_later, uint64_t from, uint64_t stop, struct regex_span *spans,
                      uint32_t span_count)
{
    static _Thread_local char here; /* its address is different in each thread */
    _Atomic(struct scratch *) *place =
        &((struct pcre2 *)pcre2)->scratches[((uintptr_t)&here >> 12) % PCRE2_SCRATCHES];
    struct scratch *scratch = atomic_exchange(place, NULL);
    int found;

    if (scratch == NULL)
        scratch = scratch_new(pcre2);
    if (scratch == NULL)
        return -1;
    found = match(pcre2, scratch, line, part, is_later, from, stop, spans, span_count);
    scratch_free(atomic_exchange(place, scratch));
    return found;
}

/* Returns the offset after the continuation bytes (0x80 to 0xbf) at `at`. */
static uint64_t after_character(struct pcre2_line line, uint64_t at)
{
    while (at < line.count && (line.bytes[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Returns where the valid UTF-8 at `at` ends. Sets *is_ascii to whether it is ASCII. */
static uint64_t valid_end(struct pcre2_line line, uint64_t at, bool *is_ascii)
{
    uint64_t taken = 1, word;
    uint32_t code_point = 0;

    for (*is_ascii = true; at < line.count && taken > 0; at += taken) {
        word = UINT64_MAX;
        if (line.count - at >= sizeof word)
            memcpy(&word, line.bytes + at, sizeof word);
        taken = (word & UINT64_C(0x8080808080808080)) == 0 ? sizeof word
                : line.bytes[at] < 0x80
                    ? 1
                    : plan_utf8_decode(line.bytes + at, line.count - at, &code_point);
        *is_ascii &= code_point == 0;
    }
    return at;
}

/* Sets *run to the part of the line that contains offset `at`, or to the first part after it. */
static void seek_run(struct pcre2_line line, uint64_t at, struct pcre2_run *run)
{
    if (!run->is_known || at < run->begin) {
        run->begin = 0;
        run->end = valid_end(line, 0, &run->is_ascii);
        run->is_known = true;
    }
    while (at > run->end) {
        run->begin = run->end + 1;
        run->end = valid_end(line, run->begin, &run->is_ascii);
    }
}

int pcre2_find(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t from, uint64_t stop,
               struct regex_span *spans, uint32_t span_count)
{
    const uint64_t first = pcre2->has_heads ? after_character(line, line.first) : from;
    struct pcre2_run part = {from, from, true, false};
    int found = 0;

    if (!pcre2->is_utf8) {
        part = (struct pcre2_run){0, line.count, true, false};
        return match_with(pcre2, line, part, pcre2->has_heads && from > line.first, from, stop,
                          spans, span_count);
    }
    seek_run(line, from, line.run);
    /* PCRE2 crashes if a search begins inside a character, so let it see only an empty subject
     * then, or the run that ends here. */
    if (is_inside(pcre2, line, from))
        found = match_with(pcre2, line, from == line.run->end ? *line.run : part, false, from,
                           line.count, spans, span_count);
    /* Do not call after_character() after a match: it may skip many continuation bytes, so calling
     * it for each match would take time quadratic in the line. */
    if (found != 0)
        return found;
    from = after_character(line, from);
    seek_run(line, from, line.run);
    part = *line.run;
    while (found == 0 && (from < stop || stop == line.count)) {
        /* The part ends before a stray byte 0x80 to 0xbf. As in ripgrep, a match begins there only
         * if the search does. */
        const bool is_cut = is_inside(pcre2, line, part.end);

        if (from <= part.end)
            found = match_with(pcre2, line, part, from > first, from,
                               is_cut ? min_u64(stop, part.end) : stop, spans, span_count);
        if (part.end == line.count)
            break;
        from = after_character(line, part.end + 1);
        seek_run(line, from, &part);
    }
    return found;
}

uint32_t pcre2_group(const struct pcre2 *pcre2, const char *name, uint64_t count)
{
    char text[130] = "";
    int number;

    if (count >= sizeof text || memchr(name, '\0', (size_t)count) != NULL)
        return 0;
    memcpy(text, name, (size_t)count);
    number = functions.substring_number_from_name(pcre2->codes[PROGRAM_LINES], text);
    return number > 0 ? (uint32_t)number : 0;
}
