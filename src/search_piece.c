/* search_piece: one piece's way from the cursor to the sink. */
#include <string.h>

#include "base/checked.h"
#include "search.h"

static enum trawl_status matches_reserve(struct search_slot *slot, uint64_t count,
                                         struct trawl_error *error)
{
    void *memory;

    if (count <= slot->matches_capacity)
        return TRAWL_OK;
    memory_release(slot->matches, slot->matches_capacity, sizeof *slot->matches);
    slot->matches = NULL;
    slot->matches_capacity = 0;
    TRAWL_TRY(memory_allocate(count, sizeof *slot->matches, &memory, error));
    slot->matches = (struct trawl_match *)memory;
    slot->matches_capacity = count;
    return TRAWL_OK;
}

/* Hits to matches: offsets become global, literals become patterns. */
static enum trawl_status slot_convert(const struct trawl_plan *plan, struct search_slot *slot,
                                      enum sink_wants wants, struct trawl_error *error)
{
    uint64_t count = slot->result.hits.count;

    slot->match_count = 0;
    if (wants == SINK_WANTS_FIRST)
        count = min_u64(count, 1);
    TRAWL_TRY(matches_reserve(slot, count, error));
    for (uint64_t i = 0; i < count; i++) {
        const struct hit *hit = &slot->result.hits.items[i];
        const struct plan_literal *literal = &plan->literals[hit->literal];
        struct trawl_match *match = &slot->matches[i];
        uint64_t length = literal->bytes_count;

        if (slot->result.hits.lengths_valid)
            length = slot->result.hits.lengths[i];
        else if (literal->tail_count > 0)
            length = plan_literal_match(plan, literal, slot->piece.bytes + hit->offset,
                                        slot->piece.owned + slot->piece.after - hit->offset);
        match->begin = slot->piece.begin + hit->offset;
        match->end = match->begin + length;
        match->pattern_index = literal->pattern;
    }
    slot->match_count = count;
    return TRAWL_OK;
}

/* The part [from, done) of a slot's piece as the sink sees it. */
static struct sink_piece slot_view(const struct search_slot *slot)
{
    struct sink_piece view;
    uint64_t done = slot->result.done;

    memset(&view, 0, sizeof view);
    view.begin = slot->piece.begin + slot->from;
    view.bytes = slot->piece.bytes + slot->from;
    view.owned = done - slot->from;
    view.after = slot->piece.owned - done + slot->piece.after;
    view.last = slot->piece.last && done == slot->piece.owned;
    view.count = slot->result.count;
    view.hits = slot->result.hits.items;
    view.hit_count = slot->result.hits.count;
    view.hits_base = slot->from;
    view.one_per_line = slot->result.hits.one_per_line;
    view.matches = slot->matches;
    view.match_count = slot->match_count;
    return view;
}

static enum trawl_status slot_search(struct search_thread *thread, struct search_job *job,
                                     struct search_slot *slot, struct trawl_error *error)
{
    const struct text_piece *piece = &slot->piece;
    struct engine_chunk chunk = {piece->bytes, piece->begin,    piece->owned, piece->before,
                                 piece->after, piece->readable, false,        0};
    enum sink_wants wants = job->sink->wants;
    enum engine_want want = wants == SINK_WANTS_COUNT                  ? ENGINE_WANT_COUNT
                            : wants == SINK_WANTS_FIRST                ? ENGINE_WANT_FIRST
                            : job->sink->selects == SINK_SELECTS_LINES ? ENGINE_WANT_LINES
                            : job->sink->selects == SINK_SELECTS_SPANS ? ENGINE_WANT_SPANS
                                                                       : ENGINE_WANT_HITS;

