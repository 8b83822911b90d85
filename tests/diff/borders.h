/* borders: bugs hide where a search goes from one block of the text to the next. Sets the sizes of
 * the CPU engine's blocks (struct cpu_sizes) far below their default values, so that texts of a few
 * hundred bytes have many such boundaries of each kind, and plants patterns around them. Also
 * replaces the clocks by which the library chooses its ways, so that many cases choose all of them,
 * and a case chooses the same again. */
#ifndef TRAWL_TESTS_DIFF_BORDERS_H
#define TRAWL_TESTS_DIFF_BORDERS_H

#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "cpu/worker.h"
#include "diff/diff_input.h"
#include "match/cells.h"
#include "match/sink.h"

#define BORDER_PLANTS 12u

/* Weak because several files of a program may include this. */
__attribute__((weak)) _Atomic uint64_t border_clock, border_now_ns = 1000000000u;

/* Replaces the system's clocks once borders_draw was called: 1 ns to 8 ms pass between calls. */
int clock_gettime(int id, struct timespec *now); /* headers may leave them out */
long syscall(long number, ...);
__attribute__((weak)) int clock_gettime(int id, struct timespec *now)
{
    uint64_t drawn, mixed, at;

    if (border_clock == 0)
        return (int)syscall(SYS_clock_gettime, id, now);
    drawn = border_clock += 0x9e3779b97f4a7c15u;
    mixed = (drawn ^ drawn >> 31) * 0xbf58476d1ce4e5b9u;
    at = border_now_ns += 1 + (mixed >> 40) % (UINT64_C(1) << mixed % 24);
    now->tv_sec = (time_t)(at / 1000000000u);
    now->tv_nsec = (long)(at % 1000000000u);
    return 0;
}

static const struct {
    size_t at; /* offset of the size in struct cpu_sizes */
    uint32_t min, max, unit;
} border_rows[] = {
#define BORDER(name, min, max, unit)                     \
    {                                                    \
        offsetof(struct cpu_sizes, name), min, max, unit \
    }
    BORDER(short_set, 0, 8, 128),
    BORDER(look_first, 1, 3000, 1),
    BORDER(tile_positions, 1, 6, 64),
    BORDER(class_positions, 1, 6, 64),
    BORDER(stem_batch, 1, 9, 1),
    BORDER(named, 1, 5, 1),
    BORDER(trial_bytes, 1, 500, 1),
    BORDER(trial_advance, 1, 4, 1u << 30),
    BORDER(verify_step, 1, 90, 1),
    BORDER(work_factor, 0, 1, 1),
    BORDER(dense_bytes, 1, 300, 1),
    BORDER(dense_step, 1, 200, 1),
    BORDER(lane_bytes, 1, 40, 1),
    BORDER(row_words, 0, 4000, 1),
    BORDER(pool, 0, 60, 1),
    BORDER(hits, 1, 9, 1),
    BORDER(border_share, 8, 20000, 1),
#undef BORDER
};
#define BORDER_ROWS (sizeof border_rows / sizeof *border_rows)

static inline uint64_t *border_size(uint32_t row)
{
    return (uint64_t *)(void *)((char *)&cpu_sizes + border_rows[row].at);
}

/* Leaves all sizes as they are, or makes about half of them smaller. Also draws a limit at which
 * the engine counts by pattern in a different way. For half of the texts, the first sample is taken
 * early. */
static inline void borders_draw(struct test_random *random)
{
    bool down = !test_random_one_in(random, 3);

    border_clock = test_random_u64(random);
    cpu_sizes = cpu_sizes_default;
    pattern_slots_min =
        test_random_one_in(random, 2) ? test_random_between(random, 1, 20) : PATTERN_SLOTS_MIN;
    if (test_random_one_in(random, 2)) {
        cpu_sizes.look_after = cpu_sizes.look_again = 0;
        cpu_sizes.look_lost_ns = 0;
    }
    for (uint32_t i = 0; i < BORDER_ROWS && down; i++)
        if (test_random_one_in(random, 2))
            *border_size(i) = border_rows[i].unit *
                              test_random_between(random, border_rows[i].min, border_rows[i].max);
}

/* Puts a pattern so that it begins or ends at a multiple of `size`, or one byte before or after it.
 * If `size` is 0 or greater than the text, the pattern is put at the text's end. Some of these
 * patterns have a changed byte. If only whole words or lines count, some are next to a line end. */
static inline void border_plant(struct test_random *random, struct diff_input *input, uint64_t size)
{
    struct naive_bytes pattern = input->patterns[test_random_below(random, input->pattern_count)];
    uint64_t begin = input->text_bytes, end;

    if (pattern.bytes_count > input->text_bytes)
        return;
    if (size > 0 && size <= input->text_bytes)
        begin = size * test_random_between(random, 1, input->text_bytes / size) - 1 +
                test_random_below(random, 3);
    if (size == 0 || test_random_one_in(random, 2))
        begin -= pattern.bytes_count < begin ? pattern.bytes_count : begin;
    if (begin > input->text_bytes - pattern.bytes_count)
        begin = input->text_bytes - pattern.bytes_count;
    end = begin + pattern.bytes_count;
    memcpy(input->text + begin, pattern.bytes, (size_t)pattern.bytes_count);
    for (uint64_t j = begin; j < end; j++)
        if ((input->flags & NAIVE_IGNORE_CASE) != 0 && (input->text[j] | 32) >= 'a' &&
            (input->text[j] | 32) <= 'z' && test_random_one_in(random, 2))
            input->text[j] ^= 32;
    if (pattern.bytes_count > 0 && size > 0 && test_random_one_in(random, 5))
        input->text[begin + test_random_below(random, pattern.bytes_count)] ^= 1;
    if ((input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0)
        return;
    if (begin > 0 && test_random_one_in(random, 2))
        input->text[begin - 1] = input->line_end;
    if (end < input->text_bytes && !test_random_one_in(random, 4))
        input->text[end] = input->line_end;
}

/* Puts a pattern at the text's end, and patterns around multiples of the engine's sizes. */
static inline void borders_plant(struct test_random *random, struct diff_input *input)
{
    if (input->pattern_count == 0 || input->text_bytes == 0)
        return;
    for (uint32_t i = 1; i < BORDER_PLANTS; i++)
        border_plant(random, input, *border_size((uint32_t)test_random_below(random, BORDER_ROWS)));
    border_plant(random, input, 0);
}

#endif
