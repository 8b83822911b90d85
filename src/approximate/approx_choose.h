/* approx_choose: chooses, based on expected costs, the method that finds the candidates (places
 * that may be occurrences) of an approximate search.
 *
 * Where pieces seem cheapest, the host tries them on 64 KiB of the text. Once their candidates
 * cost more than the next best method, it uses that for 1 MiB, and each further time for twice as
 * much. Text that is not ASCII is searched by pieces if the alphabet is UTF-8 characters; near a
 * U, which the pieces' T of DNA does not match, another method searches. A device uses neither
 * planes nor columns, nor pieces of DNA; if it is expected to need less than half of the host's
 * time, it searches loaded texts with the engine auto, and any text with cuda.
 *
 * The chosen method took 1.08 times as long as the best of pieces, planes and columns on average,
 * and at most 1.7 times, in 101 searches, most of them for 1 to 10 patterns with 1 or 2 errors
 * (English, Rust, Russian; 16 MiB; Xeon, 2026-11-28).
 */
#ifndef TRAWL_APPROXIMATE_APPROX_CHOOSE_H
#define TRAWL_APPROXIMATE_APPROX_CHOOSE_H

#include "approximate/approx_compile.h"
#include "engine.h"

/* Tests set this to a method, which is then used for every plan that it can search for. With the
 * value APPROX_METHODS, the cheapest method is used. */
extern enum approx_method approx_method_forced;

/* The fixed time of a search on a device, in ns, in addition to the time per byte: for the sample,
 * the launches, the copies of results, and preparing a new plan's pieces. Tests replace it. */
extern double approx_device_fixed_ns;

/* Sets the methods and the expected times of *approximate, whose symbols have been made, for a host
 * with these functions. */
void approx_choose(struct approximate *approximate, const struct filter_ops *ops);

/* The work of a search on a device, or of one step of such a search. */
struct approx_work {
    uint64_t bytes;  /* length of the text in bytes */
    double rate;     /* candidates per byte of text that the device finds */
    double ready_ns; /* time until the device can begin to search, in ns */
    bool is_copied;  /* the text must first be copied to the device */
    bool is_found;   /* the device has found the candidates, which only have to be verified */
    /* how many host threads would search in place of the device; if the device searches, one of
     * them verifies the candidates */
    uint32_t threads;
};

/* Returns true if the host should search. Before a device has searched, the host searches unless
 * the device's expected time is clearly less. After the device has found the candidates (is_found),
 * the host searches if verifying them would take longer than its own search. Returns false whenever
 * a test forces the method. */
bool approx_is_for_host(const struct approximate *approximate, const struct approx_work *work);

/* Begins the contest of a thread of the host between PIECES and method_dense, if these differ. Its
 * contestants are methods, and its times are expected ones. */
void approx_contest_begin(struct contest *contest, const struct approximate *approximate);
/* Returns the method's name, static text. */
const char *approx_method_name(enum approx_method method);

/* A literal of `count` symbols is cut into k + 1 pieces. Returns the index of the first symbol of
 * piece `index`; for index k + 1, returns `count`. */
static inline uint64_t approx_piece_begin(const struct approximate *approximate, uint64_t count,
                                          uint64_t index)
{
    return count * index / (approximate->errors_max + 1);
}

#endif
