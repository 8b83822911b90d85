/* parse: reads an expression of any syntax, and builds its tree (tree.h).
 *
 * There is one reader for all syntaxes. A table says which bytes are operators:
 *
 *                            Perl, ripgrep, extended     basic
 *   a group                  ( )                         \( \)
 *   alternatives             |                           \|
 *   repetition               * + ? {n,m}                 * \+ \? \{n,m\}
 *
 * Perl's syntax has more kinds of groups, and its own escapes (perl.c). */
#include "regex/syntax/parse.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define EXPRESSION_BYTES_MAX (1u << 28)

static const struct dialect {
    const char *bare;    /* bytes that are operators by themselves */
    const char *escaped; /* bytes that are operators after a '\' */
} plain_dialect = {"()|{+?*.[^$", ""}, basic_dialect = {"*.[^$", "(){|+?"};

/* Returns the last item of the current alternative; NULL: there is none. */
static struct syntax_node *last_item(const struct syntax_reader *reader)
{
    return reader->count > reader->frame->list ? reader->nodes[reader->count - 1] : NULL;
}

/* Returns true if the item is an assertion about words. */
static bool is_word_edge(const struct syntax_node *item)
{
    return item != NULL && item->kind == SYNTAX_EDGE && !syntax_is_in("^$Az", item->letter);
}

/* Returns true if in a POSIX syntax, the '{' at reader->at stands for itself because it begins no
 * repetition. GNU grep rejects `a{}`, and two of its matchers disagree about `\b{x`. */
static bool may_be_brace(const struct syntax_reader *reader)
{
    const struct syntax_node *item = last_item(reader);

    return reader->syntax == TRAWL_EXTENDED && !is_word_edge(item) &&
           (item == NULL || syntax_byte(reader, reader->at + 1) != '}');
}

/* Reads the numbers of the repetition `what`, whose operator has `length` bytes. Sets
 * counts->length to 0 if this is not a repetition. */
static enum trawl_status read_counts(struct syntax_reader *reader, char what, uint64_t length,
                                     struct braces *counts, struct trawl_error *error)
{
    const bool is_posix = reader->syntax != TRAWL_PERL;

    *counts = (struct braces){
        .length = length, .min = what == '+', .max = what == '?', .is_endless = what != '?'};
    if (what != '{')
        return TRAWL_OK;
    *counts = syntax_braces(reader, reader->rules->ripgrep);
    if (!counts->has_min && !is_posix)
        counts->length = 0;
    if (counts->length == 0 && (reader->rules->ripgrep || (is_posix && !may_be_brace(reader))))
        return syntax_refuse(reader->at, error, "{ begins no repetition {n}, {n,} or {n,m}%s",
                             reader->rules->ripgrep ? "; the character is \\{" : "");
    if (counts->length == 0)
        return TRAWL_OK;
    if (counts->min > SYNTAX_NUMBER_MAX || counts->max > SYNTAX_NUMBER_MAX)
        return syntax_refuse(reader->at, error,
                             "the repetition's number is too large: at most 1,000");
    if (counts->min > counts->max && !counts->is_endless)
        return syntax_refuse(reader->at, error, "the repetition's numbers are in the wrong order");
    return TRAWL_OK;
}

/* Returns true if the current alternative has nothing yet but assertions. */
static bool has_begun(const struct syntax_reader *reader)
{
    uint64_t at = reader->frame->list;

    while (at < reader->count && reader->nodes[at]->kind == SYNTAX_EDGE)
        at++;
    return at == reader->count;
}

/* Reads a repetition in a POSIX syntax. As in GNU grep, an operator at the start of an alternative
 * stands for itself in the basic syntax, and for nothing in the extended one, where a '{' that
 * begins no repetition stands for itself anywhere. */
static enum trawl_status posix_repetition(struct syntax_reader *reader, char what, uint64_t length,
                                          struct trawl_error *error)
{
    const bool is_basic = reader->syntax == TRAWL_BASIC;
    const uint64_t from = reader->at;
    struct syntax_node *item = last_item(reader);
    struct braces counts;

