/* items: reads an expression in RE2's syntax as tokens, and as items: characters, classes,
 * assertions or groups, each with its repetition. Lists the texts of an item if there are few
 * (items.h). */
#include "regex/items.h"

#include <string.h>

#include "base/checked.h"
#include "regex/class_text.h"

#define DEPTH_MAX 8u /* the most groups inside each other */

static const char flag_letters[] = FLAG_LETTERS;

struct token {
    enum kind kind;
    /* of a token OPEN, the flags inside the group; of FLAGS, the flags from here on */
    uint32_t flags;
    uint32_t least; /* of a token REPEAT: least and greatest number of repetitions */
    uint32_t most;
};

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
    *to = made;
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

static uint8_t peek(const struct reader *reader)
{
    return reader->at < reader->count ? reader->bytes[reader->at] : 0;
}

/* In a language like Turkish, in which i and I are different letters: returns whether the character
 * is i or I, or has i or I as another case. Such a character is in no string, because an engine
 * takes i and I for equal. */
static bool is_case_of_i(const struct reader *reader, const uint8_t *bytes, uint32_t bytes_count)
{
    const struct trawl_letters *letters = &reader->options->options->letters;
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], code_point = 0, count = 0;
    bool is_case = false;

    if (reader->options->splits_i && plan_utf8_decode(bytes, bytes_count, &code_point) > 0)
        count = letters->variants(letters->context, code_point, variants);
    for (uint32_t i = 0; i < count; i++)
        is_case |= (variants[i] | 0x20) == 'i';
    return is_case;
}

/* Adds a character, or a byte if each byte is a character, to a set of strings. Returns false if
 * the set is full, or if case is ignored and an engine may not know the character's other cases. */
static bool add_character(const struct reader *reader, struct split_strings *set,
                          const uint8_t *bytes, uint32_t bytes_count)
{
    uint8_t byte = bytes[0];

    if ((reader->flags & FOLDS) != 0) {
        if ((byte >= 0x80 && reader->options->options->bytes) ||
            is_case_of_i(reader, bytes, bytes_count))
            return false;
        if (byte >= 'A' && byte <= 'Z')
            byte |= 0x20;
        if (byte < 0x80)
            bytes = &byte;
    }
    return add_string(set, bytes, bytes_count, (const uint8_t *)"", 0);
}

static uint32_t character_bytes(const struct reader *reader)
{
    uint32_t code_point;
    uint64_t taken = 0;

    if (!reader->options->options->bytes)
        taken =
            plan_utf8_decode(reader->bytes + reader->at, reader->count - reader->at, &code_point);
    return taken > 0 ? (uint32_t)taken : 1;
}

/* Adds the characters of an escape or class of `count` bytes. Returns false if there are too many
 * characters, or if RE2 cannot list them. */
static bool list_part(const struct reader *reader, const uint8_t *part, uint64_t count,
                      struct split_strings *set)
{
    const struct regex_options *options = reader->options->options;
    struct regex_options alone = *options;
    struct regex_range ranges[SPLIT_STRINGS_MAX];
    uint32_t range_count;

    alone.fold = false;
    range_count = reader->options->ops->list((const char *)part, count, &alone, 0, UINT32_MAX,
                                             ranges, SPLIT_STRINGS_MAX);
    if (range_count == UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < range_count; i++)
        for (uint32_t code = ranges[i].first; code <= ranges[i].last; code++) {
            uint8_t bytes[4] = {(uint8_t)code};
            const uint32_t length = options->bytes ? 1 : plan_utf8_encode(code, bytes);

            if (!add_character(reader, set, bytes, length))
                return false;
        }
    return set->count > 0;
}

/* Reads a class after its '['. Returns whether its characters were added to *set. */
static bool read_class(struct reader *reader, struct split_strings *set)
{
    const uint8_t *class = reader->bytes + reader->at - 1;
    bool is_set;
    const uint64_t length = class_length((const char *)class, reader->count - reader->at + 1,
                                         reader->options->options->ripgrep, &is_set);

    reader->gives_up |= length == 0;
    reader->at += length - (length > 0);
    if (is_set && (reader->flags & FOLDS) != 0)
        return false; /* list_part does not ignore case, so it would list nothing for [a&&A] */
    return length > 0 && class[1] != '^' && !class_has_names((const char *)class, length) &&
           list_part(reader, class, length, set);
}

