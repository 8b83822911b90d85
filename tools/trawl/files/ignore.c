/* ignore: a list of rules as in .gitignore.
 *
 * file_filter.c makes a list for each rule file, and types.c uses lists for the globs of types.
 * Adding a rule fails for an invalid glob, if out of memory, or if the guard refuses; the caller
 * writes the message.
 */
#include "trawl/files/ignore.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/text/grow.h"

enum rule_key_kind { KEY_NAME, KEY_PATH, KEY_EXTENSION, KEY_KINDS };

#define GRAM_BYTES_MAX 4u
#define GRAM_RULES_MIN 16u /* fewer rules are tried one by one */

/* A slot of the hash table: a text, with the index + 1 of the last rule with this text for
 * directories, and of the last for other files. 0 means no rule. */
struct rule_slot {
    const char *text; /* NULL: the slot is empty */
    size_t bytes;
    enum rule_key_kind kind;
    uint32_t rule_of_directories, rule_of_files;
};

struct ignore_list {
    const char *source; /* name of the file of rules, for messages */
    unsigned flags;     /* IGNORE_BRACES, IGNORE_ANY_CASE */
    struct guard *guard;
    char *text; /* bytes that ignore_add_text took over */
    struct ignore_rule *rules;
    size_t count, capacity;
    struct rule_slot *slots; /* slot_count is a power of two */
    size_t slot_count;
    /* number of rules in the table for each kind of text; a kind without rules is not looked up */
    size_t key_counts[KEY_KINDS];
    uint32_t *others; /* rules in neither hash table */
    size_t other_count;
    /* A hash table of other rules by a gram: bytes that every path matched by the rule contains.
     * gram_heads has for each hash of a gram the index + 1 of the last rule, and gram_next for each
     * rule the index + 1 of the previous rule; 0 means no rule. */
    uint32_t *gram_heads, *gram_next;
    size_t gram_counts[GRAM_BYTES_MAX + 1]; /* [n]: number of rules with a gram of n bytes */
};

struct ignore_list *ignore_open(const char *source, unsigned flags, struct guard *guard)
{
    struct ignore_list *list = calloc(1, sizeof *list);

    if (list == NULL)
        return NULL;
    list->source = source;
    list->flags = flags;
    list->guard = guard;
    return list;
}

void ignore_close(struct ignore_list *list)
{
    if (list == NULL)
        return;
    for (size_t i = 0; i < list->count; i++)
        glob_free(&list->rules[i].glob);
    free(list->rules);
    free(list->slots);
    free(list->others);
    free(list->gram_heads);
    free(list->gram_next);
    free(list->text);
    free(list);
}

void ignore_set_flags(struct ignore_list *list, unsigned flags)
{
    list->flags = flags;
}

const char *ignore_source(const struct ignore_list *list)
{
    return list->source;
}

size_t ignore_count(const struct ignore_list *list)
{
    return list->count;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct rule_context {
    struct ignore_list *list;
    const struct ignore_rule *like; /* has the rule's members, except for the glob */
};

/* Adds a rule for a pattern without braces, with all other members of rule_context->like. */
static enum glob_status add_rule(void *context, const char *pattern, size_t bytes)
{
    const struct rule_context *rule_context = context;
    struct ignore_list *list = rule_context->list;
    struct ignore_rule *rule;
    enum glob_status status;

    /* The array of rules has room for up to 2 × count rules. A glob's code has two bytes for each
     * byte of the pattern. */
    if (guard_is_over(list->guard) || !guard_take(list->guard, 2 * sizeof *rule + 2 * bytes))
        return GLOB_MEMORY;
    if (!GROW(list->rules, list->capacity, 16, list->count + 1))
        return GLOB_MEMORY;
    if (list->count >= UINT32_MAX - 1)
        return GLOB_TOO_MANY;
    rule = list->rules + list->count;
    *rule = *rule_context->like;
    status = glob_compile(&rule->glob, pattern, bytes,
                          ((list->flags & IGNORE_ANY_CASE) != 0 ? GLOB_ANY_CASE : 0) |
                              ((list->flags & IGNORE_BRACES) == 0 ? GLOB_GIT : 0));
    if (status == GLOB_GOOD)
        list->count++;
    return status;
}

static enum glob_status add_glob(struct ignore_list *list, const char *glob, size_t bytes,
                                 const struct ignore_rule *like)
{
    struct rule_context context = {list, like};

    if ((list->flags & IGNORE_BRACES) != 0)
        return glob_expand(glob, bytes, add_rule, &context);
    return add_rule(&context, glob, bytes);
}

/* Returns the length of the line without the spaces at its end. A space after a backslash stays. */
static size_t trimmed(const char *line, size_t bytes)
{
    size_t end = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (line[i] == '\\') {
            i++;
            if (i == bytes)
                return bytes;
            end = i + 1;
        } else if (line[i] != ' ') {
            end = i + 1;
        }
    }
    return end;
}