    if (is_basic && has_begun(reader)) {
        reader->at += length - 1;
        return syntax_add_literal(reader, error);
    }
    TRAWL_TRY(read_counts(reader, what, length, &counts, error));
    if (counts.length == 0)
        return syntax_add_literal(reader, error);
    reader->last_at = from;
    reader->at += counts.length;
    if (item == NULL || item->kind == SYNTAX_EDGE) {
        /* likewise `(*)` and `\b*` */
        if (is_basic || is_word_edge(item) ||
            (reader->depth > 1 && syntax_stands(reader, reader->at, ")")))
            return syntax_refuse(from, error, "there is nothing before that could be repeated");
        if (item != NULL && counts.min == 0)
            item->kind = SYNTAX_EMPTY;
        return TRAWL_OK;
    }
    reader->out->chooses |= reader->repeats;
    reader->repeats = true;
    return syntax_repeat(reader, &counts, false, error);
}

/* Reads a repetition in Perl's syntax, with the '?' that may follow. In ripgrep's syntax, the item
 * may already have a repetition, and may be an assertion. */
static enum trawl_status perl_repetition(struct syntax_reader *reader, char what, uint64_t length,
                                         struct trawl_error *error)
{
    const uint64_t from = reader->at, before = reader->last_at;
    const bool stacks = reader->last == LAST_REPETITION;
    bool is_lazy;
    const struct syntax_node *item = last_item(reader);
    struct braces counts;

    if (((reader->rules->ripgrep || reader->rules->pcre) && reader->last == LAST_FLAGS) ||
        (reader->rules->pcre && item != NULL && item->kind == SYNTAX_EDGE)) /* PCRE2 decides */
        return syntax_refuse(from, error, "there is nothing before that could be repeated");
    TRAWL_TRY(read_counts(reader, what, length, &counts, error));
    if (counts.length == 0) {
        reader->last = LAST_OTHER;
        return syntax_add_literal(reader, error);
    }
    reader->at += counts.length;
    is_lazy = syntax_byte(reader, reader->at) == '?';
    reader->at += is_lazy;
    reader->last = LAST_REPETITION;
    reader->last_at = from;
    if (stacks && reader->rules->pcre && what == '+' && !is_lazy && !item->is_lazy)
        return syntax_refuse(from, error, "possessive repetition: " NO_BACKTRACKING);
    if (stacks && (!reader->rules->ripgrep || reader->rules->pcre))
        return syntax_refuse_part(reader, before, reader->at - before, "bad repetition operator",
                                  error);
    if (item == NULL)
        return syntax_refuse_part(reader, from, reader->at - from,
                                  "no argument for repetition operator", error);
    if (!reader->rules->ripgrep || (item->kind != SYNTAX_EDGE && item->kind != SYNTAX_EMPTY))
        return syntax_repeat(reader, &counts, is_lazy, error);
    if (counts.min == 0)
        reader->nodes[reader->count - 1]->kind = SYNTAX_EMPTY;
    return TRAWL_OK;
}

/* Returns true if the '^' or '$' at reader->at is an anchor. In the basic syntax, '^' is an anchor
 * only at the start of an alternative, and '$' only at its end. */
static bool is_anchor(const struct syntax_reader *reader)
{
    const uint64_t next = reader->at + 1;

    if (reader->syntax != TRAWL_BASIC)
        return true;
    if (reader->bytes[reader->at] == '^')
        return reader->count == reader->frame->list;
    return next == reader->bytes_count || syntax_stands(reader, next, "\\)") ||
           syntax_stands(reader, next, "\\|");
}

/* Returns the operator at reader->at: one of ( ) | { + ? * . [ ^ $, or 'e' for any other escape, or
 * 0 for a literal. Sets *length to the operator's bytes. */
static char operator_at(const struct syntax_reader *reader, uint64_t *length)
{
    const struct dialect *dialect = reader->syntax == TRAWL_BASIC ? &basic_dialect : &plain_dialect;
    const char byte = reader->bytes[reader->at], next = syntax_byte(reader, reader->at + 1);

    *length = byte == '\\' ? 2 : 1;
    if (byte == '\\')
        return syntax_is_in(dialect->escaped, next) ? next : 'e';
    return syntax_is_in(dialect->bare, byte) ? byte : '\0';
}

/* Reads a character that stands for itself. Even if bytes are characters, ripgrep repeats a UTF-8
 * character as a whole. */
static enum trawl_status read_literal(struct syntax_reader *reader, struct trawl_error *error)
{
    const bool groups = reader->rules->bytes && reader->rules->ripgrep &&
                        (uint8_t)reader->bytes[reader->at] >= 0xc0;

    if (!groups)
        return syntax_add_literal(reader, error);
    TRAWL_TRY(syntax_open(reader, reader->at, false, error));
    do
        TRAWL_TRY(syntax_add_literal(reader, error));
    while (((uint8_t)syntax_byte(reader, reader->at) & 0xc0) == 0x80);
    return syntax_close(reader, error);
}

