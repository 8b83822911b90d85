/* asks: a function for each answer of trawl_ask and trawl_ask_records, in C and C++. */
#ifndef TRAWL_TESTS_ASKS_H
#define TRAWL_TESTS_ASKS_H

#include "trawl.h"

static inline enum trawl_status ask_positions(struct trawl_searcher *searcher,
                                              const struct trawl_plan *plan,
                                              struct trawl_text *text, trawl_match_sink sink,
                                              void *context, struct trawl_error *error)
{
    struct trawl_answer answer = TRAWL_ANSWER_MATCHES(sink, context);

    return trawl_ask(searcher, plan, text, &answer, error);
}

static inline enum trawl_status ask_count_by_pattern(struct trawl_searcher *searcher,
                                                     const struct trawl_plan *plan,
                                                     struct trawl_text *text,
                                                     trawl_pattern_count_sink sink, void *context,
                                                     struct trawl_error *error)
{
    struct trawl_answer answer = TRAWL_ANSWER_COUNTS(sink, context);

    return trawl_ask(searcher, plan, text, &answer, error);
}

/* Asks for an answer with a count, which a failed call may leave as it is. */
static inline enum trawl_status ask_counted(struct trawl_searcher *searcher,
                                            const struct trawl_plan *plan, struct trawl_text *text,
                                            struct trawl_answer *answer, uint64_t *count,
                                            struct trawl_error *error)
{
    enum trawl_status status;

    answer->count = *count;
    status = trawl_ask(searcher, plan, text, answer, error);
    *count = answer->count;
    return status;
}

static inline enum trawl_status ask_begins_into(struct trawl_searcher *searcher,
                                                const struct trawl_plan *plan,
                                                struct trawl_text *text, uint64_t *begins,
                                                uint64_t begins_max, uint64_t *begin_count,
                                                struct trawl_error *error)
{
    struct trawl_answer answer = TRAWL_ANSWER(TRAWL_BEGINS);

    answer.values = begins;
    answer.room = begins_max;
    return ask_counted(searcher, plan, text, &answer, begin_count, error);
}

/* lines_max is not 0. */
static inline enum trawl_status ask_count_lines(struct trawl_searcher *searcher,
                                                const struct trawl_plan *plan,
                                                struct trawl_text *text, bool invert,
                                                uint64_t lines_max, uint64_t *count,
                                                struct trawl_error *error)
{
    struct trawl_answer answer = TRAWL_ANSWER(TRAWL_COUNT_LINES);

    answer.invert = invert;
    answer.lines_max = lines_max;
    return ask_counted(searcher, plan, text, &answer, count, error);
}

static inline enum trawl_status ask_records_into(struct trawl_searcher *searcher,
                                                 const struct trawl_plan *plan,
                                                 struct trawl_records *records,
                                                 enum trawl_what what, struct trawl_answer *answer,
                                                 struct trawl_error *error)
{
    answer->what = what;
    return trawl_ask_records(searcher, plan, records, answer, error);
}

#endif
