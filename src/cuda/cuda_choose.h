/* cuda_choose: chooses the method and the kernel with which a device searches for a single pattern,
 * and whether the *filter* (the kernels of stream_set.cu) or the *automaton* (automaton.cu)
 * searches for a set: the two are contestants (plan/contest.h), one for counts and one
 * for lists. A *sample* consists of excerpts of a loaded text. */
#ifndef TRAWL_CUDA_CUDA_CHOOSE_H
#define TRAWL_CUDA_CUDA_CHOOSE_H

#include "cuda/cuda_tables.h"
#include "plan/plan.h"
#include "want.h"

/* Returns the method for a text without a sample. `asked` is the method that the caller wants, or
 * TRAWL_METHOD_AUTO. */
enum trawl_method cuda_choose_method(const struct trawl_plan *plan, enum trawl_method asked);

/* Returns the method with the lowest price, the expected time of a count. Methods that have not
 * been timed are priced from a sample of the text. Stores in *tuning which bytes of the pattern the
 * methods look for. read_ns is the time in which the device reads the text once. The first choice
 * for a plan and a text includes the time to build tables, and looks at the sample for at most some
 * 10 us: if it is still open which method is the cheapest, sets prices->is_open, and returns
 * "every". */
enum trawl_method cuda_choose_seen(const struct trawl_plan *plan, const uint8_t *sample,
                                   uint64_t sample_bytes, double read_ns,
                                   struct plan_tuning *tuning, struct cuda_prices *prices);

/* Called while a kernel runs: if the choice is open, rates all methods, which takes 30 to 70 us,
 * and closes it. If another method, or "every" with other bytes of the pattern, should search the
 * rest of the text, sets tables->ready to false. */
void cuda_choose_meanwhile(struct cuda_worker *worker);
/* Returns how many of the next `bytes` bytes to search now: if the choice is open, those that are
 * searched in the time of rating. */
uint64_t cuda_choose_part(const struct cuda_worker *worker, uint64_t bytes);

/* Records that there was no memory for the method's tables. Returns true if there is another
 * method. */
bool cuda_choose_exclude(enum trawl_method method, struct cuda_prices *prices);

/* If case is ignored: returns the offset of the 4 bytes of the pattern to look for first, which are
 * rare in the sample: rare_offset, or up to 4 more. sample_bytes may be 0. */
uint64_t cuda_choose_look(const struct trawl_plan *plan, uint64_t rare_offset,
                          const uint8_t *sample, uint64_t sample_bytes);
/* Records that a count over `begins` positions of a text with a sample took `ns`; ignores a short
 * text. If the method has been timed often enough, and took clearly longer than another would, the
 * next count will choose again. */
void cuda_choose_note_time(struct cuda_worker *worker, uint64_t begins, uint64_t ns);

/* Chooses whether the filter or the automaton, which this builds, searches the next *bytes bytes
 * for a set. In a trial, lowers *bytes to the length of a turn. Sets *is_timed if
 * cuda_choose_note_turn should be called after the search. want: HITS also for answers that are
 * made of hits. */
enum trawl_status cuda_choose_turn(struct cuda_worker *worker, enum want want, uint64_t *bytes,
                                   bool *is_timed, struct trawl_error *error);
/* Counts a search of `bytes` bytes, up to offset `at` of the chunk, that took `ns`; `rest` bytes
 * follow. */
void cuda_choose_note_turn(struct cuda_worker *worker, enum want want, uint64_t at, uint64_t bytes,
                           uint64_t ns, uint64_t rest);

/* Returns the kernel that searches a range of `begins` starts for the worker's plan. For WANT_HITS,
 * that is a kernel that counts, and leaves hits in bins. */
enum cuda_kernel cuda_choose_kernel(const struct cuda_worker *worker, uint64_t begins,
                                    enum want want);
/* Returns true if a stream kernel finds the single pattern's occurrences without candidates. */
bool cuda_choose_decides(const struct pattern_arguments *a);
/* Returns the maximum number of positions that one launch searches for the worker's plan. */
uint64_t cuda_choose_begins_max(const struct cuda_worker *worker, enum want want);
/* Returns true if stream_set searches for the worker's set next, and not the automaton. */
bool cuda_choose_filters(const struct cuda_worker *worker, enum want want);
/* Called if no kernel can search for the set. Lets the host search the chunk if it may; else
 * UNSUPPORTED. */
enum trawl_status cuda_choose_leave(struct cuda_worker *worker, struct trawl_error *error);
/* Keeps the next scans from using a stream kernel: the tile kernel searches for a single pattern,
 * the automaton for a set. If there is no automaton, and the host may not search the chunk,
 * stream_set goes on without a budget, unless that was so before. */
enum trawl_status cuda_choose_automaton(struct cuda_worker *worker, struct trawl_error *error);
/* Called after a scan that the kernel gave up because some part of the text had too many
 * candidates. Either cuda_choose_automaton, or stream_set repeats the scan with a larger budget,
 * which is cheaper in two cases: if the set usually needs nearly as much work as is allowed, so
 * that in a long text some warp exceeds it by chance; and if the literals are long, when the cause
 * is often a phrase that many of them share, but that is rare in the text. */
enum trawl_status cuda_choose_dense(struct cuda_worker *worker, struct trawl_error *error);
/* Returns true if the next counts of a single pattern use no stream kernel. */
bool cuda_choose_is_dense(const struct cuda_tables *tables);
/* Returns how many of the next starts planes should search, which they never did for this plan. */
uint64_t cuda_choose_trial(const struct cuda_worker *worker, uint64_t begins);
/* Called after a count that took `ns`: if planes took longer than the automaton would, in dense
 * text for a single pattern, the automaton counts next, and from then on if it is faster. */
void cuda_choose_note_dense(struct cuda_worker *worker, enum cuda_kernel kernel, uint64_t begins,
                            uint64_t ns);
/* Called after bins were full that were chosen for hits of this share. If there are not many more,
 * they lie close together, so bins get more room from now on; if they had it, no bins of this kind
 * are used any more. */
void cuda_choose_note_full_bins(struct cuda_tables *tables, double share);

#endif
