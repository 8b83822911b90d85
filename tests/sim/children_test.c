/* children_test: child grids and constant memory in the simulator: what a right kernel may count
 * on, that the device may start a child early or late or refuse it, and that the faults that
 * kernels can have with them are noticed. */
#include "simulator.h"
#include "test.h"

#include "cuda/kernels/simt.h"

#define SEEDS 60u
#define PARENTS 40u /* threads that launch */
#define WORDS 4u    /* of constant memory */

/* In global memory. */
struct children_state {
    uint64_t leaves; /* child grids that launch nothing, counted by themselves */
    uint64_t early;  /* of them, those that ran before the last parent thread's end */
    uint64_t refused;
    uint64_t wrong; /* children that did not see what their parent had written */
    uint64_t parents_ended;
    uint64_t values[PARENTS];
};

enum fault {
    FAULT_NONE,
    FAULT_IGNORES_REFUSALS,
    FAULT_SHARED_TO_CHILD,
    FAULT_EMPTY_GRID,
    FAULT_LARGE_BLOCK,
    FAULT_PARTIAL_WARP,
    FAULT_CONSTANT_OUTSIDE
};

struct parent_arguments {
    struct children_state *state;
    uint32_t depth; /* of child grids below */
    uint32_t fault;
};

struct child_arguments {
    struct children_state *state;
    const uint64_t *value;
    uint64_t expected;
    uint32_t depth;
};

SIMT_CONSTANT(uint32_t, children_constant, WORDS);

SIMT_KERNEL(leaf, child_arguments, 64, 1)
{
    uint64_t *early = &args.state->early, *wrong = &args.state->wrong;

    if (simt_block() != 0 || simt_thread() != 0)
        return;
    (void)simt_atomic_add_u64(&args.state->leaves, 1);
    if (simt_read_u64(&args.state->parents_ended) != PARENTS)
        (void)simt_atomic_add_u64(early, 1);
    if (simt_read_u64(args.value) != args.expected)
        (void)simt_atomic_add_u64(wrong, 1);
}

SIMT_KERNEL(branch, child_arguments, 64, 1)
{
    struct child_arguments below = args;

    if (simt_thread() == 0 && SIMT_LAUNCH(leaf, 2, 33, below) != 0)
        (void)simt_atomic_add_u64(&args.state->refused, 1);
}

SIMT_KERNEL(parent, parent_arguments, PARENTS, 1)
{
    SIMT_SHARED(uint64_t, shared, PARENTS);
    uint32_t t = simt_thread(), code;
    struct child_arguments child = {args.state, args.state->values + t,
                                    1000u + t + simt_constant_u32(children_constant, t % WORDS),
                                    args.depth};

    shared[t] = child.expected;
    simt_store_u64(args.state->values + t, child.expected);
    if (args.fault == FAULT_SHARED_TO_CHILD)
        child.value = shared + t;
    if (args.fault == FAULT_PARTIAL_WARP)
        simt_warp_sync();
    if (args.fault == FAULT_CONSTANT_OUTSIDE)
        (void)simt_constant_u8(children_constant, 4u * WORDS);
    if (args.depth == 1)
        code = SIMT_LAUNCH(leaf, args.fault == FAULT_EMPTY_GRID ? 0 : 3,
                           args.fault == FAULT_LARGE_BLOCK ? 1025 : 5, child);
    else
        code = SIMT_LAUNCH(branch, 1, 7, child);
    if (code != 0 && args.fault != FAULT_IGNORES_REFUSALS)
        (void)simt_atomic_add_u64(&args.state->refused, 1);
    (void)simt_atomic_add_u64(&args.state->parents_ended, 1);
}

static const struct sim_kernel parent_kernel = {"parent", parent_entry, parent_arguments_bytes, 0};

/* One block of PARENTS threads; false: a report. */
static bool run(uint64_t seed, uint32_t depth, enum fault fault, uint32_t pending,
                struct children_state *state, const char **report)
{
    struct parent_arguments arguments = {state, depth, fault};
    bool passed;

    memset(state, 0, sizeof *state);
    for (uint32_t i = 0; i < WORDS; i++)
        children_constant[i] = 7 * i;
    sim_range_add(state, sizeof *state);
    sim_seed(seed);
    sim_pending_max(pending);
    passed = sim_grid(&parent_kernel, &arguments, 1, PARENTS, report);
    sim_range_remove(state);
    return passed;
}

/* Every child runs or is refused, sees what was written before its launch, and comes early in some
 * schedules and late in others. */
static void check_right(uint32_t depth, uint32_t pending)
{
    uint32_t with_early = 0, with_late = 0;
    uint64_t refused = 0, leaves = 0;
    struct children_state state;
    const char *report = "";

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (!TEST_CHECK(run(seed, depth, FAULT_NONE, pending, &state, &report)))
            printf("  %s\n", report);
        TEST_CHECK_U64(state.leaves + state.refused, PARENTS);
        TEST_CHECK_U64(state.wrong, 0);
        refused += state.refused;
        leaves += state.leaves;
        with_early += state.early > 0;
        with_late += state.early < state.leaves;
    }
    printf("depth %u, %u allowed: %" PRIu64 " ran, %" PRIu64 " refused; early in %u, late in %u\n",
           depth, pending, leaves, refused, with_early, with_late);
    TEST_CHECK((leaves == 0) == (pending < depth)); /* a child that launches is pending itself */
    TEST_CHECK((refused == 0) == (pending > PARENTS));
    TEST_CHECK(leaves == 0 || (with_early > 0 && with_late > 0));
}

static void check_fault(enum fault fault, uint32_t at_least, const char *words)
{
    uint32_t noticed = 0;
    struct children_state state;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *report = "";

        if (!run(seed, 1, fault, 3, &state, &report))
            noticed += strstr(report, words) != NULL;
        else if (state.leaves + state.refused != PARENTS)
            noticed += words[0] == '\0';
    }
    printf("fault %d: noticed in %u of %u schedules\n", (int)fault, noticed, SEEDS);
    TEST_CHECK(noticed >= at_least);
}

int main(void)
{
    static const uint32_t pending[] = {0, 1, 2, 10, 1000};

    test_begin("sim children");
    for (uint32_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        check_right(1, pending[i]);
        check_right(2, pending[i]);
    }
    check_fault(FAULT_IGNORES_REFUSALS, SEEDS / 2, "");
    check_fault(FAULT_SHARED_TO_CHILD, SEEDS, "a read outside of device memory");
    check_fault(FAULT_EMPTY_GRID, SEEDS, "a child grid of no such size");
    check_fault(FAULT_LARGE_BLOCK, SEEDS, "a child grid of no such size");
    check_fault(FAULT_PARTIAL_WARP, SEEDS, "a warp that is not full");
    check_fault(FAULT_CONSTANT_OUTSIDE, SEEDS, "outside of constant memory");
    sim_release();
    return test_end();
}
