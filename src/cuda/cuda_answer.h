/* cuda_answer: makes answers of hits that stay on the device (match/answer.h). */
#ifndef TRAWL_CUDA_CUDA_ANSWER_H
#define TRAWL_CUDA_CUDA_ANSWER_H

#include "cuda/cuda_worker.h"
#include "cuda/launch.h"
#include "cuda/kernels/lists.h"
#include "match/answer.h"

/* The worker's state for answers. */
struct cuda_answering {
    struct hits_answer *answer; /* of the current task; NULL: the task wants hits */
    const struct engine_chunk *chunk;
    uint64_t chunk_at;       /* position of the chunk's first byte in the text on the device */
    bool has_lines;          /* answer->lines describes the ranges so far */
    struct cuda_memory sums; /* ANSWER_SUMS words, zeros between two kernels if sums_ready */
    bool sums_ready;         /* false: a failure may have left other values */
    struct cuda_pinned told; /* the host's copy of the sums */
    struct cuda_memory gaps, vast;
    struct cuda_memory counts;     /* a word for each pattern */
    struct cuda_pinned by_pattern; /* the counts, copied to the host */
    struct cuda_memory literals;   /* lengths, then patterns, of the literals */
    uint64_t literals_serial;      /* of the plan whose literals these are; 0: none */
    const uint32_t *lengths, *patterns;
    struct cuda_memory bits;         /* a bit for each record */
    struct cuda_memory values;       /* what will be copied to the caller's memory */
    struct cuda_memory block_counts; /* of answer_cells */
};

/* Returns whether a device can make this answer for the plan. */
bool cuda_answer_is_for(const struct trawl_plan *plan, enum answer_form form);
/* Runs a task that makes an answer (ENGINE_OUTPUT_ANSWER). Errors: UNSUPPORTED if the chunk is not
 * loaded on the worker's device, or the device cannot make this answer. */
enum trawl_status cuda_answer(struct engine_worker *worker, struct engine_task *task,
                              enum trawl_status (*scan)(struct engine_worker *worker,
                                                        struct engine_task *task,
                                                        struct trawl_error *error),
                              struct trawl_error *error);
/* Adds to the answer the hits of a range that begin below `limit`, or fewer if there are too many
 * for the lists: then *done becomes the begin at which the answer goes on. */
enum trawl_status cuda_answer_range(struct engine_worker *worker, const struct cuda_range *range,
                                    uint64_t limit, struct engine_result *result, uint64_t *done,
                                    struct trawl_error *error);
/* Runs a kernel of answer.cu of at least `threads` threads, but at most blocks_max blocks (0: any
 * number), and sets *sums to the kernel's sums, valid until the next run. */
enum trawl_status cuda_answer_run(struct engine_worker *worker, enum cuda_kernel kernel,
                                  uint64_t threads, uint64_t blocks_max, struct answer_arguments *a,
                                  const uint64_t **sums, struct trawl_error *error);
/* Makes the sums ready for cuda_answer_run. */
enum trawl_status cuda_answer_sums(struct engine_worker *worker, struct trawl_error *error);
/* Makes worker->answering. */
enum trawl_status cuda_answer_want(struct engine_worker *worker, struct trawl_error *error);
/* Frees the device's memory. */
void cuda_answer_end(struct engine_worker *worker);

#endif
