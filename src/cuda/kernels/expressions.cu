/* expressions: reads lines or records with the automata of expressions, and lists those that match,
 * or the matches (lists.h, match/line_automaton.h).
 *
 * Method     answer_decide: keeps the first hit in each line or record that an automaton finds to
 *            contain a match. answer_around: keeps the hits that are in a match of one of their
 *            string's expressions; an automaton for each reads from the hit, another one back from
 *            there, only as far as it takes. answer_read finds lines or records without hits.
 *            answer_find: lists the matches that automata find in such lines or records: forwards
 *            to a match's end, and from there backwards to its start. A lane reads a line or record
 *            alone.
 * Grid       a thread per hit; without hits, per KiB of the text, or per record.
 * Shared     answer_read: static, 24 KiB.
 * Traffic    the lines that have a hit, or all; per byte, 2 of a table.
 * Bound      by the latency of the table: each state depends on the one before.
 * Progress   no block waits for another.
 * Source     the subset construction (Rabin and Scott, 1959); RE2 finds a match in the same two
 *            steps.
 */

/* Returns where the line of byte x begins: after the last line end in [low, x), or at `low` if
 * there is none. */
SIMT_FUNCTION uint64_t answer_line_begin(const struct answer_arguments *a, uint64_t low, uint64_t x)
{
    SIMT_ROLLED
    for (uint64_t unit = x / 16u;; unit--) {
        uint32_t ends = answer_unit(a, unit) & answer_inside(unit, low, x);

        if (ends != 0)
            return unit * 16u + simt_highest_bit(ends) + 1u;
        if (unit * 16u <= low)
            return low;
    }
}

/* Returns the position of the first line end in [x, to); `to` if there is none. */
SIMT_FUNCTION uint64_t answer_line_end(const struct answer_arguments *a, uint64_t x, uint64_t to)
{
    SIMT_ROLLED
    for (uint64_t unit = x / 16u; unit * 16u < to; unit++) {
        uint32_t ends = answer_unit(a, unit) & answer_inside(unit, x, to);

        if (ends != 0)
            return unit * 16u + simt_lowest_bit(ends);
    }
    return to;
}

SIMT_FUNCTION int answer_ends_line(const struct answer_arguments *a, uint32_t byte)
{
    return byte == (a->line_end & 0xffu) || byte == (a->line_end_also & 0xffu);
}

/* Returns true if byte x, before `end`, is a carriage return that belongs to its line's end. */
SIMT_FUNCTION int answer_returns(const struct answer_arguments *a, uint64_t x, uint64_t end)
{
    return a->crlf != 0 && simt_load_u8(a->text + x) == '\r' &&
           (x + 1u == end || answer_ends_line(a, simt_load_u8(a->text + x + 1u)));
}

/* Returns true if the end of a text's line begins with byte x, before `end`. */
SIMT_FUNCTION int answer_is_end(const struct answer_arguments *a, uint64_t x, uint64_t end)
{
    return answer_ends_line(a, simt_load_u8(a->text + x)) || answer_returns(a, x, end);
}

/* Returns the unit's 16 bytes, with a line end instead of a carriage return before one. Does not
 * read at `end` or later, which may lie outside the memory. */
SIMT_FUNCTION struct simt_u32x4 answer_bytes(const struct answer_arguments *a, uint64_t unit,
                                             uint64_t end)
{
    struct simt_u32x4 bytes = {{0, 0, 0, 0}};

    if (unit * 16u + 16u <= end) {
        bytes = simt_load_u32x4((const uint32_t *)(const void *)(a->text + unit * 16u));
    } else {
        SIMT_UNROLL
        for (uint32_t k = 0; k < 16u; k++)
            if (unit * 16u + k < end)
                bytes.w[k / 4u] |= (uint32_t)simt_load_u8(a->text + unit * 16u + k) << k % 4u * 8u;
    }
    if (a->crlf != 0) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < 16u; k++)
            if ((bytes.w[k / 4u] >> k % 4u * 8u & 0xffu) == '\r' &&
                answer_returns(a, unit * 16u + k, end))
                bytes.w[k / 4u] ^= ('\r' ^ (a->line_end & 0xffu)) << k % 4u * 8u;
    }
    return bytes;
}

