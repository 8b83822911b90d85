/* cuda_records: keeps the offsets of records on a device, and finds which records have
 * occurrences */
#ifndef TRAWL_CUDA_CUDA_RECORDS_H
#define TRAWL_CUDA_CUDA_RECORDS_H

#include "cuda/cuda_answer.h"
#include "cuda/open.h"

/* device_ops.records_hold, records_drop, records_clear and records_rewrite. */
enum trawl_status cuda_records_hold(struct engine *engine, uint32_t device, bool lies_there,
                                    struct records *records, struct engine_records **held,
                                    struct trawl_error *error);
void cuda_records_drop(struct engine *engine, struct engine_records *held);
enum trawl_status cuda_records_clear(struct engine *engine, const struct record_answer *answer,
                                     struct trawl_error *error);
enum trawl_status cuda_records_rewrite(struct engine *engine, const struct engine_records *held,
                                       const uint8_t *tape, const struct line_group *group,
                                       struct trawl_rewrite *rewrite, struct trawl_error *error);

uint32_t cuda_records_device(const struct engine_records *held);
struct records cuda_records_of(const struct engine_records *held);
/* Sets the arguments that describe the records. */
void cuda_records_describe(const struct engine_records *held, struct answer_arguments *a);

/* Prepares the memory for a task's answer about records (worker->answering). */
enum trawl_status cuda_records_begin(struct cuda_worker *worker, struct trawl_error *error);
/* For cells: lowers *done, the end of the range, to the start of the record that it would divide,
 * because a divided record would get cells twice. Errors: UNSUPPORTED if that record begins before
 * the range. */
enum trawl_status cuda_records_cut(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t *done, struct trawl_error *error);
/* Sets the arguments that describe the records and the answer's values. */
void cuda_records_arguments(const struct cuda_worker *worker, struct answer_arguments *a);
/* Adds the hits of a range to the answer: the `count` hits of list `which`. */
enum trawl_status cuda_records_add(struct cuda_worker *worker, struct answer_arguments *a,
                                   uint32_t which, uint64_t count, struct trawl_error *error);
/* Copies the answer to the caller's memory. */
enum trawl_status cuda_records_copy_answer(struct cuda_worker *worker, struct trawl_error *error);

#endif