enum glob_status ignore_add_line(struct ignore_list *list, const char *line, size_t bytes,
                                 uint32_t number)
{
    struct ignore_rule rule;
    size_t first = 0;

    memset(&rule, 0, sizeof rule);
    bytes = trimmed(line, bytes);
    if (bytes == 0 || line[0] == '#')
        return GLOB_GOOD;
    rule.line = line;
    rule.line_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    rule.line_number = number;
    rule.keeps = line[0] == '!';
    first += rule.keeps;
    if (bytes > first && line[bytes - 1] == '/') {
        rule.directories_only = true;
        bytes--; /* ripgrep also drops the backslash of \/, with which git matches nothing */
        bytes -= (list->flags & IGNORE_BRACES) != 0 && bytes > first && line[bytes - 1] == '\\';
    }
    rule.is_name = bytes == first || memchr(line + first, '/', bytes - first) == NULL;
    if (bytes > first && line[first] == '/')
        first++;
    while (bytes - first > 3 && memcmp(line + first, "**/", 3) == 0 &&
           memchr(line + first + 3, '/', bytes - first - 3) == NULL) {
        first += 3; /* a name in any directory */
        rule.is_name = true;
    }
    if (bytes > first)
        return add_glob(list, line + first, bytes - first, &rule);
    /* ripgrep reads "\/" as a rule about every directory, and "/" as a rule that matches no path */
    rule.is_name = line[rule.keeps] != '/';
    return (list->flags & IGNORE_BRACES) == 0 ? GLOB_GOOD
                                              : add_glob(list, "*", rule.is_name, &rule);
}

enum glob_status ignore_add_name(struct ignore_list *list, const char *glob, size_t bytes,
                                 bool keeps)
{
    struct ignore_rule rule;

    memset(&rule, 0, sizeof rule);
    rule.line = glob;
    rule.line_bytes = (uint32_t)bytes;
    rule.keeps = keeps;
    rule.is_name = true;
    return add_glob(list, glob, bytes, &rule);
}

bool ignore_add_text(struct ignore_list *list, char *text, size_t bytes)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
    size_t at = bytes >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;

    free(list->text);
    list->text = text;
    for (uint32_t number = 1; at < bytes; number++) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t next = end == NULL ? bytes : (size_t)(end - text) + 1;
        size_t line_bytes = (end == NULL ? bytes : next - 1) - at;

        if (line_bytes > 0 && text[at + line_bytes - 1] == '\r')
            line_bytes--;
        if (ignore_add_line(list, text + at, line_bytes, number) == GLOB_MEMORY)
            return false;
        at = next;
    }
    return true;
}

/* ---- The table ------------------------------------------------------------------------------- */

