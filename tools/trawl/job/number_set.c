/* number_set: collects the numbers of the strings that a match stands for. Each scan has its own
 * set; threads share only the lists of numbers.c, which do not change. */
#include "trawl/job/command_scan.h"

#include <stdlib.h>

static bool add_number(struct text_scan *scan, uint64_t number)
{
    struct number_set *set = &scan->numbers;

    if (!SCAN_GROW(scan, set->list, set->capacity, set->count + 1))
        return false;
    set->list[set->count++] = number;
    return true;
}

static bool add_pattern(struct text_scan *scan, uint64_t pattern)
{
    const struct numbers *numbers = &scan->job->patterns->numbers;
    uint64_t count = numbers_count(numbers, pattern);

    for (uint64_t i = 0; i < count; i++)
        if (!add_number(scan, numbers_get(numbers, pattern, i)))
            return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;

    return (*first > *second) - (*first < *second);
}

static void sort(struct number_set *set)
{
    if (set->count > 1)
        qsort(set->list, (size_t)set->count, sizeof *set->list, compare);
}

/* Allocates set->stamps, unless they are there. Returns false if there is not enough memory. */
static bool make_stamps(struct text_scan *scan)
{
    struct number_set *set = &scan->numbers;

    if (set->stamps == NULL)
        set->stamps = calloc((size_t)scan->job->patterns->count + 1, sizeof *set->stamps);
    if (set->stamps == NULL)
        scan_fail(scan, TRAWL_MEMORY);
    return set->stamps != NULL;
}

/* Empties the set, which add_once fills. Returns false if there is not enough memory. */
static bool begin(struct text_scan *scan)
{
    scan->numbers.count = 0;
    if (!make_stamps(scan))
        return false;
    scan->numbers.stamp++;
    return true;
}

/* Adds a pattern's number, unless the set has it. Returns false if there is not enough memory. */
static bool add_once(struct text_scan *scan, uint64_t pattern)
{
    struct number_set *set = &scan->numbers;

    if (set->stamps[pattern] == set->stamp)
        return true;
    set->stamps[pattern] = set->stamp;
    return add_pattern(scan, pattern);
}

bool number_set_first(struct text_scan *scan, uint64_t pattern, bool begins)
{
    struct number_set *set = &scan->numbers;
    bool first;

    if (!make_stamps(scan))
        return true;
    set->stamp += begins;
    first = set->stamps[pattern] != set->stamp;
    set->stamps[pattern] = set->stamp;
    return first;
}

bool number_set_of_line(struct text_scan *scan, const struct trawl_match *matches,
                        uint64_t match_count, uint64_t from, uint64_t to, bool empty)
{
    const struct numbers *numbers = &scan->job->patterns->numbers;

    if (!begin(scan))
        return false;
    for (uint64_t i = 0; i < match_count; i++) {
        const bool is_whole = matches[i].begin == from && matches[i].end == to;

        if ((is_whole || !scan->rules.check_whole_line) &&
            !add_once(scan, matches[i].pattern_index))
            return false;
    }
    for (uint64_t i = 0; empty && i < numbers->empty_count; i++)
        if (!add_number(scan, numbers->empty[i]))
            return false;
    sort(&scan->numbers);
    return true;
}

bool number_set_of_spans(struct text_scan *scan, const struct trawl_match *matches,
                         const struct line_span *spans, uint64_t span_count, uint64_t offset)
{
    if (!begin(scan))
        return false;
    for (const struct line_span *span = spans; span < spans + span_count; span++)
        for (uint64_t i = span->group; i < span->group + span->group_count; i++)
            if (matches[i].end == offset + span->to && !add_once(scan, matches[i].pattern_index))
                return false;
    sort(&scan->numbers);
    return true;
}

bool number_set_at(struct text_scan *scan, const struct trawl_match *matches, uint64_t match_count,
                   uint64_t end)
{
    struct number_set *set = &scan->numbers;
    uint64_t longest = scan->rules.check_whole_line ? end : 0;

    set->count = 0;
    for (uint64_t i = 0; i < match_count && !scan->rules.check_whole_line; i++)
        if (matches[i].end > longest)
            longest = matches[i].end;
    for (uint64_t i = 0; i < match_count; i++)
        if (matches[i].end == longest && !add_pattern(scan, matches[i].pattern_index))
            return false;
    sort(set);
    return true;
}
