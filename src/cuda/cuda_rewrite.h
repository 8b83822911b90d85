/* cuda_rewrite: makes new columns of strings of records and of matches in them */
#ifndef TRAWL_CUDA_CUDA_REWRITE_H
#define TRAWL_CUDA_CUDA_REWRITE_H

#include "cuda/open.h"

/* device_ops.records_rewrite. */
enum trawl_status cuda_records_rewrite(struct engine *engine, const struct engine_records *held,
                                       const uint8_t *tape, const struct line_group *group,
                                       struct trawl_rewrite *rewrite, struct trawl_error *error);

#endif