static size_t hash_of(enum rule_key_kind kind, const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) + kind;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* Returns the slot of a text, or the empty slot where the text would be stored. */
static struct rule_slot *find_slot(const struct ignore_list *list, enum rule_key_kind kind,
                                   const char *text, size_t bytes)
{
    size_t at = hash_of(kind, text, bytes);

    for (;; at++) {
        struct rule_slot *slot = &list->slots[at & (list->slot_count - 1)];

        if (slot->text == NULL ||
            (slot->kind == kind && slot->bytes == bytes && memcmp(slot->text, text, bytes) == 0))
            return slot;
    }
}

/* Returns the kind of text by which the hash table finds a rule; KEY_KINDS: the rule does not fit
 * the table. */
static enum rule_key_kind key_of(const struct ignore_rule *rule)
{
    const struct glob *glob = &rule->glob;

    if ((glob->flags & GLOB_ANY_CASE) != 0)
        return KEY_KINDS;
    if (glob->shape == GLOB_LITERAL)
        return rule->is_name ? KEY_NAME : KEY_PATH;
    if (glob->shape == GLOB_SUFFIX && rule->is_name && glob->text[0] == '.' &&
        strchr(glob->text + 1, '.') == NULL)
        return KEY_EXTENSION;
    return KEY_KINDS;
}

static uint8_t folded(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte - 'A' + 'a') : byte;
}

/* Returns the slot of gram_heads for the gram, whose case is ignored. */
static size_t gram_slot(const struct ignore_list *list, const char *bytes, size_t count)
{
    uint32_t hash = (uint32_t)count;

    for (size_t i = 0; i < count; i++)
        hash = hash * 0x01000193u ^ folded((uint8_t)bytes[i]);
    hash *= 0x9e3779b1u;
    return (hash ^ hash >> 15) & (list->slot_count - 1);
}

/* Returns the number of rules in a slot, at most GRAM_RULES_MIN. */
static uint32_t count_rules(const struct ignore_list *list, size_t slot)
{
    uint32_t rules = 0;

    for (uint32_t i = list->gram_heads[slot]; i != 0 && rules < GRAM_RULES_MIN;
         i = list->gram_next[i - 1])
        rules++;
    return rules;
}

/* Puts a rule into the table of grams, by the gram that the fewest earlier rules have. Returns
 * false if the rule has no bytes that every match must contain. */
static bool add_gram(struct ignore_list *list, uint32_t index)
{
    const struct glob *glob = &list->rules[index].glob;
    const size_t count = glob->text != NULL ? glob->text_bytes : glob->code_count;
    char gram[GRAM_BYTES_MAX];
    size_t length = 0, run = 0, best = 0;
    uint32_t fewest = UINT32_MAX;

    for (size_t at = 0; at < count && (fewest > 0 || length < GRAM_BYTES_MAX); at++) {
        const unsigned code = glob->text != NULL ? (uint8_t)glob->text[at] : glob->codes[at];
        uint32_t rules;
        size_t slot;

        run = code >= 256 ? 0 : run < GRAM_BYTES_MAX ? run + 1 : run;
        if (run == 0 || run < length)
            continue;
        for (size_t i = 0; i < run; i++)
            gram[i] = glob->text != NULL ? glob->text[at + 1 - run + i]
                                         : (char)glob->codes[at + 1 - run + i];
        slot = gram_slot(list, gram, run);
        rules = count_rules(list, slot);
        if (run == length && rules >= fewest)
            continue;
        length = run;
        fewest = rules;
        best = slot;
    }
    if (length == 0)
        return false;
    list->gram_next[index] = list->gram_heads[best];
    list->gram_heads[best] = index + 1;
    list->gram_counts[length]++;
    return true;
}

/* Moves the rules that do not fit the table into the table of grams, as far as possible. False: no
 * memory. */
static bool add_grams(struct ignore_list *list)
{
    size_t left = 0;

    if (list->other_count < GRAM_RULES_MIN)
        return true;
    list->gram_heads = calloc(list->slot_count, sizeof *list->gram_heads);
    list->gram_next = calloc(list->count, sizeof *list->gram_next);
    if (list->gram_heads == NULL || list->gram_next == NULL)
        return false;
    for (size_t i = 0; i < list->other_count; i++)
        if (!add_gram(list, list->others[i]))
            list->others[left++] = list->others[i];
    list->other_count = left;
    return true;
}

