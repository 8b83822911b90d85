/* glob: a pattern for names, compiled once and matched against many.
 *
 * A pattern is compiled into an array of codes. Matching remembers two positions to backtrack to:
 * the last * and the last **. An earlier * never has to be tried again: the codes between two stars
 * matched as early as possible, which leaves the longest rest of the name to the codes after. So
 * matching takes at most time proportional to pattern length × name length.
 */
#include "trawl/files/glob.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Codes below 256 are bytes; CODE_CLASS and above are sets of bytes. */
#define CODE_ANY 256u         /* ? */
#define CODE_STAR 257u        /* * */
#define CODE_DEEP 258u        /* ** at the end */
#define CODE_DIRECTORIES 259u /* ** with the slash after it */
#define CODE_CLASS 512u

#define CLASSES_MAX (UINT16_MAX - CODE_CLASS)
#define EXPANDED_MAX 4096u
#define NONE SIZE_MAX

const char *glob_status_text(enum glob_status status)
{
    static const char *const texts[] = {
        [GLOB_GOOD] = "",
        [GLOB_MEMORY] = "memory exhausted",
        [GLOB_UNCLOSED_CLASS] = "'[' without ']'",
        [GLOB_BAD_RANGE] = "a range of '[...]' runs backwards",
        [GLOB_DANGLING_ESCAPE] = "nothing follows the last backslash",
        [GLOB_UNCLOSED_BRACE] = "'{' without '}'",
        [GLOB_UNOPENED_BRACE] = "'}' without '{'",
        [GLOB_TOO_MANY] = "too many alternatives",
    };

    return texts[status];
}