/* Reads an escape in a POSIX syntax, including GNU's extensions, that is not an operator. */
static enum trawl_status posix_escape(struct syntax_reader *reader, struct trawl_error *error)
{
    const uint64_t from = reader->at;
    const char letter = syntax_byte(reader, from + 1);

    if (from + 1 == reader->bytes_count)
        return syntax_refuse(from, error, "a \\ stands at the end");
    if (letter >= '1' && letter <= '9' && !reader->rules->pcre)
        return syntax_refuse(from, error,
                             "backreference: trawl has none, because it searches in linear time; "
                             "PCRE2 has: TRAWL_PCRE, trawl-serve --allow-pcre");
    if (letter >= '1' && letter <= '9') {
        if ((reader->closed >> (letter - '0') & 1) == 0)
            return syntax_refuse(from, error, "backreference: no group of this number ends before");
        reader->out->refers = true;
        TRAWL_TRY(syntax_take(reader, SYNTAX_REFERENCE, 2, error));
        reader->nodes[reader->count - 1]->letter = letter;
        return TRAWL_OK;
    }
    if (letter == 'w' || letter == 'W' || letter == 's' || letter == 'S')
        return syntax_add_set(reader, error);
    if (letter == '<' || letter == '>')
        return syntax_add_edge(reader, letter == '<' ? 'm' : 'M', 2, error);
    if (letter == 'b' || letter == 'B')
        return syntax_add_edge(reader, letter, 2, error);
    if (letter == '`' || letter == '\'')
        return syntax_add_edge(reader, letter == '`' ? 'A' : 'z', 2, error);
    if (class_is_word_byte(letter) || (uint8_t)letter >= 0x80)
        return syntax_refuse(from, error, "\\ before this character has no meaning%s",
                             letter == 'd'   ? "; a digit is [0-9], or \\d with -P"
                             : letter == 'n' ? "; a newline is \\n with -P and --multiline"
                             : syntax_is_in("ADGHKNPQRSZdhpsvxz", letter) ? " but with -P"
                                                                          : "");
    reader->at++;
    return syntax_add_literal(reader, error);
}

/* Reads an operator other than a repetition. */
static enum trawl_status read_non_repetition(struct syntax_reader *reader, char what,
                                             uint64_t length, struct trawl_error *error)
{
    const bool is_perl = reader->syntax == TRAWL_PERL;

    switch (what) {
    case '[':
        return syntax_add_set(reader, error);
    case 'e':
        return is_perl ? perl_escape(reader, error) : posix_escape(reader, error);
    case '.':
        return syntax_take(reader, SYNTAX_SET, 1, error);
    case '(':
        if (is_perl)
            return perl_open(reader, error);
        reader->at += length;
        return syntax_open(reader, reader->at - length, true, error);
    case ')':
        if (reader->depth == 1 && reader->syntax == TRAWL_EXTENDED)
            return read_literal(reader, error);
        if (reader->depth == 1)
            return syntax_refuse(reader->at, error,
                                 is_perl ? "unexpected )" : "no group is open that ) could close");
        reader->at += length;
        return syntax_close(reader, error);
    case '|':
        reader->out->chooses |= !is_perl;
        reader->at += length;
        return syntax_end_list(reader, error);
    default:
        return is_anchor(reader) ? syntax_add_edge(reader, what, 1, error)
                                 : read_literal(reader, error);
    }
}

/* Reads an expression as alternatives of the root. */
static enum trawl_status read_all(struct syntax_reader *reader, const struct trawl_pattern *pattern,
                                  struct trawl_error *error)
{
    const struct regex_options *rules = reader->rules;
    void *memory;