/* Returns answer_bytes with the bytes' columns in the automaton's table instead of bytes. */
SIMT_FUNCTION struct simt_u32x4 answer_columns(const struct answer_arguments *a, uint64_t unit,
                                               uint64_t end)
{
    struct simt_u32x4 bytes = answer_bytes(a, unit, end);

    if (a->automaton.column_of != 0) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++) {
            uint32_t columns = 0;

            SIMT_UNROLL
            for (uint32_t i = 0; i < 32u; i += 8u)
                columns |=
                    (uint32_t)simt_load_u8(a->automaton.column_of + (bytes.w[k] >> i & 0xffu)) << i;
            bytes.w[k] = columns;
        }
    }
    return bytes;
}

/* Returns the automaton's next state. At a line end in a text, that is the answer, 0 or 1. */
SIMT_FUNCTION uint32_t answer_next(const struct answer_arguments *a, const uint16_t *table,
                                   uint32_t state, uint32_t byte)
{
    uint32_t at = a->automaton.columns * state + byte;

    return table != 0 ? (uint32_t)table[at] : (uint32_t)simt_load_u16(a->automaton.next + at);
}

/* Runs the automaton over the bytes [from, to), and reads no byte at `last` or later. Returns 1
 * once the line or record is known to contain a match, 0 once it is known to contain none (the
 * automaton then stops, as in ANSWER_UNDECIDED), else a state. *reached is `to`, or, after an early
 * stop, the beginning of the last 16 bytes read, but at least `from`. `table` is in shared memory;
 * if it is 0, the automaton is read in global memory. */
SIMT_FUNCTION uint32_t answer_run(const struct answer_arguments *a, const uint16_t *table,
                                  uint64_t from, uint64_t to, uint64_t last, uint64_t *reached)
{
    uint32_t state = ANSWER_STATE, low = (uint32_t)(from % 16u);

    *reached = to;
    SIMT_ROLLED
    for (uint64_t unit = from / 16u; unit * 16u < to && state >= ANSWER_STATE; unit++) {
        struct simt_u32x4 bytes = answer_columns(a, unit, last);
        uint32_t high = to - unit * 16u < 16u ? (uint32_t)(to - unit * 16u) : 16u;

        if (low == 0 && high == 16u) {
            SIMT_UNROLL
            for (uint32_t k = 0; k < 16u; k++)
                state = answer_next(a, table, state, bytes.w[k / 4u] >> k % 4u * 8u & 0xffu);
        } else {
            SIMT_UNROLL
            for (uint32_t k = 0; k < 16u; k++)
                if (k >= low && k < high)
                    state = answer_next(a, table, state, bytes.w[k / 4u] >> k % 4u * 8u & 0xffu);
        }
        if (state < ANSWER_STATE)
            *reached = unit * 16u + low;
        low = 0;
    }
    return state;
}

/* Returns what the automaton says about a line or record that ends in this state: 1 if it contains
 * a match, 0 if it does not; 2, and reports it, if it cannot decide. */
SIMT_FUNCTION uint32_t answer_end_verdict(const struct answer_arguments *a,
                                          const struct answer_automaton *automaton, uint32_t state)
{
    uint32_t said = state < ANSWER_STATE ? state : simt_load_u8(automaton->ends + state);

    if (said == ANSWER_UNDECIDED)
        simt_max_u64(a->sums + ANSWER_FAULT, 1);
    return said;
}

SIMT_FUNCTION int answer_matches(const struct answer_arguments *a, uint32_t state)
{
    return answer_end_verdict(a, &a->automaton, state) == 1u;
}

/* The line or record [from, to) of hit i. */
struct answer_line {
    uint64_t from, to, record;
    int is_first; /* no earlier hit lies in it */
    int is_near;  /* it begins at most decide_bytes before the hit */
};

