/* one_pass: matches simple expressions byte by byte (sequence.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/sequence.h"

/* A try looks for a match at one begin. When failed tries have read WASTE_MAX bytes, and
 * WASTE_SHARE times the bytes by which the search has advanced, RE2 takes over. So the time stays
 * linear. */
#define WASTE_MAX 256u
#define WASTE_SHARE 4u
#define KEY_LEAST 3u /* shorter strings are frequent */

/* What a byte means for a character of the sequence. ASKS: the byte belongs to a character of
 * several bytes, which may fit, so RE2 decides. */
enum kind { FAILS, FITS, ASKS };

struct one_pass {
    /* where a match may begin: anywhere, at the text's begin, or at each line's begin */
    enum { AT_ALL, AT_TEXT, AT_LINES } begins;
    /* The key is a string that each match holds; of 0 bytes: there is none. Before the key a match
     * has at most `head_most` bytes, all of them set in `head_kinds`. */
    uint8_t key[SEQUENCE_MAX];
    uint32_t key_count;
    uint64_t head_most;
    bool head_kinds[256];
    uint32_t group_count; /* the whole match first */
    struct sequence_group groups[SEQUENCE_GROUPS_MAX + 1];
    uint32_t count;
    struct one_pass_item {
        uint64_t least, most;
        uint8_t kinds[256]; /* for each byte, whether it fits */
    } items[];
};

/* Returns true if each match has at least a byte, and no character that a repetition takes may also
 * begin what follows the repetition. */
static bool is_plain(const struct one_pass *made)
{
    const struct one_pass_item *items = made->items;

    for (uint32_t i = 0; i < made->count; i++)
        for (uint32_t next = i + 1; items[i].least < items[i].most && next < made->count; next++) {
            for (uint32_t byte = 0; byte < 256; byte++)
                if (items[i].kinds[byte] != FAILS && items[next].kinds[byte] != FAILS)
                    return false;
            if (items[next].least > 0)
                break;
        }
    return made->count > 0 && items[0].least > 0;
}

static void fill_item(const struct sequence_item *from, const struct regex_options *options,
                      struct one_pass_item *item)
{
    const struct syntax_node *node = from->node;

    item->least = from->least;
    item->most = from->most == SYNTAX_ENDLESS ? UINT64_MAX : from->most;
    for (uint32_t i = 0; i < node->set_count; i++)
        for (uint32_t code = node->set[i].first; code <= min_u64(node->set[i].last, 0xff); code++)
            item->kinds[code] = FITS;
    if (!options->bytes)
        memset(item->kinds + 0x80,
               node->set_count > 0 && node->set[node->set_count - 1].last >= 0x80 ? ASKS : FAILS,
               0x80);
    if (options->lines)
        item->kinds['\n'] = FAILS;
}

/* Returns the only byte that fits the item; -1: several fit, or none. */
static int only_byte(const struct one_pass_item *item)
{
    int only = -1;

    for (int byte = 0; byte < 256; byte++)
        if (item->kinds[byte] != FAILS) {
            if (only >= 0 || item->kinds[byte] == ASKS)
                return -1;
            only = byte;
        }
    return only;
}

static bool is_sign(int byte)
{
    return byte > ' ' && byte < 0x80 && (byte == '_' || !class_is_word_byte((char)byte));
}

/* Chooses the key: the first item that is always the same sign, such as '@', because signs are rare
 * in most texts, or else the longest string of KEY_LEAST and more items that are always the same
 * byte. Computes which and how many bytes may come before the key. */
static void find_key(struct one_pass *made)
{
    uint32_t first = 0, count = 0;

    for (uint32_t i = 0, run = 0; i < made->count && (count != 1 || !is_sign(made->key[0])); i++) {
        const struct one_pass_item *item = &made->items[i];
        const int only = item->least > 0 ? only_byte(item) : -1;

        run = only >= 0 && item->least == item->most && item->most == 1 ? run + 1 : 0;
        if (is_sign(only) || run > count) {
            count = is_sign(only) ? 1 : run;
            first = i + 1 - count;
            made->key[0] = (uint8_t)only_byte(&made->items[first]);
        }
    }
    if (count < KEY_LEAST && !is_sign(made->key[0]))
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        made->key[i] = (uint8_t)only_byte(&made->items[first + i]);
    made->key_count = count;
    for (uint32_t i = 0; i < first; i++) {
        const struct one_pass_item *item = &made->items[i];

        /* a character beyond ASCII has up to 4 bytes */
        for (int bytes = item->kinds[0xff] == ASKS ? 4 : 1; bytes > 0; bytes--)
            made->head_most = item->most > UINT64_MAX - made->head_most
                                  ? UINT64_MAX
                                  : made->head_most + item->most;
        for (uint32_t k = 0; k < 256; k++)
            made->head_kinds[k] |= item->kinds[k] != FAILS;
    }
}

enum trawl_status one_pass_make(const struct syntax_node *root, const struct regex_options *options,
                                struct one_pass **out, struct trawl_error *error)
{
    struct sequence sequence = {.count = 0};
    struct one_pass *made;
    uint32_t first = 0;
    void *memory;

