/* program: compiles expressions, with RE2 only when RE2 is needed (program.h). */
#include "regex/program.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "regex/regex_load.h"
#include "regex/sequence.h"
#include "regex/syntax/print.h"

/* A single program may take PROGRAM_BYTES of memory, and LARGE_BYTES if it needs more. If the
 * plan's options limit the memory of all programs together, it may take BOUNDED_BYTES or
 * 1/BOUNDED_SHARE of that limit, whichever is less. */
#define PROGRAM_BYTES (UINT64_C(16) << 20)
#define LARGE_BYTES (UINT64_C(128) << 20)
#define BOUNDED_BYTES (UINT64_C(2) << 20)
#define BOUNDED_SHARE 32u
/* RE2 allows an instruction for each 48 bytes that a program may take. */
#define INSTRUCTION_BYTES 48u

struct program {
    const struct syntax *tree;
    struct regex_options options;
    uint64_t most_bytes; /* the memory that it may take if options.memory_bytes is not enough */
    _Atomic(struct reach *) reach;         /* NULL: it is not made yet */
    _Atomic(struct groups *) groups;       /* NULL: it is not made yet */
    _Atomic(struct runs *) runs;           /* NULL: there are none, or they are not made yet */
    _Atomic(bool) has_runs;                /* making runs has been tried */
    _Atomic(const struct regex_ops *) ops; /* the functions for `regex`, set before it */
    _Atomic(struct regex *) regex;         /* NULL: RE2 has not compiled it */
    _Atomic(enum trawl_status) why; /* why RE2 could not compile it; OK: it has, or has not tried */
};

void program_divide(struct program_memory *memory, uint32_t mib, uint32_t count, bool is_large)
{
    const uint64_t all = (uint64_t)mib << 20;

    memory->mib = mib;
    memory->each = PROGRAM_BYTES;
    memory->most = is_large ? LARGE_BYTES : PROGRAM_BYTES;
    memory->left = UINT64_MAX / 2;
    if (all == 0)
        return;
    memory->most = min_u64(all / BOUNDED_SHARE, BOUNDED_BYTES);
    memory->each = min_u64(all / (4 * (uint64_t)count + 28), memory->most);
    memory->left = all - count * memory->each;
}

void program_free(struct program *program)
{
    if (program == NULL)
        return;
    if (program->regex != NULL)
        program->ops->release(program->regex);
    reach_free(program->reach);
    groups_free(program->groups);
    runs_free(program->runs);
    memory_release(program, 1, sizeof *program);
}

/* Has RE2 compile the program, within `bytes` of memory. If several threads
 * compile it at once, one result is kept. */
static enum trawl_status compile(struct program *program, uint64_t bytes, struct trawl_error *error)
{
    struct regex_options options = program->options;
    char message[REGEX_MESSAGE_BYTES] = "";
    const struct regex_ops *ops;
    struct regex *made = NULL, *none = NULL;
    enum trawl_status status;
    struct printed text;
    struct syntax tree;

    TRAWL_TRY(regex_load(&ops, error));
    TRAWL_TRY(syntax_again(program->tree, &tree, error));
    status = print_re2(&tree.root, &program->options, bytes, &text, error);
    syntax_release(&tree);
    TRAWL_TRY(status);
    program->ops = ops;
    options.memory_bytes = bytes;
    status = ops->compile(text.bytes, text.count, &options, &made, message);
    print_release(&text);
    if (status == TRAWL_ARGUMENT)
        return TRAWL_FAIL(error, ARGUMENT, "%s", message);
    if (status == TRAWL_MEMORY)
        return program_failed(PROGRAM_MEMORY, error);
    if (status == TRAWL_OK && !atomic_compare_exchange_strong(&program->regex, &none, made))
        ops->release(made);
    return status;
}

enum trawl_status program_make(struct program_memory *memory, const struct syntax *tree,
                               const struct regex_options *options, uint64_t times, bool now,
                               struct program **out, struct trawl_error *error)
{
    const struct syntax_node *root = &tree->root;
    const uint64_t most = memory->most / INSTRUCTION_BYTES;
    enum trawl_status status = TRAWL_LIMIT;
    struct program *made;

    *out = NULL;
    TRAWL_TRY(MEMORY_ZEROED(made, 1, error));
    made->options = *options;
    made->tree = tree;
    now = (times > 0 && memory->mib > 0) ||
          (now && root->cost > most &&
           (options->marks != REGEX_UNMARKED || syntax_cost(root, options->bytes) > most));
    for (uint64_t each = memory->each; status == TRAWL_LIMIT;
         each = max_u64(each + 1, min_u64(4 * each, memory->most))) {
        made->options.memory_bytes = times * each;
        if (each > memory->most || made->options.memory_bytes > memory->left)
            break;
        status = now ? compile(made, times * each, error) : TRAWL_OK;
    }
    if (status != TRAWL_OK) {
        program_free(made);
        return status == TRAWL_LIMIT ? TRAWL_OK : status;
    }
    memory->left -= made->options.memory_bytes;
    made->most_bytes = memory->mib == 0 ? times * LARGE_BYTES : made->options.memory_bytes;
    if (memory->mib == 0 && root->product > SYNTAX_REPEAT_MAX) {
        /* so that RE2 has room for states with many places each: it compiles the program again */
        made->options.memory_bytes = made->most_bytes;
        if (made->regex != NULL)
            made->ops->release(made->regex);
        made->regex = NULL;
    }
    *out = made;
    return TRAWL_OK;
}