static bool is_any_case(const struct glob *glob)
{
    return (glob->flags & GLOB_ANY_CASE) != 0;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static void add_byte(uint8_t *set, unsigned byte)
{
    set[byte / 8] |= (uint8_t)(1u << byte % 8);
}

static bool has_byte(const uint8_t *set, unsigned byte)
{
    return ((unsigned)set[byte / 8] >> byte % 8 & 1u) != 0;
}

/* Adds the bytes of the class [:name:] that begins at `at`. Returns the offset after the class; 0:
 * no such class. */
static size_t add_posix_class(uint8_t *set, const char *pattern, size_t bytes, size_t at)
{
    static const struct {
        const char *name;
        int (*is)(int);
    } names[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
                 {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
                 {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t name_bytes = strlen(names[i].name);

        if (bytes - at < name_bytes + 4 ||
            memcmp(pattern + at + 2, names[i].name, name_bytes) != 0 ||
            memcmp(pattern + at + 2 + name_bytes, ":]", 2) != 0)
            continue;
        for (int byte = 0; byte < 128; byte++)
            if (names[i].is(byte))
                add_byte(set, (unsigned)byte);
        return at + name_bytes + 4;
    }
    return 0;
}

/* Reads a byte of a set, perhaps after a backslash. Returns the offset after the byte; 0: the
 * pattern ends. */
static size_t take_member(const char *pattern, size_t bytes, size_t at, unsigned *member)
{
    if (at < bytes && pattern[at] == '\\')
        at++;
    if (at >= bytes)
        return 0;
    *member = (unsigned char)pattern[at];
    return at + 1;
}

static void add_range(uint8_t *set, unsigned low, unsigned high)
{
    for (unsigned byte = low; byte <= high; byte++)
        add_byte(set, byte);
}

/* Reads the members of a set as git does, from `at` to the ']'. Returns the offset of the ']';
 * `bytes`: there is none. */
static size_t read_members_of_git(uint8_t *set, const char *pattern, size_t bytes, size_t at)
{
    for (size_t first = at; at < bytes && (pattern[at] != ']' || at == first);) {
        unsigned low = 0, high;
        size_t end = pattern[at] == '[' && at + 1 < bytes && pattern[at + 1] == ':'
                         ? add_posix_class(set, pattern, bytes, at)
                         : 0;

        if (end != 0) {
            at = end;
            continue;
        }
        at = take_member(pattern, bytes, at, &low);
        if (at == 0)
            return bytes;
        high = low;
        if (at + 1 < bytes && pattern[at] == '-' && pattern[at + 1] != ']') {
            at = take_member(pattern, bytes, at + 1, &high);
            if (at == 0)
                return bytes;
        }
        add_range(set, low, low > high ? low : high);
    }
    return at;
}

/* Reads the members of a set as ripgrep does: a backslash and [: have no special meaning, and
 * [a-c-e] is [a-e]. Returns as read_members_of_git. Sets *backwards if a range runs backwards. */
static size_t read_members(uint8_t *set, const char *pattern, size_t bytes, size_t at,
                           bool *backwards)
{
    unsigned low = 1, high = 0; /* the last range; none so far */
    bool in_range = false;

    for (size_t first = at; at < bytes && (pattern[at] != ']' || at == first); at++) {
        unsigned byte = (unsigned char)pattern[at];

        if (byte == '-' && at > first && !in_range) {
            in_range = true;
            continue;
        }
        if (!in_range) {
            add_range(set, low, high);
            low = byte;
        }
        high = byte;
        *backwards |= low > high;
        in_range = false;
    }
    add_range(set, low, high);
    if (in_range)
        add_byte(set, '-');
    return at;
}

/* Reads a set from *at, the offset after '[', and moves *at after the ']'. */
static enum glob_status read_class(uint8_t *set, unsigned flags, const char *pattern, size_t bytes,
                                   size_t *at)
{
    size_t i = *at;
    bool negated = i < bytes && (pattern[i] == '!' || pattern[i] == '^'), backwards = false;

    memset(set, 0, 32);
    i += negated;
    i = (flags & GLOB_GIT) != 0 ? read_members_of_git(set, pattern, bytes, i)
                                : read_members(set, pattern, bytes, i, &backwards);
    if (i >= bytes)
        return GLOB_UNCLOSED_CLASS;
    *at = i + 1;
    if (backwards)
        return GLOB_BAD_RANGE;
    for (unsigned byte = 'a'; (flags & GLOB_ANY_CASE) != 0 && byte <= 'z'; byte++)
        if (has_byte(set, byte) || has_byte(set, byte - 'a' + 'A')) {
            add_byte(set, byte);
            add_byte(set, byte - 'a' + 'A');
        }
    for (unsigned j = 0; negated && j < 32; j++)
        set[j] = (uint8_t)~set[j];
    set['/' / 8] &= (uint8_t) ~(1u << '/' % 8);
    return GLOB_GOOD;
}

/* Compiles a set in brackets; *at is the offset after '['. */
static enum glob_status add_class(struct glob *glob, const char *pattern, size_t bytes, size_t *at)
{
    void *larger;
    enum glob_status status;
    uint8_t *set;

    if (glob->class_count >= CLASSES_MAX)
        return GLOB_TOO_MANY;
    larger = realloc(glob->classes, (glob->class_count + 1) * sizeof *glob->classes);
    if (larger == NULL)
        return GLOB_MEMORY;
    glob->classes = larger;
    set = glob->classes[glob->class_count];
    status = read_class(set, glob->flags, pattern, bytes, at);
    if (status == GLOB_GOOD)
        glob->codes[glob->code_count++] = (uint16_t)(CODE_CLASS + glob->class_count++);
    return status;
}

/* Adds the code for the stars at *at, and moves *at past them (and the slash of a **). */
static void add_stars(struct glob *glob, const char *pattern, size_t bytes, size_t *at)
{
    size_t begin = *at, end = begin;
    uint16_t code = CODE_STAR;

    while (end < bytes && pattern[end] == '*')
        end++;
    if ((end - begin == 2 || (end - begin > 2 && (glob->flags & GLOB_GIT) != 0)) &&
        (begin == 0 || pattern[begin - 1] == '/')) {
        if (end == bytes) {
            code = CODE_DEEP;
        } else if (pattern[end] == '/') {
            code = CODE_DIRECTORIES;
            end++;
        }
    }
    glob->codes[glob->code_count++] = code;
    *at = end;
}

/* Finds the glob's shape. A text without a star is compared without codes; so is a text without a
 * slash that has one star, at its start or end. */
static enum glob_status glob_classify(struct glob *glob)
{
    size_t first = 0, last = glob->code_count;

    glob->shape = GLOB_LITERAL;
    if (last > 0 && glob->codes[0] == CODE_STAR) {
        glob->shape = GLOB_SUFFIX;
        first++;
    } else if (last > 0 && glob->codes[last - 1] == CODE_STAR) {
        glob->shape = GLOB_PREFIX;
        last--;
    }
    for (size_t i = first; i < last; i++)
        if (glob->codes[i] >= 256 || (glob->shape != GLOB_LITERAL && glob->codes[i] == '/')) {
            glob->shape = GLOB_GENERAL;
            return GLOB_GOOD;
        }
    glob->text = malloc(last - first + 1);
    if (glob->text == NULL)
        return GLOB_MEMORY;
    for (size_t i = first; i < last; i++)
        glob->text[i - first] = (char)glob->codes[i];
    glob->text[last - first] = '\0';
    glob->text_bytes = last - first;
    free(glob->codes);
    glob->codes = NULL;
    return GLOB_GOOD;
}

enum glob_status glob_compile(struct glob *glob, const char *pattern, size_t bytes, unsigned flags)
{
    enum glob_status status = GLOB_GOOD;

    memset(glob, 0, sizeof *glob);
    glob->flags = flags;
    glob->codes = malloc((bytes + 1) * sizeof *glob->codes);
    if (glob->codes == NULL)
        return GLOB_MEMORY;
    for (size_t at = 0; at < bytes && status == GLOB_GOOD;) {
        unsigned char byte = (unsigned char)pattern[at];

        if (byte == '*') {
            add_stars(glob, pattern, bytes, &at);
            continue;
        }
        at++;
        if (byte == '[') {
            status = add_class(glob, pattern, bytes, &at);
            continue;
        }
        if (byte == '\\') {
            if (at == bytes)
                status = GLOB_DANGLING_ESCAPE;
            else
                byte = (unsigned char)pattern[at++];
        } else if (byte == '?') {
            glob->codes[glob->code_count++] = CODE_ANY;
            continue;
        }
        glob->codes[glob->code_count++] =
            is_any_case(glob) && byte < 128 ? (uint16_t)tolower(byte) : byte;
    }
    if (status == GLOB_GOOD)
        status = glob_classify(glob);
    if (status != GLOB_GOOD)
        glob_free(glob);
    return status;
}

void glob_free(struct glob *glob)
{
    free(glob->text);
    free(glob->codes);
    free(glob->classes);
    memset(glob, 0, sizeof *glob);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static unsigned folded(const struct glob *glob, char byte)
{
    unsigned value = (unsigned char)byte;

    return is_any_case(glob) && value >= 'A' && value <= 'Z' ? value - 'A' + 'a' : value;
}

static bool same_text(const struct glob *glob, const char *name)
{
    if (!is_any_case(glob))
        return memcmp(glob->text, name, glob->text_bytes) == 0;
    for (size_t i = 0; i < glob->text_bytes; i++)
        if (folded(glob, name[i]) != (unsigned char)glob->text[i])
            return false;
    return true;
}

static bool code_takes(const struct glob *glob, unsigned code, char byte)
{
    if (code < 256)
        return code == folded(glob, byte);
    if (code == CODE_ANY)
        return byte != '/';
    return has_byte(glob->classes[code - CODE_CLASS], (unsigned char)byte);
}

/* Returns the offset after the next slash starting at `at`; NONE: no slash follows. */
static size_t next_directory(const char *name, size_t bytes, size_t at)
{
    const char *slash = at < bytes ? memchr(name + at, '/', bytes - at) : NULL;

    return slash == NULL ? NONE : (size_t)(slash - name) + 1;
}

/* Rejects most names quickly: most globs begin or end with a plain byte, which most names do not
 * have in that place. */
static bool may_match(const struct glob *glob, const char *name, size_t bytes)
{
    unsigned first = glob->code_count == 0 ? CODE_STAR : glob->codes[0];
    unsigned last = glob->code_count == 0 ? CODE_STAR : glob->codes[glob->code_count - 1];

    if (first < 256 && (bytes == 0 || folded(glob, name[0]) != first))
        return false;
    return last >= 256 || (bytes > 0 && folded(glob, name[bytes - 1]) == last);
}

/* Matches a name against the codes. `star` and `deep` are the indexes of the codes after the last *
 * and the last **. star_at and deep_at are the offsets in the name up to which these stars reach.
 */
static bool matches_codes(const struct glob *glob, const char *name, size_t bytes)
{
    size_t code_at = 0, at = 0, star = NONE, star_at = 0, deep = NONE, deep_at = 0;

    for (;;) {
        unsigned code = code_at < glob->code_count ? glob->codes[code_at] : 0;

        if (code_at == glob->code_count) {
            if (at == bytes)
                return true;
        } else if (code == CODE_STAR) {
            star = ++code_at;
            star_at = at;
            continue;
        } else if (code == CODE_DEEP) {
            return true;
        } else if (code == CODE_DIRECTORIES) {
            deep = ++code_at;
            deep_at = at;
            star = NONE;
            continue;
        } else if (at < bytes && code_takes(glob, code, name[at])) {
            code_at++;
            at++;
            continue;
        }
        if (star != NONE && star_at < bytes && name[star_at] != '/') {
            at = ++star_at;
            code_at = star;
        } else if (deep != NONE && (deep_at = next_directory(name, bytes, deep_at)) != NONE) {
            at = deep_at;
            code_at = deep;
            star = NONE;
        } else {
            return false;
        }
    }
}

bool glob_matches(const struct glob *glob, const char *name, size_t bytes)
{
    size_t rest = bytes - glob->text_bytes;

    if (glob->shape == GLOB_GENERAL)
        return may_match(glob, name, bytes) && matches_codes(glob, name, bytes);
    if (bytes < glob->text_bytes)
        return false;
    switch (glob->shape) {
    case GLOB_LITERAL:
        return rest == 0 && same_text(glob, name);
    case GLOB_SUFFIX:
        return same_text(glob, name + rest) && memchr(name, '/', rest) == NULL;
    case GLOB_PREFIX:
        return same_text(glob, name) && memchr(name + glob->text_bytes, '/', rest) == NULL;
    case GLOB_GENERAL:
        break;
    }
    return false;
}

/* ---- Braces ---------------------------------------------------------------------------------- */

struct expansion {
    enum glob_status (*take)(void *context, const char *pattern, size_t bytes);
    void *context;
    unsigned count;
};

/* Returns the offset after the element at `at`, which is an escaped byte, a set or a single
 * byte. */
static size_t skip_one(const char *pattern, size_t bytes, size_t at)
{
    uint8_t set[32];
    size_t end = at + 1;

    if (pattern[at] == '\\')
        return at + 1 < bytes ? at + 2 : at + 1;
    if (pattern[at] == '[')
        (void)read_class(set, 0, pattern, bytes, &end);
    return end;
}

/* Returns the offset of the ',' or '}' that ends the alternative in which `at` lies, skipping inner
 * braces; NONE: the pattern ends before. */
static size_t alternative_end(const char *pattern, size_t bytes, size_t at)
{
    size_t depth = 0;

    for (; at < bytes; at = skip_one(pattern, bytes, at)) {
        if (depth == 0 && (pattern[at] == ',' || pattern[at] == '}'))
            return at;
        depth += pattern[at] == '{';
        depth -= pattern[at] == '}';
    }
    return NONE;
}

/* Finds the first '{' that is neither escaped nor in a set, and the matching '}'. *open is `bytes`
 * if there is no '{'. */
static enum glob_status find_brace(const char *pattern, size_t bytes, size_t *open, size_t *close)
{
    size_t at = 0;

    while (at < bytes && pattern[at] != '{' && pattern[at] != '}')
        at = skip_one(pattern, bytes, at);
    *open = at;
    if (at < bytes && pattern[at] == '}')
        return GLOB_UNOPENED_BRACE;
    if (at >= bytes) {
        *open = bytes;
        return GLOB_GOOD;
    }
    do {
        at = alternative_end(pattern, bytes, at + 1);
        if (at == NONE)
            return GLOB_UNCLOSED_BRACE;
    } while (pattern[at] == ',');
    *close = at;
    return GLOB_GOOD;
}

/* expand replaces a pair of braces, and calls itself for the next pair. EXPANDED_MAX limits the
 * number of results, but not the depth of these calls: {a}{a}{a} has a single result at depth 3. So
 * a pattern that needs a depth of more than BRACES_MAX is rejected. */
#define BRACES_MAX 64u

/* Passes a pattern without braces to expansion->take. Otherwise calls itself with each pattern that
 * results from the first pair of braces. */
static enum glob_status expand(struct expansion *expansion, const char *pattern, size_t bytes,
                               unsigned depth)
{
    size_t open = 0, close = 0, begin, end;
    enum glob_status status = find_brace(pattern, bytes, &open, &close);
    bool taken = false;
    char *joined;

    if (status != GLOB_GOOD)
        return status;
    if (open == bytes)
        return ++expansion->count > EXPANDED_MAX
                   ? GLOB_TOO_MANY
                   : expansion->take(expansion->context, pattern, bytes);
    if (depth == BRACES_MAX)
        return GLOB_TOO_MANY;
    joined = malloc(bytes);
    if (joined == NULL)
        return GLOB_MEMORY;
    memcpy(joined, pattern, open);
    for (begin = open + 1; status == GLOB_GOOD; begin = end + 1) {
        end = alternative_end(pattern, bytes, begin);
        /* as ripgrep does: {a,} means {a}, and {,} means {} */
        if (end > begin || (end == close && !taken)) {
            memcpy(joined + open, pattern + begin, end - begin);
            memcpy(joined + open + (end - begin), pattern + close + 1, bytes - close - 1);
            status = expand(expansion, joined, open + (end - begin) + bytes - close - 1, depth + 1);
            taken = true;
        }
        if (end == close)
            break;
    }
    free(joined);
    return status;
}

enum glob_status glob_expand(const char *pattern, size_t bytes,
                             enum glob_status (*take)(void *context, const char *pattern,
                                                      size_t bytes),
                             void *context)
{
    struct expansion expansion = {take, context, 0};

    return expand(&expansion, pattern, bytes, 0);
}
