/* dense_read: runs the automaton of a set over a text, from the end to the start, in several parts
 * of the text in parallel.
 *
 * The automaton is stored in one of two forms. In rows, each node has a word for each class of
 * bytes, and reading a byte of text loads one word. In cells, each test of a byte loads 16 bytes;
 * the nodes of a path without branches share cache lines.
 */
#include "base/checked.h"
#include "cpu/worker.h"

/* Number of lanes: parts of the text that are read in parallel. While one lane waits for memory,
 * the others continue. */
#define LANES 8u
/* Repeats the statement STEP for each lane, with the lane's number as a constant. */
#define EACH_LANE(STEP) \
    do {                \
        STEP(0);        \
        STEP(1);        \
        STEP(2);        \
        STEP(3);        \
        STEP(4);        \
        STEP(5);        \
        STEP(6);        \
        STEP(7);        \
    } while (0)
#define LANES_FEW 2u

struct lanes {
    uint32_t state[LANES];
    /* The lane's own number. A lane that has finished its part gets the number of another lane, and
     * repeats that lane's work, so that the loop needs no test. */
    uint32_t owner[LANES];
    uint64_t at[LANES]; /* the lane still has to read the bytes [from, at), from last to first */
    uint64_t from[LANES];
};

/* Tests one cell of the automaton against one byte. Has no branch that depends on the text: even a
 * failed test stores the cell's `end`, which the next test overwrites. */
static inline __attribute__((always_inline)) void read_cell(const struct plan_automaton_cell *cells,
                                                            const uint8_t *class_of,
                                                            const uint8_t *text, uint32_t *state,
                                                            uint64_t *at, uint32_t *ends)
{
    uint32_t class = class_of[text[*at - 1]];
    const struct plan_automaton_cell *cell = &cells[(*state >> 1) + (class & (0 - (*state & 1)))];
    uint32_t passes = cell->class == class;

    if (ends != NULL)
        ends[*at - 1] = cell->end;
    *state = cell->to[passes];
    *at -= passes;
}

static inline __attribute__((always_inline)) void read_all(const struct plan_automaton_cell *cells,
                                                           const uint8_t *class_of,
                                                           const uint8_t *text, struct lanes *lanes,
                                                           uint64_t count, uint32_t *ends)
{
    struct lanes read = *lanes; /* a copy, which the compiler keeps in registers */

#define READ(i) read_cell(cells, class_of, text, &read.state[i], &read.at[i], ends)
    for (; count > 0; count--) {
        EACH_LANE(READ);
    }
#undef READ
    *lanes = read;
}

/* Reads the rest of each lane's part using cells, and updates lanes->state. */
static inline __attribute__((always_inline)) void read_lanes(const struct plan_automaton *set,
                                                             const uint8_t *text,
                                                             struct lanes *lanes, uint32_t *ends)
{
    struct lanes read = *lanes;

    for (uint32_t lane = 0; lane < LANES; lane++)
        read.owner[lane] = lane;
    for (;;) {
        uint64_t min = UINT64_MAX;
        uint32_t slowest = 0, left = 0;

        for (uint32_t lane = 0; lane < LANES; lane++) {
            lanes->state[read.owner[lane]] = read.state[lane];
            left += read.owner[lane] == lane && read.at[lane] > read.from[lane];
            if (read.at[lane] - read.from[lane] > read.at[slowest] - read.from[slowest])
                slowest = lane;
        }
        if (left <= LANES_FEW)
            break;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (read.at[lane] == read.from[lane]) {
                read.state[lane] = read.state[slowest];
                read.owner[lane] = read.owner[slowest];
                read.at[lane] = read.at[slowest];
                read.from[lane] = read.from[slowest];
            }
            min = min_u64(min, read.at[lane] - read.from[lane]);
        }
        read_all(set->cells, set->class_of, text, &read, min, ends);
    }
    /* Only a few lanes are unfinished. Read them one after the other. */
    for (uint32_t lane = 0; lane < LANES; lane++) {
        while (read.owner[lane] == lane && read.at[lane] > read.from[lane])
            read_cell(set->cells, set->class_of, text, &read.state[lane], &read.at[lane], ends);
        if (read.owner[lane] == lane)
            lanes->state[lane] = read.state[lane];
    }
}