/* Returns the line or record of hit i; for a line, `to` is the end of the text. Hits ascend.
 * Reads the text from the hit back to the line's start, but not beyond the hit before, so that all
 * hits together read no byte twice. */
SIMT_FUNCTION struct answer_line answer_line_of(const struct answer_arguments *a, uint64_t i)
{
    uint64_t x = answer_place(a, i), before = i == 0 ? 0 : answer_place(a, i - 1u);
    struct answer_line line = {a->decide_low, a->text_end, 0, 1, 1};

    if (a->steps != 0) {
        line.record = answer_record_of(a, x - a->tape);
        line.from = answer_record_at(a, line.record) + a->tape;
        line.to = answer_record_at(a, line.record + 1u) + a->tape;
        line.is_first = i == 0 || before - line.from > x - line.from;
        /* The subtraction wraps, so a record that begins before decide_low, the first byte we
         * have, counts as too long. */
        line.is_near =
            x - line.from <= a->decide_bytes && line.from - a->decide_low <= x - a->decide_low;
    } else {
        uint64_t low = x - line.from > a->decide_bytes ? x - a->decide_bytes : line.from;
        int is_begin = low == line.from && a->decide_begins != 0;
        uint64_t min = i != 0 && before >= low ? before : low;

        line.from = answer_line_begin(a, min, x);
        line.is_first = line.from > min || i == 0 || before < low;
        line.is_near = line.from > min || is_begin;
    }
    return line;
}

SIMT_KERNEL(answer_decide, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread(), hit = 0;
    struct answer_line line = {0, 0, 0, 0, 0};
    int is_kept = 0;

    if (SIMT_BOUND(i < args.count))
        line = answer_line_of(&args, i);
    if (line.is_first && line.is_near) {
        uint64_t x = answer_place(&args, i), max = args.decide_bytes, reached;
        uint64_t stop = line.to - x > max ? x + max : line.to;
        uint32_t state = answer_run(&args, 0, line.from, stop, line.to, &reached);

        hit = simt_load_u64(args.hits + i);
        is_kept = answer_matches(&args, state);
        line.is_near = state < ANSWER_STATE || stop == line.to;
    }
    if (line.is_first && !line.is_near)
        simt_max_u64(args.sums + ANSWER_FAULT, 1);
    answer_keep(&args, is_kept, hit);
    answer_report_sums(&args);
}

/* Returns the kind of what reading begins beside: of the byte x or, with `is_end`, of an end of the
 * line. */
SIMT_FUNCTION uint32_t answer_beside_what(const struct answer_arguments *a, uint64_t x,
                                          uint64_t last, int is_end)
{
    uint32_t byte = is_end ? 0u : simt_load_u8(a->text + x);

    if (!is_end && a->steps == 0)
        is_end = answer_is_end(a, x, last);
    return is_end                 ? ANSWER_BEGINS
           : byte == '\n'         ? ANSWER_AFTER_NEWLINE
           : answer_is_word(byte) ? ANSWER_AFTER_WORD
           : byte >= 0x80u        ? ANSWER_AFTER_BEYOND
                                  : ANSWER_AFTER_OTHER;
}

/* Counts the pieces that lanes read. Returns false if a lane must not read another. */
SIMT_FUNCTION int answer_may_go_on(const struct answer_arguments *a, uint64_t bytes)
{
    return bytes % AROUND_PIECE != AROUND_PIECE - 1u ||
           simt_atomic_add_u64(a->sums + ANSWER_LONG, 1) < a->long_max;
}

/* Runs an automaton of answer_arguments.tables from x to `to` or, with `back`, from x back to `to`,
 * beside `what`. If it has not decided there, returns what the line's end says, with `ends`, or
 * else ANSWER_UNDECIDED. */
