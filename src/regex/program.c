/* program: makes the machines of an expression when they are first needed (program.h). */
#include "regex/program.h"

#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

/* An expression's steps may take STEPS_BYTES or, if the plan limits memory, BOUNDED_BYTES or
 * 1/BOUNDED_SHARE of that limit, whichever is less. A step takes STEP_BYTES with its threads. */
#define STEPS_BYTES (UINT64_C(64) << 20)
#define BOUNDED_BYTES (UINT64_C(2) << 20)
#define BOUNDED_SHARE 32u
#define STEP_BYTES 64u

struct program {
    const struct syntax *tree;
    const struct regex_options *options;
    /* NULL: it is not made yet */
    _Atomic(struct reach *) reach;
    _Atomic(struct groups *) groups;
    _Atomic(struct runs *) runs; /* NULL: the same, or there are none */
    _Atomic(bool) has_runs;      /* making runs has been tried */
};

struct program_memory program_limit(uint32_t mib)
{
    const uint64_t all = (uint64_t)mib << 20;

    return mib == 0
               ? (struct program_memory){0, STEPS_BYTES, UINT64_MAX}
               : (struct program_memory){mib, min_u64(all / BOUNDED_SHARE, BOUNDED_BYTES), all};
}

void program_free(struct program *program)
{
    if (program == NULL)
        return;
    reach_free(program->reach);
    groups_free(program->groups);
    runs_free(program->runs);
    memory_release(program, 1, sizeof *program);
}

enum trawl_status program_make(struct program_memory *memory, const struct syntax *tree,
                               const struct regex_options *options, struct program **out,
                               struct trawl_error *error)
{
    const uint64_t bytes = (uint64_t)STEP_BYTES * tree->root.steps;

    *out = NULL;
    if (bytes > memory->max || bytes > memory->left)
        return TRAWL_OK;
    TRAWL_TRY(MEMORY_ZEROED(*out, 1, error));
    (*out)->options = options;
    (*out)->tree = tree;
    memory->left -= bytes;
    return TRAWL_OK;
}

const struct reach *program_reach(const struct program *program, bool whole_word,
                                  const struct word_ranges *words)
{
    struct program *asked = (struct program *)(uintptr_t)program;
    struct reach *made = NULL, *none = NULL;
    struct syntax tree;

    if (program->reach != NULL || syntax_again(program->tree, &tree, NULL) != TRAWL_OK)
        return program->reach;
    if (reach_make(&tree.root, program->options, whole_word, words, &made, NULL) == TRAWL_OK &&
        !atomic_compare_exchange_strong(&asked->reach, &none, made))
        reach_free(made);
    syntax_release(&tree);
    return program->reach;
}

enum trawl_status program_steps(const struct program *program, bool whole_word, bool is_strict,
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
    status = groups_make(&tree, program->options, whole_word, is_strict, &made, NULL);
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
    if (runs_make(&tree.root, program->options, &made, NULL) == TRAWL_OK &&
        !atomic_compare_exchange_strong(&asked->runs, &none, made))
        runs_free(made);
    syntax_release(&tree);
    asked->has_runs = true;
    return program->runs;
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