/* Reads `count` bytes of each lane using rows. Returns how many strings begin at these bytes. If
 * `ends` is not NULL, instead stores the index of the longest string at each byte. Has no branch
 * that depends on the text. */
static inline __attribute__((always_inline)) uint64_t read_rows(const struct plan_automaton *set,
                                                                const uint8_t *text,
                                                                struct lanes *lanes, uint64_t count,
                                                                uint32_t *ends)
{
    const uint32_t *rows = set->rows;
    const uint8_t *class_of = set->class_of;
    struct lanes read = *lanes;
    uint64_t sum = 0;

    for (uint32_t lane = 0; lane < LANES; lane++)
        read.at[lane] -= count;
#define READ(i)                                                                            \
    read.state[i] =                                                                        \
        rows[read.state[i] + PLAN_AUTOMATON_ROW_HEAD + class_of[text[read.at[i] + byte]]]; \
    if (ends != NULL)                                                                      \
        ends[read.at[i] + byte] = rows[read.state[i] + 1];                                 \
    else                                                                                   \
        sum += rows[read.state[i]]
    for (uint64_t byte = count; byte-- > 0;) {
        EACH_LANE(READ);
    }
#undef READ
    *lanes = read;
    return sum;
}

/* Like read_rows, but for each lane until its part ends. The returned number is meaningless if
 * `ends` is not NULL. */
static uint64_t read_lanes_by_rows(const struct plan_automaton *set, const uint8_t *text,
                                   struct lanes *lanes, uint32_t *ends)
{
    uint64_t min = UINT64_MAX, sum;

    for (uint32_t lane = 0; lane < LANES; lane++)
        min = min_u64(min, lanes->at[lane] - lanes->from[lane]);
    sum = ends != NULL ? read_rows(set, text, lanes, min, ends)
                       : read_rows(set, text, lanes, min, NULL);
    for (uint32_t lane = 0; lane < LANES; lane++) /* finish the lanes with longer parts */
        while (lanes->at[lane] > lanes->from[lane]) {
            uint32_t *state = &lanes->state[lane];

            *state = set->rows[*state + PLAN_AUTOMATON_ROW_HEAD +
                               set->class_of[text[--lanes->at[lane]]]];
            sum += set->rows[*state];
            if (ends != NULL)
                ends[lanes->at[lane]] = set->rows[*state + 1];
        }
    return sum;
}

uint64_t dense_read(const struct plan_automaton *set, const uint8_t *text, uint64_t begins,
                    uint64_t count, uint32_t *ends)
{
    /* Lanes read backwards. A lane starts this many bytes beyond its part's end, to be in the right
     * state there. */
    uint64_t lead = set->length_max - 1;
    uint64_t bytes = max_u64(max_u64((begins + LANES - 1) / LANES, cpu_sizes.lane_bytes), lead);
    struct lanes lanes;

    TRAWL_ASSERT(begins > 0 && begins <= count && set->node_count > 0);
    TRAWL_ASSERT(ends != NULL || set->rows != NULL);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t end = min_u64((lane + 1) * bytes, begins);

        lanes.state[lane] = set->start;
        lanes.from[lane] = end;
        lanes.at[lane] = end > lane * bytes ? min_u64(end + lead, count) : end;
    }
    if (set->rows != NULL)
        (void)read_lanes_by_rows(set, text, &lanes, NULL);
    else
        read_lanes(set, text, &lanes, NULL);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        lanes.at[lane] = lanes.from[lane];
        lanes.from[lane] = min_u64(lane * bytes, begins);
    }
    if (set->rows != NULL)
        return read_lanes_by_rows(set, text, &lanes, ends);
    read_lanes(set, text, &lanes, ends);
    return 0;
}