/* Reads "{n}", "{n,}" or "{n,m}" after the '{'. Returns false, and reads nothing, if the brace
 * stands for itself. */
static bool read_interval(struct reader *reader, struct token *token)
{
    uint64_t at = reader->at, from = at;
    uint32_t value = 0;

    token->least = SPLIT_ENDLESS;
    for (;; at++) {
        const uint8_t byte = at < reader->count ? reader->bytes[at] : 0;

        if (byte >= '0' && byte <= '9' && value < 100000) {
            value = 10 * value + (byte - '0');
        } else if (byte == ',' && token->least == SPLIT_ENDLESS && at > from) {
            token->least = value;
            value = 0;
            from = at + 1;
        } else if (byte == '}' && (at > from || token->least != SPLIT_ENDLESS)) {
            token->most = at > from ? value : SPLIT_ENDLESS;
            token->least = token->least == SPLIT_ENDLESS ? value : token->least;
            reader->at = at + 1;
            return true;
        } else {
            return false;
        }
    }
}

/* Reads "(" and the flags or the name that may follow. */
static void read_open(struct reader *reader, struct token *token)
{
    bool off = false;

    token->kind = OPEN;
    token->flags = reader->flags;
    if (peek(reader) != '?')
        return;
    for (reader->at++; peek(reader) != ':' && peek(reader) != ')'; reader->at++) {
        const uint8_t letter = peek(reader);
        const char *found = letter != 0 ? strchr(flag_letters, letter) : NULL;

        if (letter == 'P') {
            const uint8_t *close = (const uint8_t *)memchr(reader->bytes + reader->at, '>',
                                                           reader->count - reader->at);

            reader->gives_up |= close == NULL;
            if (close != NULL)
                reader->at = (uint64_t)(close - reader->bytes) + 1;
            return;
        }
        if (letter == '-')
            off = true;
        else if (found == NULL)
            reader->gives_up = true;
        else if (off)
            token->flags &= ~(1u << (found - flag_letters));
        else
            token->flags |= 1u << (found - flag_letters);
        if (reader->gives_up)
            return;
    }
    token->kind = peek(reader) == ':' ? OPEN : FLAGS;
    reader->at++;
}

static void read_repeat(struct reader *reader, struct token *token, uint8_t byte)
{
    token->kind = REPEAT;
    if (byte != '{') {
        token->least = byte == '+';
        token->most = byte == '?' ? 1 : SPLIT_ENDLESS;
    }
    reader->at += peek(reader) == '?';
}

static void read_backslash(struct reader *reader, struct token *token, struct split_strings *set)
{
    const uint8_t letter = peek(reader);
    uint64_t taken;
    bool is_set;

    if (letter != 0 && strchr("bBmMhHAz", letter) != NULL) {
        token->kind = EDGE;
        reader->at++;
        return;
    }
    taken = class_part_length((const char *)reader->bytes + reader->at - 1,
                              reader->count - reader->at + 1, false, &is_set);
    token->kind = letter == 0 || strchr("DwWsSpPC", letter) != NULL ||
                          !list_part(reader, reader->bytes + reader->at - 1, taken, set)
                      ? ANY
                      : CHARS;
    reader->at += taken - 1;
}

/* Reads the next token. Stores the texts of a token CHARS in *set. */
static struct token next_token(struct reader *reader, struct split_strings *set)
{
    struct token token = {.kind = END};
    uint32_t taken;
    uint8_t byte, edge;

    set->count = 0;
    if (reader->at >= reader->count || reader->gives_up)
        return token;
    edge = byte = peek(reader);
    taken = character_bytes(reader);
    reader->at += taken;
    if (byte == '\\') {
        edge = peek(reader);
        read_backslash(reader, &token, set);
    } else if (byte == '[') {
        token.kind = read_class(reader, set) ? CHARS : ANY;
    } else if (byte == '(') {
        read_open(reader, &token);
    } else if (byte == '^' || byte == '$') {
        token.kind = EDGE;
    } else if (byte == ')' || byte == '|') {
        token.kind = byte == ')' ? CLOSE : BAR;
    } else if (byte == '*' || byte == '+' || byte == '?' ||
               (byte == '{' && read_interval(reader, &token))) {
        read_repeat(reader, &token, byte);
    } else {
        token.kind =
            byte != '.' && add_character(reader, set, reader->bytes + reader->at - taken, taken)
                ? CHARS
                : ANY;
    }
    reader->seen.looks_ahead += token.kind == EDGE && edge != '^' && edge != 'A';
    reader->seen.looks_back += token.kind == EDGE && edge != '$' && edge != 'z';
    reader->seen.folds += token.kind == CHARS && (reader->flags & FOLDS) != 0;
    reader->seen.keeps += token.kind == CHARS && (reader->flags & FOLDS) == 0;
    return token;
}