    if (want == ENGINE_WANT_SPANS && (slot->from > 0 || thread->searcher->slot_count == 1)) {
        /* all before is delivered */
        chunk.spans_known = true;
        chunk.spans_end = job->sink->spans_end - min_u64(job->sink->spans_end, piece->begin);
    }
    engine_result_begin(&slot->result, piece->owned, false);
    slot->match_count = 0;
    if (wants == SINK_WANTS_NOTHING || job->plan->literal_count == 0 || slot->from == piece->owned)
        return TRAWL_OK;
    TRAWL_TRY(
        search_ops(thread->searcher, job->plan)
            ->scan(search_lane(thread, job->plan), &chunk, slot->from, want, &slot->result, error));
    TRAWL_ASSERT(slot->result.done > slot->from && slot->result.done <= piece->owned);
    if (wants == SINK_WANTS_MATCHES || wants == SINK_WANTS_FIRST)
        return slot_convert(job->plan, slot, wants, error);
    return TRAWL_OK;
}

void search_slot_scan(struct search_thread *thread, struct search_job *job,
                      struct search_slot *slot)
{
    /* the first fault of a slot is the one that is told: reading may have failed already */
    bool first = slot->status == TRAWL_OK;
    enum trawl_status status = slot_search(thread, job, slot, first ? &slot->error : NULL);

    if (status != TRAWL_OK) { /* nothing of this part is delivered */
        if (first)
            slot->status = status;
        slot->result.done = slot->from;
        slot->result.count = 0;
        slot->result.hits.count = 0;
        slot->match_count = 0;
    }
    if (job->sink->digest != NULL) {
        struct sink_piece view = slot_view(slot);

        job->sink->digest(job->sink, &view, &slot->digest);
    }
}

void search_fill(struct search_thread *thread, struct search_job *job, struct search_slot *slot,
                 uint64_t only, enum text_taken *taken)
{
    slot->from = 0;
    slot->status =
        text_cursor_next(&job->cursor, only, &slot->buffer, &slot->piece, taken, &slot->error);
    if (*taken == TEXT_TAKEN)
        search_slot_scan(thread, job, slot);
}

static bool deliver_part(struct search_job *job, struct search_slot *slot)
{
    struct sink_piece view = slot_view(slot);

    job->stats.match_count += view.count;
    job->stats.candidate_count += slot->result.candidate_count;
    job->stats.text_bytes += view.owned;
    job->stats.device_copy_ns += slot->result.device_copy_ns;
    job->stats.device_kernel_ns += slot->result.device_kernel_ns;
    job->stats.child_grids += slot->result.child_grids;
    job->stats.child_spills += slot->result.child_spills;
    job->stats.device_back_ns += slot->result.device_back_ns;
    job->stats.device_memory_ns += slot->result.device_memory_ns;
    job->stats.device_host_ns += slot->result.device_host_ns;
    job->stats.child_withheld += slot->result.child_withheld;
    if (slot->result.note != NULL)
        job->note = slot->result.note;
    job->last_delivered |= view.last;
    return job->sink->deliver(job->sink, &view, &slot->digest);
}

bool search_deliver(struct search_thread *thread, struct search_job *job, struct search_slot *slot)
{
    if (slot->piece.beyond) {
        if (job->last_delivered || slot->status != TRAWL_OK)
            return slot->status == TRAWL_OK;
        slot->piece.last = true; /* the file shrank: its end is here */
    }
    job->stats.chunk_count++;
    job->stats.device_chunk_count += slot->result.on_device;
    for (;;) {
        if (!deliver_part(job, slot))
            return false;
        atomic_fetch_add(&thread->searcher->progress, slot->result.done - slot->from);
        slot->from = slot->result.done;
        if (slot->status != TRAWL_OK || slot->from == slot->piece.owned)
            return slot->status == TRAWL_OK;
        search_slot_scan(thread, job, slot);
    }
}

void search_slot_release(struct search_slot *slot)
{
    text_buffer_release(&slot->buffer);
    hits_release(&slot->result.hits);
    memory_release(slot->matches, slot->matches_capacity, sizeof *slot->matches);
    slot->matches = NULL;
    slot->matches_capacity = 0;
}