SIMT_FUNCTION uint32_t answer_anchored(const struct answer_arguments *a, uint32_t at, uint32_t what,
                                       uint64_t x, uint64_t to, uint64_t last, int back, int ends)
{
    const uint8_t *table = a->tables + 16ull * at;
    const uint16_t *header = (const uint16_t *)(const void *)table;
    const uint8_t *column_of = table + sizeof(struct around_header);
    const uint16_t *next = (const uint16_t *)(const void *)(column_of + 256);
    uint32_t columns = simt_load_u16(header + 5), state = simt_load_u16(header + what);
    uint64_t from = x;

    SIMT_ROLLED
    while (state >= ANSWER_STATE && x != to) {
        uint64_t place = back ? x - 1u : x;
        uint32_t byte = simt_load_u8(a->text + place);

        if (!back && byte == '\r' && answer_returns(a, place, last))
            byte = a->line_end & 0xffu;
        state = simt_load_u16(next + columns * state + simt_load_u8(column_of + byte));
        if (!answer_may_go_on(a, back ? from - x : x - from))
            return ANSWER_UNDECIDED;
        x = back ? place : place + 1u;
    }
    if (state < ANSWER_STATE)
        return state;
    return ends
               ? simt_load_u8((const uint8_t *)(next + columns * simt_load_u16(header + 6)) + state)
               : ANSWER_UNDECIDED;
}

/* Returns what the anchor says about the string at x, in a line or record that begins in
 * [low, x] and ends in [x, to): 1 if it is in a match, 0 if not, or ANSWER_UNDECIDED. `begins` and
 * `ends`: the line begins at `low`, or ends at `to`, at the latest. */
SIMT_FUNCTION uint32_t answer_anchor(const struct answer_arguments *a, uint64_t anchor, uint64_t x,
                                     uint64_t low, uint64_t to, uint64_t last, int begins, int ends)
{
    uint32_t before = (uint32_t)(anchor >> 32), after = (uint32_t)anchor, what, said = 1;

    if (before == AROUND_LINE) {
        uint64_t from = a->steps != 0 ? low : answer_line_begin(a, low, x);

        return from == low && !begins
                   ? ANSWER_UNDECIDED
                   : answer_anchored(a, after, ANSWER_BEGINS, from, to, last, 0, ends);
    }
    if (after != AROUND_NOTHING) {
        if (x == low && !begins)
            return ANSWER_UNDECIDED;
        what = answer_beside_what(a, x - 1u, last, x == low);
        said = answer_anchored(a, after, what, x, to, last, 0, ends);
    }
    if (said == 0 || before == AROUND_NOTHING)
        return said;
    what = answer_beside_what(a, x, last, 0);
    to = answer_anchored(a, before, what, x, low, last, 1, begins);
    return to == 1u ? said : (uint32_t)to;
}

/* Keeps the hits in whose line or record an anchor of their string matches around them. */
SIMT_KERNEL(answer_around, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread(), hit = 0;
    int is_kept = 0, is_fault = 0;

    if (SIMT_BOUND(i < args.count) && simt_load_relaxed_u64(args.sums + ANSWER_FAULT) == 0) {
        uint64_t x = answer_place(&args, i), max = args.decide_bytes, anchors;
        uint64_t low = args.decide_low, to = args.text_end, last;
        int begins = args.decide_begins != 0, ends;

        hit = simt_load_u64(args.hits + i);
        if (args.steps != 0) {
            uint64_t record = answer_record_of(&args, x - args.tape);
            uint64_t from = answer_record_at(&args, record) + args.tape;

            to = answer_record_at(&args, record + 1u) + args.tape;
            begins = from - low <= x - low;
            low = begins ? from : low;
        }
        last = to;
        if (x - low > max) {
            low = x - max;
            begins = 0;
        }
        ends = to - x <= max;
        to = ends ? to : x + max;
        anchors = simt_load_u64(args.literal_anchors + (uint32_t)(hit >> 32));
        SIMT_ROLLED
        for (uint32_t k = 0; k < (uint32_t)anchors && !is_kept; k++) {
            uint32_t said = answer_anchor(&args, simt_load_u64(args.anchors + (anchors >> 32) + k),
                                          x, low, to, last, begins, ends);

            is_kept = said == 1u;
            is_fault |= said == ANSWER_UNDECIDED;
        }
        if (is_fault && !is_kept)
            simt_max_u64(args.sums + ANSWER_FAULT, 1);
    }
    answer_keep(&args, is_kept, hit);
    answer_report_sums(&args);
}

