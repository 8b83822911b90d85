/* set_look: looks at a text's sample to choose the stride of a class. */
#ifndef TRAWL_CPU_SET_LOOK_H
#define TRAWL_CPU_SET_LOOK_H

#include "cpu/set_class.h"

/* Computes *named: with how many entries of class number `index` a gram of the sample agrees on
 * average, if the class had the q and the stride of `class`. of[set_class_of_length(length)] is
 * the number of a length's class. Errors: MEMORY. */
enum trawl_status set_named(const struct set_sample *sample, const struct set_matcher *matcher,
                            const uint32_t *of, uint32_t index, const struct set_class *class,
                            double *named, struct trawl_error *error);

#endif
