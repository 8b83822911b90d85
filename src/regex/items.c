/* items: reads an item of a list, and lists its texts if there are few (items.h). */
#include "regex/items.h"

#include <string.h>

#include "base/checked.h"
#include "regex/syntax/sets.h"

#define DEPTH_MAX 8u /* the most groups inside each other */

static bool add_string(struct split_strings *to, const uint8_t *first, uint32_t first_bytes,
                       const uint8_t *second, uint32_t second_bytes)
{
    struct split_string *made = &to->items[to->count];

    if (to->count == SPLIT_STRINGS_MAX || first_bytes + second_bytes > SPLIT_STRING_BYTES)
        return false;
    memcpy(made->bytes, first, first_bytes);
    memcpy(made->bytes + first_bytes, second, second_bytes);
    made->bytes_count = first_bytes + second_bytes;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->items[i].bytes_count == made->bytes_count &&
            memcmp(to->items[i].bytes, made->bytes, made->bytes_count) == 0)
            return true;
    to->count++;
    return true;
}

static bool add_strings(struct split_strings *to, const struct split_strings *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        if (!add_string(to, more->items[i].bytes, more->items[i].bytes_count, (const uint8_t *)"",
                        0))
            return false;
    return true;
}

bool items_append(struct split_strings *to, const struct split_strings *more, uint32_t most)
{
    struct split_strings made;

    made.count = 0;
    if ((uint64_t)to->count * more->count > most)
        return false;
    for (uint32_t i = 0; i < to->count; i++)
        for (uint32_t k = 0; k < more->count; k++)
            if (!add_string(&made, to->items[i].bytes, to->items[i].bytes_count,
                            more->items[k].bytes, more->items[k].bytes_count))
                return false;
    to->count = made.count;
    memcpy(to->items, made.items, made.count * sizeof *made.items);
    return true;
}

void items_empty(struct split_strings *to)
{
    to->count = 1;
    to->items[0].bytes_count = 0;
}

bool items_have_empty(const struct split_strings *strings)
{
    for (uint32_t i = 0; i < strings->count; i++)
        if (strings->items[i].bytes_count == 0)
            return true;
    return false;
}

/* In a language like Turkish, in which i and I are different letters: returns true if the character
 * is i or I, or has i or I as another case. Such a character is in no string, because an engine
 * takes i and I for equal. */
static bool is_case_of_i(const struct splitter *splitter, const uint8_t *bytes,
                         uint32_t bytes_count)
{
    const struct trawl_letters *letters = &splitter->options->options->letters;
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], code_point = 0, count = 0;
    bool is_case = false;

    if (splitter->options->splits_i && plan_utf8_decode(bytes, bytes_count, &code_point) > 0)
        count = letters->variants(letters->context, code_point, variants);
    for (uint32_t i = 0; i < count; i++)
        is_case |= (variants[i] | 0x20) == 'i';
    return is_case;
}

/* Adds a character, or a byte if each byte is a character, to a set of strings. Returns false if
 * the set is full, or if case is ignored and an engine may not know the character's other cases. */
static bool add_character(const struct splitter *splitter, bool folds, struct split_strings *set,
                          const uint8_t *bytes, uint32_t bytes_count)
{
    uint8_t byte = bytes[0];

    if (folds) {
        if ((byte >= 0x80 && splitter->options->options->bytes) ||
            is_case_of_i(splitter, bytes, bytes_count))
            return false;
        if (byte >= 'A' && byte <= 'Z')
            byte |= 0x20;
        if (byte < 0x80)
            bytes = &byte;
    }
    return add_string(set, bytes, bytes_count, (const uint8_t *)"", 0);
}

/* Stores the letters that differ from the letter only in case, and returns their number. */
static uint32_t cases_of(const struct splitter *splitter, uint32_t code, uint32_t *variants)
{
    const struct trawl_letters *letters = &splitter->options->options->letters;

    if (letters->variants != NULL)
        return letters->variants(letters->context, code, variants);
    variants[0] = code ^ 0x20;
    return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

/* Sets *least to the least letter whose search under -i finds `code`. That is not always another
 * case of it: for grep, U+1C80 has the cases U+0412 and U+0432, but they do not have U+1C80.
 * Returns false if the set lacks a case: an engine would find it, too. */
static bool least_case(const struct splitter *splitter, const struct syntax_node *node,
                       uint32_t code, uint32_t *least)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], back[TRAWL_UTF8_VARIANTS_MAX];
    const uint32_t count = cases_of(splitter, code, variants);
    bool holds = true;

    *least = code;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t finds = variants[i] < *least ? cases_of(splitter, variants[i], back) : 0;

        while (finds > 0 && back[finds - 1] != code)
            finds--;
        if (finds > 0)
            *least = variants[i];
        holds &= sets_hold(node, variants[i]);
    }
    return holds;
}