/* Reads a group's inside and its ')'. Returns whether *all has all texts that the group matches. */
static bool list_group(struct reader *reader, struct split_strings *all)
{
    const uint32_t flags = reader->flags;
    bool lists = true;

    all->count = 0;
    for (bool more = true; more;) {
        struct split_strings list, set;

        items_empty(&list);
        for (;;) {
            struct item item;
            const enum kind kind = items_read(reader, &item, &set);

            more = kind == BAR;
            if (items_end(kind))
                break;
            lists = lists && item.lists && !item.goes_on &&
                    items_append(&list, &set, SPLIT_STRINGS_MAX);
        }
        lists = lists && add_strings(all, &list);
    }
    reader->flags = flags;
    return lists;
}

/* Applies a repetition to the item's listed texts in *set. Returns whether the texts can still be
 * listed. */
static bool repeat(const struct token *token, struct item *item, struct split_strings *set)
{
    const struct split_strings once = *set;
    struct split_strings power, all;

    items_empty(&power);
    for (uint32_t i = 0; i < token->least; i++)
        if (!items_append(&power, &once, SPLIT_STRINGS_MAX))
            return false;
    all = power;
    for (uint32_t i = token->least; i < token->most; i++)
        if (i > token->least + SPLIT_STRING_BYTES || token->most == SPLIT_ENDLESS ||
            !items_append(&power, &once, SPLIT_STRINGS_MAX) || !add_strings(&all, &power)) {
            item->goes_on = true; /* list only the least number of repetitions: more may follow */
            break;
        }
    if (!item->goes_on) {
        *set = all;
        return true;
    }
    items_empty(set);
    for (uint32_t i = 0; i < token->least; i++)
        if (!items_append(set, &once, SPLIT_STRINGS_MAX))
            return false;
    return token->least > 0;
}

enum kind items_read(struct reader *reader, struct item *item, struct split_strings *set)
{
    struct seen before;
    struct token token;
    uint32_t flags;
    enum kind kind;

    do {
        before = reader->seen;
        *item = (struct item){.begin = reader->at};
        token = next_token(reader, set);
        if (token.kind == FLAGS)
            reader->flags = token.flags;
    } while (token.kind == FLAGS);
    kind = token.kind;
    flags = item->flags = reader->flags;
    item->lists = kind == CHARS;
    item->least = item->most = 1;
    item->consumes = kind == CHARS || kind == ANY;
    item->is_edge = kind == EDGE;
    if (kind == OPEN) {
        reader->gives_up |= reader->depth == DEPTH_MAX;
        reader->depth++;
        item->inner = reader->at;
        item->inner_flags = reader->flags = token.flags;
        item->lists = list_group(reader, set);
        item->consumes = item->lists && !items_have_empty(set);
        reader->flags = flags;
        reader->depth--;
    }
    for (bool repeats = false; !items_end(kind); repeats = true) {
        const struct seen seen = reader->seen;
        struct split_strings unused;

        item->end = reader->at;
        if (!repeats)
            item->one_end = kind == CHARS || kind == ANY ? item->end : 0;
        token = next_token(reader, &unused);
        if (token.kind != REPEAT) {
            /* the token belongs to the next item, so it is read again later */
            reader->at = item->end;
            reader->seen = seen;
            break;
        }
        item->lists = item->lists && !repeats && repeat(&token, item, set);
        item->consumes &= token.least > 0;
        item->repeats = true;
        item->least = token.least;
        item->most = token.most;
        if (repeats)
            /* a second repetition follows, so the item is no longer a repeated character */
            item->one_end = 0;
        if (token.least == 0)
            item->inner = 0;
    }
    item->looks_ahead = reader->seen.looks_ahead != before.looks_ahead;
    item->folds = reader->seen.folds != before.folds;
    item->keeps = reader->seen.keeps != before.keeps;
    return kind;
}