/* Returns where the first line of the stripe [at, stop) begins; `stop` if none does. */
SIMT_FUNCTION uint64_t answer_first_line(const struct answer_arguments *a, uint64_t at,
                                         uint64_t stop)
{
    return at >= stop || (at == a->decide_low && a->decide_begins != 0)
               ? at
               : answer_line_end(a, at - 1u, stop - 1u) + 1u;
}

/* Reads the lines that begin in the stripe [at, stop), and keeps the start of each that contains a
 * match. Called by all lanes of the warp. */
SIMT_FUNCTION void answer_read_lines(const struct answer_arguments *a, const uint16_t *table,
                                     uint64_t at, uint64_t stop)
{
    at = answer_first_line(a, at, stop);
    SIMT_ROLLED
    while (simt_ballot(at < stop) != 0) {
        uint64_t begin = at, reached, max;
        int is_kept = 0;

        if (at < stop) {
            max = a->text_end - at > a->decide_bytes ? at + a->decide_bytes : a->text_end;
            is_kept = answer_matches(a, answer_run(a, table, at, max, a->text_end, &reached));
            at = answer_line_end(a, reached, max) + 1u;
            if (at > max && max < a->text_end)
                simt_max_u64(a->sums + ANSWER_FAULT, 1);
        }
        answer_keep(a, is_kept, begin - a->begin);
    }
}

SIMT_FUNCTION void answer_read_by(const struct answer_arguments *a, const uint16_t *table)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();
    int is_marked = 0;
    uint32_t lanes;

    if (a->steps == 0) {
        uint64_t at = a->begin + i * READ_BYTES, stop = at + READ_BYTES;

        answer_read_lines(a, table, at, stop < a->end ? stop : a->end);
        return;
    }
    if (SIMT_BOUND(i < a->record_count) && !answer_is_null(a, i)) {
        uint64_t from = answer_record_at(a, i), to = answer_record_at(a, i + 1u), last, reached;

        last = answer_record_at(a, a->record_count) + a->tape;
        if (to - from > a->decide_bytes)
            simt_max_u64(a->sums + ANSWER_FAULT, 1);
        else
            is_marked = answer_matches(a, answer_run(a, table, from + a->tape, to + a->tape, last,
                                                     &reached)) &&
                        answer_mark(a, i, 0);
    }
    lanes = simt_ballot(is_marked);
    if (lanes != 0 && simt_lane() == 0)
        simt_add_u64(a->sums + ANSWER_KEPT, simt_popcount(lanes));
}

/* Reads all lines of the range, or all records, without a list of hits, and marks those that
 * contain a match. */
SIMT_KERNEL(answer_read, answer_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint16_t, answer_table, READ_WORDS);
    uint32_t words = args.automaton.columns * args.automaton.state_count;

    if (words <= READ_WORDS) {
        for (uint32_t k = simt_thread(); k < words; k += simt_threads())
            answer_table[k] = simt_load_u16(args.automaton.next + k);
        simt_barrier();
        answer_read_by(&args, answer_table);
    } else {
        answer_read_by(&args, 0);
    }
    answer_report_sums(&args);
}

/* A line or record in which a lane finds one match after the other. */
struct answer_walk {
    uint64_t from, to; /* `to` is the text's end if this is a line, not its own */
    uint64_t stop;     /* the lane reads up to here */
    uint64_t last;     /* no byte from here on may be read */
    uint64_t at;       /* where the search goes on */
    uint64_t left;     /* how many bytes may still be read */
    uint64_t record;
    int is_on;
    uint32_t found; /* bit 0: an empty match, bit 1: another */
};

