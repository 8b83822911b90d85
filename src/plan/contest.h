/* contest: finds out, during a search, which of several contestants (strategies, methods) takes the
 * least time on the text.
 *
 * A contestant has a price: the time that it takes at best. Once some contestant could save more
 * time than a trial of it costs, a trial begins: the contestants in question search a turn each,
 * and are timed. The fastest goes on. The others rest, and are tried again later, or as soon as the
 * text has changed. The user of a contest decides how long a turn is, and searches.
 *
 * tests/unit/unit_contest.c searches modelled texts: where the text changes once, drifts, or
 * alternates every 64 KiB to 64 MiB, and pieces seem to take up to 30 % more or less than they do,
 * the mean regret (time / that of the fastest) is 1.02, the worst below 1.6.
 */
#ifndef TRAWL_PLAN_CONTEST_H
#define TRAWL_PLAN_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#define CONTEST_MAX 8u /* number of contestants */
/* A contestant is tried if its price is less than this share of the present one's time (less would
 * be lost among the machine's other work). */
#define CONTEST_WORTH_SHARE 0.75
/* After a way to search has failed on a text, it is not tried this many further times: what comes
 * next is probably similar. */
#define CONTEST_PAUSE 15u

/* An estimated time in ns: once_ns for the search, and byte_ns for each byte of text. */
struct price {
    double once_ns, byte_ns;
};

/* Returns true if `price` is less than `times` the price `other`, for `bytes` bytes of text. */
static inline bool price_is_less(struct price price, double times, struct price other,
                                 uint64_t bytes)
{
    return price.once_ns + price.byte_ns * (double)bytes <
           times * (other.once_ns + other.byte_ns * (double)bytes);
}

struct contest_rules {
    /* The first warm_bytes of a turn are not counted, as they fill the caches; then trial_bytes
     * are. A turn may be longer, as the user can only stop at certain places. */
    uint64_t warm_bytes, trial_bytes;
    double trial_ns;     /* a trial costs this, and the contestant's price.once_ns */
    uint64_t advance_ns; /* a trial may begin this much early; for tests */
};

/* A trial was won by another contestant than the one that searched before it. */
struct contest_change {
    uint32_t from, to;
    double from_ns, to_ns; /* per byte of text, in the trial that decided */
    const char *why;
};

struct contest {
    struct contest_rules rules;
    uint32_t fits;   /* contestants that can be used, as bits */
    uint32_t first;  /* the contestant that searched first */
    uint32_t now;    /* the contestant that searches */
    uint32_t before; /* the contestant that searched before the current trial */
    uint32_t open;   /* contestants whose turn has not ended, as bits; 0: there is no trial */
    bool counts;     /* the turn is past its warm_bytes */
    bool is_change;  /* the trial began because the text changed */
    /* bytes of text until the piece ends; if there is no trial, until the next may begin */
    uint64_t left;
    uint64_t spent;    /* ns that the search has taken since the last trial */
    uint64_t searched; /* bytes of text that were searched in `spent` */
    /* the last part of `spent` and `searched`, in which earlier bytes count less and less */
    uint64_t recent_ns, recent_bytes;
    double won;         /* ns per byte of the last trial's winner in it; 0: there was none */
    uint64_t all_bytes; /* since contest_begin */
    struct {
        struct price price;
        uint64_t ns, bytes; /* what was counted in the current trial */
        uint64_t rest;      /* bytes of text until the contestant may be tried again */
    } of[CONTEST_MAX];
};

/* Begins a contest of the contestants `fits` (bits), in which `first` searches first. The caller
 * then sets their prices. */
void contest_begin(struct contest *contest, const struct contest_rules *rules, uint32_t fits,
                   uint32_t first);
/* Returns true if there is only one contestant, so that nothing need be timed. */
static inline bool contest_is_decided(const struct contest *contest)
{
    return (contest->fits & (contest->fits - 1)) == 0;
}
/* Returns how many bytes contest->now should search before contest_count is called. */
uint64_t contest_piece(const struct contest *contest);
/* Returns true if contest_count should be called before the end of a piece that has taken `ns`. */
bool contest_is_due(const struct contest *contest, uint64_t ns);
/* Counts `bytes` bytes, in which contest->now searched from time begin_ns to end_ns. `counts` is
 * false if it also built tables. `rest` is how much text follows, as far as is known. Then sets
 * contest->now to the contestant that goes on. Returns true and fills *change if a trial ended with
 * another winner than the contestant that searched before. */
bool contest_count(struct contest *contest, uint64_t bytes, uint64_t begin_ns, uint64_t end_ns,
                   bool counts, uint64_t rest, struct contest_change *change);
/* Excludes contest->now, which turns out unable to search, and must not be contest->first. Returns
 * true and fills *change as contest_count does. */
bool contest_drop(struct contest *contest, struct contest_change *change);

#endif