/* Adds the characters of a class or an escape. Returns false if there are too many. */
static bool list_set(const struct splitter *splitter, const struct syntax_node *node,
                     struct split_strings *set)
{
    const bool folds = (node->flags & SYNTAX_FOLDS) != 0;
    uint64_t count = 0;

    for (uint32_t i = 0; i < node->set_count; i++)
        count += node->set[i].last - node->set[i].first + UINT64_C(1);
    if (count > (folds ? 2 : 1) * SPLIT_STRINGS_MAX) /* with both cases of each letter */
        return false;
    for (uint32_t i = 0; i < node->set_count; i++)
        for (uint32_t code = node->set[i].first; code <= node->set[i].last; code++) {
            uint32_t least = code, length = 1;
            uint8_t bytes[4];

            if (folds && !least_case(splitter, node, code, &least))
                return false;
            bytes[0] = (uint8_t)least;
            if (!splitter->options->options->bytes)
                length = plan_utf8_encode(least, bytes);
            if (!add_character(splitter, folds, set, bytes, length))
                return false;
        }
    return set->count > 0;
}

/* Lists the texts of a group. Returns true if *all has all of them. */
static bool list_group(struct splitter *splitter, const struct syntax_node *group, uint32_t depth,
                       struct item *item, struct split_strings *all)
{
    bool lists = true;

    splitter->gives_up |= depth == DEPTH_MAX;
    all->count = 0;
    for (uint32_t i = 0; i < group->count && !splitter->gives_up; i++) {
        const struct syntax_node *list = group->items[i];
        struct split_strings texts, set;

        items_empty(&texts);
        for (uint32_t k = 0; k < list->count; k++) {
            struct item inside;

            items_read(splitter, list->items[k], depth + 1, &inside, &set);
            lists = lists && inside.lists && !inside.goes_on &&
                    items_append(&texts, &set, SPLIT_STRINGS_MAX);
            item->folds |= inside.folds;
            item->keeps |= inside.keeps;
        }
        lists = lists && add_strings(all, &texts);
    }
    return lists;
}

/* Applies a repetition to the item's listed texts in *set. Returns true if the texts can still be
 * listed. */
static bool repeat(const struct syntax_node *node, struct item *item, struct split_strings *set)
{
    const struct split_strings once = *set;
    struct split_strings power, all;

    items_empty(&power);
    for (uint32_t i = 0; i < node->least; i++)
        if (!items_append(&power, &once, SPLIT_STRINGS_MAX))
            return false;
    all = power;
    for (uint32_t i = node->least; i < node->most; i++)
        if (i > node->least + SPLIT_STRING_BYTES || node->most == SYNTAX_ENDLESS ||
            !items_append(&power, &once, SPLIT_STRINGS_MAX) || !add_strings(&all, &power)) {
            item->goes_on = true; /* list only the least number of repetitions: more may follow */
            break;
        }
    if (!item->goes_on) {
        *set = all;
        return true;
    }
    items_empty(set);
    for (uint32_t i = 0; i < node->least; i++)
        if (!items_append(set, &once, SPLIT_STRINGS_MAX))
            return false;
    return node->least > 0;
}

void items_read(struct splitter *splitter, const struct syntax_node *node, uint32_t depth,
                struct item *item, struct split_strings *set)
{
    const struct syntax_node *once = syntax_once(node);

    *item = (struct item){.node = node, .once = once, .least = 1};
    set->count = 0;
    switch (once->kind) {
    case SYNTAX_EMPTY:
        items_empty(set);
        item->lists = true;
        break;
    case SYNTAX_CHAR:
    case SYNTAX_SET:
    case SYNTAX_BYTE:
        item->lists = once->kind == SYNTAX_CHAR
                          ? add_character(splitter, (once->flags & SYNTAX_FOLDS) != 0, set,
                                          (const uint8_t *)once->bytes, once->bytes_count)
                          : once->kind == SYNTAX_SET && list_set(splitter, once, set);
        item->folds = item->lists && (once->flags & SYNTAX_FOLDS) != 0;
        item->keeps = item->lists && !item->folds;
        break;
    case SYNTAX_EDGE:
        break;
    default:
        TRAWL_ASSERT(once->kind == SYNTAX_GROUP);
        item->is_group = true;
        item->lists = list_group(splitter, once, depth, item, set);
    }
    for (; node->kind == SYNTAX_REPEAT; node = node->items[0]) {
        const bool is_only = node->items[0] == once;

        if (!item->repeats) /* the outermost repetition */
            item->least = node->least;
        item->repeats = true;
        item->lists = item->lists && is_only && repeat(node, item, set);
        item->is_group &= node->least > 0;
    }
}