SIMT_FUNCTION struct answer_walk answer_walk_in(const struct answer_arguments *a, uint64_t from,
                                                uint64_t to, uint64_t stop, uint64_t last,
                                                uint64_t record)
{
    struct answer_walk walk = {from,   to, stop, last, from, FIND_PASSES * a->decide_bytes,
                               record, 1,  0};

    return walk;
}

/* Returns the state in which reading begins, beside the byte x or, with `is_end`, an end of the
 * line. */
SIMT_FUNCTION uint32_t answer_beside(const struct answer_arguments *a,
                                     const struct answer_automaton *automaton, uint64_t x,
                                     uint64_t last, int is_end)
{
    return automaton->first[answer_beside_what(a, x, last, is_end)];
}

/* Returns where the match that ends at `end` begins: the earliest place at or after `low`. */
SIMT_FUNCTION uint64_t answer_begin_of(const struct answer_arguments *a,
                                       const struct answer_walk *walk, uint64_t low, uint64_t end)
{
    uint32_t state = answer_beside(a, &a->begins, end, walk->last, end == walk->to), next = 0;
    uint64_t begin = end;

    for (uint64_t x = end; state >= ANSWER_STATE && x >= low; x--) {
        if (x == walk->from) {
            next = answer_end_verdict(a, &a->begins, state) == 1u ? ANSWER_MATCH : 0;
        } else {
            uint32_t column = simt_load_u8(a->text + x - 1u);

            if (a->begins.column_of != 0)
                column = simt_load_u8(a->begins.column_of + column);
            next = simt_load_u16(a->begins.next + a->begins.columns * state + column);
        }
        if ((next & ANSWER_MATCH) != 0)
            begin = x;
        if (x == walk->from)
            break;
        state = next & ~ANSWER_MATCH;
    }
    if (state == ANSWER_UNDECIDED)
        simt_max_u64(a->sums + ANSWER_FAULT, 1);
    return begin;
}

/* Returns where the next match at or after walk->at ends; UINT64_MAX if there is none. *reached is
 * in the line, and not behind what was read of it. */
SIMT_FUNCTION uint64_t answer_next_end(const struct answer_arguments *a, struct answer_walk *walk,
                                       uint64_t *reached)
{
    uint64_t from = walk->at, end = UINT64_MAX;
    uint32_t state = answer_beside(a, &a->automaton, from - 1u, walk->last, from == walk->from);

    *reached = walk->stop;
    SIMT_ROLLED
    for (uint64_t unit = from / 16u; unit * 16u < walk->stop && state >= ANSWER_STATE; unit++) {
        struct simt_u32x4 bytes = answer_columns(a, unit, walk->last);

        *reached = unit * 16u < from ? from : unit * 16u;
        SIMT_UNROLL
        for (uint32_t k = 0; k < 16u; k++)
            if (unit * 16u + k >= from && unit * 16u + k < walk->stop) {
                uint32_t next = answer_next(a, 0, state, bytes.w[k / 4u] >> k % 4u * 8u & 0xffu);

                if ((next & ANSWER_MATCH) != 0)
                    end = unit * 16u + k;
                state = next & ~ANSWER_MATCH;
            }
    }
    walk->is_on = (state < ANSWER_STATE || walk->stop == walk->to) && walk->left > *reached - from;
    walk->left -= *reached - from;
    if (walk->is_on) {
        uint32_t said = answer_end_verdict(a, &a->automaton, state);

        walk->is_on = said != ANSWER_UNDECIDED;
        if (said == 1u)
            end = walk->to;
    }
    return walk->is_on ? end : UINT64_MAX;
}

/* Finds the next match in the line. Returns true, and its entry in a list; or false after an empty
 * match, or, with walk->at at the start of the next line, if there is none. */
