/* mutant: put before each source that has switches (sites.py). */
#ifndef TRAWL_MUTANT_H
#define TRAWL_MUTANT_H

extern __attribute__((visibility("hidden"))) unsigned trawl_mutant;
extern __attribute__((visibility("hidden"))) unsigned char *trawl_mutant_seen;

/* A byte for each switch: is it in a program that ran, was it reached? */
#define TRAWL_MUTANT_IN_PROGRAM 1
#define TRAWL_MUTANT_REACHED 2

static inline int trawl_mutant_is(unsigned number)
{
    unsigned char *seen = &trawl_mutant_seen[number];

    if ((__atomic_load_n(seen, __ATOMIC_RELAXED) & TRAWL_MUTANT_REACHED) == 0)
        __atomic_fetch_or(seen, TRAWL_MUTANT_REACHED, __ATOMIC_RELAXED);
    return trawl_mutant == number;
}

/* The numbers of a program's switches stand in a section of their own. */
#define TRAWL_MUTANT(number)                                                 \
    __extension__({                                                          \
        static const unsigned trawl_mutant_site                              \
            __attribute__((section("trawl_mutant_sites"), used)) = (number); \
        trawl_mutant_is(number);                                             \
    })

#endif