    if (pattern->bytes_count > EXPRESSION_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "an expression of %" PRIu64 " bytes is too long",
                          pattern->bytes_count);
    TRAWL_TRY(syntax_memory(reader, pattern->bytes_count, &memory, error));
    if (pattern->bytes_count > 0)
        memcpy(memory, pattern->bytes, (size_t)pattern->bytes_count);
    reader->bytes = (const char *)memory;
    reader->bytes_count = pattern->bytes_count;
    reader->at = reader->name_count = 0;
    reader->last = LAST_OTHER;
    reader->skips = false;
    reader->flags =
        (uint8_t)((rules->fold ? SYNTAX_FOLDS : 0) | (rules->multi ? SYNTAX_MANY_LINES : 0) |
                  (rules->dot_all ? SYNTAX_DOT_ALL : 0));
    while (reader->at < reader->bytes_count) {
        uint64_t length;
        const char what = operator_at(reader, &length), byte = reader->bytes[reader->at];

        if (reader->skips && byte == '#') {
            length = syntax_count_to(reader, '\n');
            reader->at += length > 0 ? length : reader->bytes_count - reader->at;
        } else if (reader->skips && syntax_is_blank(byte)) {
            reader->at++;
        } else if (reader->beyond) {
            TRAWL_TRY(beyond_token(reader, what, error));
        } else if (syntax_is_in("*+?{", what)) {
            TRAWL_TRY(reader->syntax == TRAWL_PERL ? perl_repetition(reader, what, length, error)
                                                   : posix_repetition(reader, what, length, error));
        } else {
            reader->last = LAST_OTHER;
            TRAWL_TRY(what == '\0' ? read_literal(reader, error)
                                   : read_non_repetition(reader, what, length, error));
        }
    }
    if (reader->depth > 1)
        return syntax_refuse(reader->frame->group->from, error,
                             reader->syntax == TRAWL_PERL ? "missing )"
                                                          : "the group is not closed");
    if (reader->large_count > 0 && !reader->out->refers)
        return syntax_refuse(reader->large_at, error,
                             "invalid repetition size: %.*s: trawl allows 65,535 as the product of "
                             "nested repetition counts",
                             (int)min_u64(reader->large_count, 20),
                             reader->bytes + reader->large_at);
    return TRAWL_OK;
}

#if defined(TRAWL_DEBUG)
/* Returns true if the tree is as described in tree.h. */
static bool is_sound(const struct syntax_node *node)
{
    const bool is_leaf =
        node->kind != SYNTAX_REPEAT && node->kind != SYNTAX_LIST && node->kind != SYNTAX_GROUP;
    const bool has_text = node->kind == SYNTAX_CHAR || node->kind == SYNTAX_SET;
    bool sound = (!is_leaf || node->count == 0) && (!has_text || node->bytes_count > 0) &&
                 (node->kind != SYNTAX_GROUP || node->count > 0) &&
                 (node->kind != SYNTAX_REPEAT || (node->count == 1 && node->min <= node->max)) &&
                 node->height <= SYNTAX_DEPTH_MAX + 1;
    uint32_t size = 1;

    for (uint32_t i = 0; i < node->count && sound; i++) {
        const struct syntax_node *item = node->items[i];

        sound = (item->kind == SYNTAX_LIST) == (node->kind == SYNTAX_GROUP) && is_sound(item);
        size += item->size;
    }
    return sound && size == node->size;
}
#endif

enum trawl_status syntax_parse(const struct syntax_options *options, const char *bytes,
                               uint64_t count, struct syntax *out, struct trawl_error *error)
{
    const struct trawl_pattern pattern = {bytes, count};
    struct syntax_reader reader = {.out = out,
                                   .syntax = options->syntax == TRAWL_RIPGREP ? TRAWL_PERL
                                                                              : options->syntax,
                                   .beyond = options->beyond,
                                   .rules = options->rules,
                                   .told = options->told};
    enum trawl_status status = TRAWL_OK;
    const struct syntax_node *root;

    *out = (struct syntax){.options = *options, .bytes = bytes, .count = count};
    TRAWL_TRY_DONE(syntax_open(&reader, 0, false, error));
    root = reader.frame->group;
    TRAWL_TRY_DONE(read_all(&reader, &pattern, error));
    TRAWL_TRY_DONE(syntax_close(&reader, error));
    TRAWL_ASSERT(reader.count == 0 && reader.depth == 0);
    TRAWL_ASSERT(is_sound(root));
    out->root = *root;
    syntax_note_edges(out, root);
    out->needs_line |= out->has_ends;
done:
    memory_release(reader.nodes, reader.capacity, sizeof *reader.nodes);
    memory_release(reader.names, reader.name_capacity, sizeof *reader.names);
    if (status == TRAWL_ARGUMENT && reader.beyond) {
        out->is_opaque = out->misleads_jit = out->misleads_possess = true;
        return TRAWL_OK;
    }
    if (status != TRAWL_OK)
        syntax_release(out);
    return status;
}

enum trawl_status syntax_again(const struct syntax *syntax, struct syntax *out,
                               struct trawl_error *error)
{
    if (syntax->blocks == NULL)
        return syntax_parse(&syntax->options, syntax->bytes, syntax->count, out, error);
    *out = (struct syntax){.root = syntax->root, .node_count = syntax->node_count};
    return TRAWL_OK;
}