SIMT_FUNCTION int answer_find_next(const struct answer_arguments *a, struct answer_walk *walk,
                                   uint64_t *entry)
{
    uint64_t from = walk->at, reached, end = answer_next_end(a, walk, &reached), begin = from;
    uint64_t high = a->expression, low = walk->record;

    if (end != UINT64_MAX && a->begins.next != 0)
        begin = answer_begin_of(a, walk, from, end);
    if (a->find_as == FIND_SPANS) {
        high = high << LENGTH_BITS | (end - begin);
        low = begin - a->find_base;
    }
    *entry = high << 32 | (uint32_t)low;
    if (end != UINT64_MAX && (a->begins.next == 0 || begin != end)) {
        walk->found |= 2u;
        walk->at = end;
        return 1;
    }
    if (end != UINT64_MAX) {
        /* No match begins inside a character but empty ones, so stepping over a byte is enough. */
        walk->found |= 1u;
        walk->at = end + 1u;
        if (end < walk->to && (a->steps != 0 || !answer_is_end(a, end, walk->last)))
            return 0;
    }
    walk->at = a->steps != 0 ? walk->to : answer_line_end(a, reached, walk->stop) + 1u;
    if (!walk->is_on || (walk->at > walk->stop && walk->stop != walk->to))
        simt_max_u64(a->sums + ANSWER_FAULT, 1);
    walk->is_on = 0;
    *entry |= (uint64_t)FIND_EMPTY << 32;
    return walk->found == 1u && a->find_as == FIND_RECORDS;
}

/* Finds the matches of an expression in the lines or records of the hits, in all lines that begin
 * in the range, or in all records. */
SIMT_KERNEL(answer_find, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread(), total = 0;
    uint64_t at = 0, stop = 0, max = args.decide_bytes;
    struct answer_walk walk = {0, 0, 0, 0, 0, 0, 0, 0, 0};

    if (args.hits != 0 && SIMT_BOUND(i < args.count)) {
        struct answer_line line = answer_line_of(&args, i);
        uint64_t x = answer_place(&args, i);

        line.is_first = line.is_first && x >= args.find_from && x < args.end;
        if (line.is_first && !line.is_near)
            simt_max_u64(args.sums + ANSWER_FAULT, 1);
        else if (line.is_first)
            walk = answer_walk_in(&args, line.from, line.to, line.to - x > max ? x + max : line.to,
                                  line.to, line.record);
    } else if (args.hits == 0 && args.steps == 0) {
        at = args.begin + i * READ_BYTES;
        stop = at + READ_BYTES < args.end ? at + READ_BYTES : args.end;
        at = answer_first_line(&args, at, stop);
    } else if (args.hits == 0 && SIMT_BOUND(i < args.record_count) && !answer_is_null(&args, i)) {
        uint64_t from = answer_record_at(&args, i), to = answer_record_at(&args, i + 1u);

        if (to - from > max)
            simt_max_u64(args.sums + ANSWER_FAULT, 1);
        else
            walk = answer_walk_in(&args, from + args.tape, to + args.tape, to + args.tape,
                                  answer_record_at(&args, args.record_count) + args.tape, i);
    }
    SIMT_ROLLED
    while (simt_ballot(walk.is_on || at < stop) != 0) {
        uint64_t entry = 0;
        int is_kept = 0;

        if (!walk.is_on && at < stop)
            walk = answer_walk_in(&args, at, args.text_end,
                                  args.text_end - at > max ? at + max : args.text_end,
                                  args.text_end, 0);
        if (walk.is_on)
            is_kept = answer_find_next(&args, &walk, &entry);
        if (!walk.is_on && at < stop)
            at = walk.at;
        if (!walk.is_on && args.hits != 0 && walk.at > args.end)
            simt_max_u64(args.sums + ANSWER_UPTO, walk.at - args.lead_at);
        total += (uint64_t)is_kept;
        if (args.kept != 0)
            answer_keep(&args, is_kept, entry);
    }
    total = simt_warp_sum_u64(total);
    if (args.kept == 0 && simt_lane() == 0 && total != 0)
        simt_add_u64(args.sums + ANSWER_KEPT, total);
    answer_report_sums(&args);
}
