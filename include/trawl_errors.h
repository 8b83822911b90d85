/* trawl_errors: the part of trawl.h about plans with errors, which is included there. What an
 * occurrence within so many errors is, is written in docs/approximate.md.
 */
#ifndef TRAWL_ERRORS_H
#define TRAWL_ERRORS_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Plans with errors ------------------------------------------------------------------- */

/* What patterns and texts of a plan with errors are sequences of (docs/approximate.md). */
enum trawl_alphabet {
    TRAWL_BYTES = 0,
    TRAWL_CHARACTERS = 1, /* of UTF-8; a byte that is part of none is one itself */
    TRAWL_DNA = 2         /* letters of either case. Patterns: the 15 codes of IUPAC, of which U is
                             none. Other bytes of a text equal nothing */
};

#define TRAWL_ERRORS_MAX 31

/* Symbols [begin, end) of each pattern, from 0 on. */
struct trawl_range {
    uint64_t begin;
    uint64_t end;
};

#ifdef __cplusplus
}
#endif

#endif
