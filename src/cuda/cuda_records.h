/* cuda_records: keeps the offsets of records on a device, and answers questions about the
 * records */
#ifndef TRAWL_CUDA_CUDA_RECORDS_H
#define TRAWL_CUDA_CUDA_RECORDS_H

#include "cuda/cuda_answer.h"
#include "cuda/open.h"

/* engine_ops.records_hold, records_drop and records_clear. */
enum trawl_status cuda_records_hold(struct engine *engine, uint32_t device, bool lies_there,
                                    struct records *records, struct engine_records **held,
                                    struct trawl_error *error);
void cuda_records_drop(struct engine *engine, struct engine_records *held);
enum trawl_status cuda_records_clear(struct engine *engine, const struct record_answer *answer,
                                     struct trawl_error *error);

/* Prepares the memory of a task's answer about records (worker->answering). */
enum trawl_status cuda_records_begin(struct engine_worker *worker, struct trawl_error *error);
/* For cells: lowers *done, where the range ends, to the start of the record there, so that no
 * record is divided and has its cells twice. Errors: UNSUPPORTED if that record begins before the
 * range. */
enum trawl_status cuda_records_cut(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t *done, struct trawl_error *error);
/* Reads all records, and marks those in which the plan's automaton finds a match. */
enum trawl_status cuda_records_read(struct engine_worker *worker, struct answer_arguments *a,
                                    struct trawl_error *error);
/* Adds a range's hits, `count` in list `which`, to the answer. */
enum trawl_status cuda_records_add(struct engine_worker *worker, struct answer_arguments *a,
                                   uint32_t which, uint64_t count, struct trawl_error *error);
/* Copies the answer to the caller's memory. */
enum trawl_status cuda_records_finish(struct engine_worker *worker, struct trawl_error *error);

#endif
