/* tournament: finds out which of several programs takes the least time on the text at hand.
 *
 * The fastest program depends on the text, the strings and the caches, and cannot be predicted. A
 * search begins with one program. Once other programs could save more time than a tournament costs,
 * all these programs search pieces of the text in turn. A program leaves the tournament as soon as
 * it is far behind. The fastest program then goes on until the next tournament.
 */
#ifndef TRAWL_CPU_TOURNAMENT_H
#define TRAWL_CPU_TOURNAMENT_H

#include <stdbool.h>
#include <stdint.h>

enum program {
#define PROGRAM(name, ...) PROGRAM_##name,
#include "cpu/set_programs.def"
#undef PROGRAM
    PROGRAMS
};

struct tournament {
    uint32_t fits; /* bits: the programs that can search for this set */
    uint32_t warm; /* pieces at the begin of a turn that only fill the caches and do not count */
    enum program now;
    enum program first;  /* the program that searches first */
    enum program before; /* the program that searched before the current tournament */
    /* bits: the programs that the tournament still compares; 0: no tournament is going on */
    uint32_t open;
    uint32_t step;      /* number of the piece in the program's turn, from 1 on */
    uint32_t unsettled; /* pieces of the turn that did not count because tables were made */
    /* bytes left in the piece; between tournaments, bytes until the next may begin */
    uint64_t left;
    uint64_t spent;       /* ns that the search took since the last tournament */
    uint64_t searched;    /* bytes of text that were searched in `spent` */
    uint64_t short_texts; /* number of short texts between tournaments */
    bool is_warm;         /* the tables of the program that searches are in the caches */
    struct {
        /* the time of those pieces of the program that count, and their bytes of text */
        uint64_t ns, bytes;
        uint64_t rest;     /* bytes of text until the program may be compared again */
        uint64_t interval; /* how many bytes of text lie at least between two comparisons */
    } of[PROGRAMS];
};

#endif
