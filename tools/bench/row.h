/* row: a row of the input: questions and those who answer them. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "bench/bench.h"

#define QUESTIONS_MAX 4u
#define CONTESTANTS_MAX 64u

struct row {
    struct fields fields;
    struct question question[QUESTIONS_MAX];
    struct contestant contestant[CONTESTANTS_MAX];
    uint32_t question_count, contestant_count;
};

/* race.c: run all and print the line of JSON. */
void row_run(struct row *row);
/* Did one of the project's own contestants find what is not right? */
bool race_went_wrong(void);

#endif