/* Compiles the program on first use, and again if memory ran out last time, also while RE2 was
 * loaded. Returns NULL if RE2 cannot compile it. */
static const struct regex *regex_of(const struct program *program)
{
    const struct regex *regex = program->regex;
    struct program *asked = (struct program *)(uintptr_t)program;

    if (regex != NULL)
        return regex;
    for (uint64_t bytes = program->options.memory_bytes;
         program->why != TRAWL_LIMIT && program->why != TRAWL_ARGUMENT; bytes *= 4) {
        const enum trawl_status why = compile(asked, min_u64(bytes, program->most_bytes), NULL);

        if (why == TRAWL_LIMIT && bytes < program->most_bytes)
            continue;
        asked->why = why;
        break;
    }
    return program->regex;
}

const struct reach *program_reach(const struct program *program, bool whole_word,
                                  const struct around_words *words)
{
    struct program *asked = (struct program *)(uintptr_t)program;
    struct reach *made = NULL, *none = NULL;
    struct syntax tree;

    if (program->reach != NULL || syntax_again(program->tree, &tree, NULL) != TRAWL_OK)
        return program->reach;
    if (reach_make(&tree.root, &program->options, whole_word, words, &made, NULL) == TRAWL_OK &&
        !atomic_compare_exchange_strong(&asked->reach, &none, made))
        reach_free(made);
    syntax_release(&tree);
    return program->reach;
}

enum trawl_status program_finder(const struct program *program, bool whole_word, bool is_strict,
                                 const struct groups **groups)
{
    struct program *asked = (struct program *)(uintptr_t)program;
    struct groups *made = NULL, *none = NULL;
    enum trawl_status status;
    struct syntax tree;

    *groups = program->groups;
    if (*groups != NULL)
        return TRAWL_OK;
    TRAWL_TRY(syntax_again(program->tree, &tree, NULL));
    status = groups_make(&tree, &program->options, whole_word, is_strict, &made, NULL);
    syntax_release(&tree);
    TRAWL_TRY(status);
    if (!atomic_compare_exchange_strong(&asked->groups, &none, made))
        groups_free(made);
    *groups = program->groups;
    return TRAWL_OK;
}

const struct runs *program_runs(const struct program *program)
{
    struct program *asked = (struct program *)(uintptr_t)program;
    struct runs *made, *none = NULL;
    struct syntax tree;

    if (program->has_runs || syntax_again(program->tree, &tree, NULL) != TRAWL_OK)
        return program->runs;
    if (runs_make(&tree.root, &program->options, &made, NULL) == TRAWL_OK &&
        !atomic_compare_exchange_strong(&asked->runs, &none, made))
        runs_free(made);
    syntax_release(&tree);
    asked->has_runs = true;
    return program->runs;
}

bool program_is_ready(const struct program *program)
{
    return program != NULL && regex_of(program) != NULL;
}

int program_why(const struct program *program)
{
    return program == NULL                     ? 0
           : program->why == TRAWL_UNSUPPORTED ? PROGRAM_MISSING
           : program->why == TRAWL_MEMORY      ? PROGRAM_MEMORY
                                               : 0;
}

int program_match(const struct program *program, const uint8_t *text, uint64_t count, uint64_t from,
                  uint64_t to, enum regex_anchor anchor, struct regex_span *span,
                  struct program_asks *asks)
{
    const struct regex *regex = regex_of(program);
    int found;

    if (regex == NULL)
        return program->why == TRAWL_UNSUPPORTED ? PROGRAM_MISSING : PROGRAM_MEMORY;
    found = program->ops->match(regex, text, count, from, to, anchor, span);
    program_note(asks, (found > 0 && span != NULL ? span->end : to) - from);
    return found;
}

enum trawl_status program_failed(int found, struct trawl_error *error)
{
    const struct regex_ops *ops;

    TRAWL_ASSERT(found < 0);
    if (found == PROGRAM_MISSING)
        TRAWL_TRY(regex_load(&ops, error));
    return TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression");
}

bool program_may_be_empty(const struct program *program)
{
    return program->tree->root.may_be_empty;
}

uint32_t program_groups(const struct program *program)
{
    return program->tree->root.groups;
}

/* Counts the groups of the node in *number, up to the one with the name. Returns false if none has
 * it. */
static bool find_group(const struct syntax_node *node, const char *name, uint64_t count,
                       uint32_t *number)
{
    bool found = node->kind == SYNTAX_GROUP && node->bytes_count == count &&
                 memcmp(node->bytes, name, (size_t)count) == 0;

    *number += node->kind == SYNTAX_GROUP && node->is_numbered;
    for (uint32_t i = 0; i < node->count && !found; i++)
        found = find_group(node->items[i], name, count, number);
    return found;
}

uint32_t program_group(const struct program *program, const char *name, uint64_t count)
{
    uint32_t number = 0;

    return program->tree->has_names && find_group(&program->tree->root, name, count, &number)
               ? number
               : 0;
}