    *out = NULL;
    if (options->marks != REGEX_UNMARKED || !sequence_add(&sequence, root, false) ||
        sequence.is_lazy)
        return TRAWL_OK;
    while (first < sequence.count && sequence.items[first].edge == EDGE_BEGIN)
        first++;
    for (uint32_t i = first; i < sequence.count; i++)
        if (sequence.items[i].edge != 0 || sequence.items[i].skips > 0)
            return TRAWL_OK;
    TRAWL_TRY(memory_allocate_zeroed(
        1, sizeof *made + (sequence.count - first) * sizeof *made->items, &memory, error));
    made = (struct one_pass *)memory;
    made->count = sequence.count - first;
    made->group_count = sequence.group_count + 1;
    made->groups[0] = (struct sequence_group){0, made->count};
    for (uint32_t i = 0; i < sequence.group_count; i++)
        made->groups[i + 1] =
            (struct sequence_group){(uint32_t)(max_u64(sequence.groups[i].first, first) - first),
                                    (uint32_t)(max_u64(sequence.groups[i].end, first) - first)};
    for (uint32_t i = 0; i < first; i++) /* both of ^(?m:^) hold */
        made->begins = made->begins != AT_TEXT && (options->lines || sequence.items[i].by_lines)
                           ? AT_LINES
                           : AT_TEXT;
    for (uint32_t i = 0; i < made->count; i++)
        fill_item(&sequence.items[first + i], options, &made->items[i]);
    if (made->begins == AT_ALL)
        find_key(made);
    if (is_plain(made))
        *out = made;
    else
        one_pass_free(made);
    return TRAWL_OK;
}

void one_pass_free(struct one_pass *matcher)
{
    if (matcher != NULL)
        memory_release(matcher, 1, sizeof *matcher + matcher->count * sizeof *matcher->items);
}

/* Looks for the next key, and returns the first place from `begin` on where a match with this key
 * may begin; UINT64_MAX: there is no match. *known is the offset after the key that was found
 * last. */
static uint64_t begin_by_key(const struct one_pass *matcher, const uint8_t *text, uint64_t begin,
                             uint64_t to, uint64_t *known)
{
    const uint8_t *found;
    uint64_t at;

    if (begin < *known && *known - begin <= matcher->head_most)
        return begin;
    found = memmem(text + begin, (size_t)(to - begin), matcher->key, matcher->key_count);
    if (found == NULL)
        return UINT64_MAX;
    at = (uint64_t)(found - text);
    *known = at + 1;
    for (uint64_t most = matcher->head_most;
         at > begin && most > 0 && matcher->head_kinds[text[at - 1]]; most--)
        at--;
    return at;
}

/* Returns the first place from `begin` on where a match may begin; UINT64_MAX: there is none. */
static uint64_t next_begin(const struct one_pass *matcher, const uint8_t *text, uint64_t begin,
                           uint64_t to, uint64_t *known)
{
    const struct one_pass_item *first = &matcher->items[0];
    const uint8_t *line;

    if (matcher->key_count > 0)
        begin = begin_by_key(matcher, text, begin, to, known);
    if (matcher->begins == AT_LINES && begin > 0 && text[begin - 1] != '\n') {
        line = begin < to ? memchr(text + begin, '\n', (size_t)(to - begin)) : NULL;
        return line != NULL ? (uint64_t)(line - text) + 1 : UINT64_MAX;
    }
    if (matcher->begins != AT_ALL || begin == UINT64_MAX)
        return begin;
    /* a match begins with at least first->least bytes that the first item may take */
    for (uint64_t back = first->least; back > 0;) {
        if (first->least > to - begin)
            return UINT64_MAX;
        if (first->kinds[text[begin + back - 1]] != FAILS) {
            back--;
        } else {
            begin += back;
            back = first->least;
        }
    }
    return begin;
}

int one_pass_match(const struct one_pass *matcher, const uint8_t *text, uint64_t from, uint64_t to,
                   enum regex_anchor anchor, struct regex_span *spans, uint32_t span_count)
{
    const struct one_pass_item *first = &matcher->items[0], *last = first + matcher->count;
    uint64_t ends[SEQUENCE_MAX + 1]; /* ends[i]: where the first i items end */
    uint64_t known = 0, waste = 0;

    if (matcher->begins == AT_TEXT && from > 0)
        return 0;
    if (anchor != REGEX_ANYWHERE && matcher->begins == AT_LINES && from > 0 &&
        text[from - 1] != '\n')
        return 0;
    for (uint64_t begin = from;; begin++) {
        uint64_t at, *end = ends;
        bool fits = true;

        if (anchor == REGEX_ANYWHERE)
            begin = next_begin(matcher, text, begin, to, &known);
        if (begin == UINT64_MAX)
            return 0;
        at = *end = begin;
        for (const struct one_pass_item *each = first; each < last && fits; each++) {
            const uint64_t stop = each->most < to - at ? at + each->most : to, here = at;

            while (at < stop && each->kinds[text[at]] == FITS)
                at++;
            if (at < stop && each->kinds[text[at]] == ASKS)
                return -1;
            *++end = at;
            fits = at - here >= each->least;
        }
        if (fits && (anchor != REGEX_WHOLE || at == to)) {
            for (uint32_t i = 0; i < span_count; i++)
                spans[i] = i < matcher->group_count
                               ? (struct regex_span){ends[matcher->groups[i].first],
                                                     ends[matcher->groups[i].end]}
                               : (struct regex_span){UINT64_MAX, UINT64_MAX};
            return 1;
        }
        if (anchor != REGEX_ANYWHERE || matcher->begins == AT_TEXT || begin >= to)
            return 0;
        waste += at - begin;
        if (first->most == UINT64_MAX && ends[1] > begin)
            begin = ends[1] - 1; /* every begin in this run fails as this begin did */
        if (waste > WASTE_MAX && waste / WASTE_SHARE > begin - from)
            return -1;
    }
}
