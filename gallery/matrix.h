/* matrix: first occurrences of many patterns in many records, record by record. */
#ifndef TRAWL_GALLERY_MATRIX_H
#define TRAWL_GALLERY_MATRIX_H

#include "gallery/device.h"

/* Under a plan whose algorithm takes records. With a device, which has begun the plan, it says
 * first which records may hold anything. */
enum trawl_status gallery_matrix_fill(const struct trawl_plan *plan, struct gallery_device *device,
                                      struct engine_matrix *matrix, struct engine_result *result,
                                      struct trawl_error *error);

#endif