bool ignore_seal(struct ignore_list *list)
{
    list->slot_count = 4;
    while (list->slot_count < 2 * list->count)
        list->slot_count *= 2;
    list->slots = calloc(list->slot_count, sizeof *list->slots);
    list->others = calloc(list->count + 1, sizeof *list->others);
    if (list->slots == NULL || list->others == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct ignore_rule *rule = &list->rules[i];
        enum rule_key_kind kind = key_of(rule);
        struct rule_slot *slot;

        if (kind == KEY_KINDS) {
            list->others[list->other_count++] = (uint32_t)i;
            continue;
        }
        slot = find_slot(list, kind, rule->glob.text, rule->glob.text_bytes);
        slot->text = rule->glob.text;
        slot->bytes = rule->glob.text_bytes;
        slot->kind = kind;
        slot->rule_of_directories = (uint32_t)i + 1;
        if (!rule->directories_only)
            slot->rule_of_files = (uint32_t)i + 1;
        list->key_counts[kind]++;
    }
    return add_grams(list);
}

/* Returns the greater of `best` and the index + 1 of the last rule that the table has for this
 * text. */
static uint32_t look_up(const struct ignore_list *list, enum rule_key_kind kind, const char *text,
                        size_t bytes, bool is_directory, uint32_t best)
{
    const struct rule_slot *slot;
    uint32_t found;

    if (list->key_counts[kind] == 0)
        return best;
    slot = find_slot(list, kind, text, bytes);
    found = is_directory ? slot->rule_of_directories : slot->rule_of_files;
    return found > best ? found : best;
}

static bool rule_matches(const struct ignore_rule *rule, const char *path, size_t bytes,
                         size_t name_at, bool is_directory)
{
    return (is_directory || !rule->directories_only) &&
           (rule->is_name ? glob_matches(&rule->glob, path + name_at, bytes - name_at)
                          : glob_matches(&rule->glob, path, bytes));
}

/* Returns the greater of `best` and the index + 1 of the last rule that matches, of those in the
 * table of grams. */
static uint32_t look_up_grams(const struct ignore_list *list, const char *path, size_t bytes,
                              size_t name_at, bool is_directory, uint32_t best)
{
    for (size_t count = 1; count <= GRAM_BYTES_MAX; count++)
        for (size_t at = 0; list->gram_counts[count] > 0 && at + count <= bytes; at++)
            for (uint32_t i = list->gram_heads[gram_slot(list, path + at, count)]; i > best;
                 i = list->gram_next[i - 1])
                if (rule_matches(&list->rules[i - 1], path, bytes, name_at, is_directory))
                    best = i;
    return best;
}

const struct ignore_rule *ignore_find(const struct ignore_list *list, const char *path,
                                      size_t bytes, size_t name_at, bool is_directory)
{
    const char *name = path + name_at, *dot;
    size_t name_bytes = bytes - name_at;
    uint32_t best = look_up(list, KEY_NAME, name, name_bytes, is_directory, 0);

    best = look_up(list, KEY_PATH, path, bytes, is_directory, best);
    dot = list->key_counts[KEY_EXTENSION] == 0 ? NULL : memrchr(name, '.', name_bytes);
    if (dot != NULL)
        best = look_up(list, KEY_EXTENSION, dot, name_bytes - (size_t)(dot - name), is_directory,
                       best);
    best = look_up_grams(list, path, bytes, name_at, is_directory, best);
    for (size_t i = list->other_count; i > 0 && list->others[i - 1] + 1 > best; i--) {
        const struct ignore_rule *rule = &list->rules[list->others[i - 1]];

        if (rule_matches(rule, path, bytes, name_at, is_directory))
            return rule;
    }
    return best == 0 ? NULL : &list->rules[best - 1];
}
