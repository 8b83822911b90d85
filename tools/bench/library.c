/* library: runs libtrawl as a competitor, with trawl's methods or the gallery's algorithms.
 *
 * Competitor  kind=trawl
 *   engine=cpu|cuda|auto  threads=N  isa=NAME  chunk=BYTES   options of the searcher, which stays
 *                 open from row to row
 *   method=NAME  algorithm=NAME  sample=1                    options of the plan
 *   plan=once     the plan is built before the timed part. By default each run builds the plan, and
 *                 the result `plan` has the time for that part
 *   plan=new      the plan is built for each run, before the timed part
 *   loaded=1      the text is loaded before the timed part; loaded=new: anew before each run;
 *                 loaded=filter: with a filter
 *   to=pinned|device   where an answer that is an array goes, instead of the host's other memory
 *   clock=cpu     processor time is measured instead of wall time
 * Question
 *   each=1        a search for each pattern; the answers are added up
 *   alphabet=dna  mismatches=N  edits=N   the alphabet and the errors of the plan
 *   exact=N       in the last N symbols no error is allowed
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "trawl.h"
#if TRAWL_GALLERY
#include "trawl_gallery.h"
#endif

#define SEARCHERS_MAX 16u        /* most searchers that stay open */
#define SAMPLE_BYTES (64u << 10) /* length of the text sample of sample=1 */
#define LOADED_MAX 64u           /* most texts that stay loaded */
#define ROOM_UNIT 64u            /* rooms for answers are multiples, so that columns are aligned */

/* The state of a competitor between runs. */
struct library {
    struct trawl_searcher *searcher;
    struct trawl_plan *plan;       /* the plan of plan=once */
    struct trawl_text *text;       /* opened for this competitor, or an entry of `loaded` */
    struct trawl_records *records; /* an entry of `loaded` */
    uint64_t text_bytes;
    bool loaded;            /* `text` is an entry of `loaded` */
    double loading;         /* how many seconds loading it took */
    void *array;            /* the answer, in host memory, perhaps pinned */
    uint64_t address, room; /* the array's address on a device, or 0; the most items that fit */
};

static struct trawl_error failure; /* the error of the last failed call */

/* ---- Searchers ---------------------------------------------------------------------------- */

static struct {
    char key[96];
    struct trawl_searcher *searcher;
} searchers[SEARCHERS_MAX];

/* Returns the searcher with the competitor's options; the first call with these options opens it.
 * NULL: it could not be opened, and `why` says why. */
static struct trawl_searcher *searcher_of(const struct competitor *it, char why[])
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    const char *engine = field(&it->fields, "engine", "cpu"), *isa = field(&it->fields, "isa", "");
    char key[96];
    uint32_t i = 0;

    options.chunk_bytes = field_number(&it->fields, "chunk", 0);
    /* The `loaded` field is part of the key: otherwise a competitor without loaded=1 could get a
     * searcher that has loaded the text, and would search the device's copy; and loaded=new would
     * unload texts that other competitors still use. */
    snprintf(key, sizeof key, "%s %" PRIu32 " %" PRIu64 " %s %s", engine, it->threads,
             options.chunk_bytes, isa, field(&it->fields, "loaded", ""));
    while (i < SEARCHERS_MAX && searchers[i].searcher != NULL && strcmp(searchers[i].key, key) != 0)
        i++;
    if (i == SEARCHERS_MAX)
        fail("more than %u kinds of searchers", SEARCHERS_MAX);
    if (searchers[i].searcher != NULL)
        return searchers[i].searcher;
    options.engine = strcmp(engine, "cuda") == 0   ? TRAWL_ENGINE_CUDA
                     : strcmp(engine, "auto") == 0 ? TRAWL_ENGINE_AUTO
                                                   : TRAWL_ENGINE_CPU;
    options.threads = it->threads;
    options.instruction_set = *isa != '\0' ? isa : NULL;
    if (trawl_searcher_open(&options, &searchers[i].searcher, &failure) != TRAWL_OK) {
        memcpy(why, failure.message, sizeof failure.message);
        searchers[i].searcher = NULL;
    }
    memcpy(searchers[i].key, key, sizeof key);
    return searchers[i].searcher;
}

void library_close(void)
{
    library_unload(NULL);
    for (uint32_t i = 0; i < SEARCHERS_MAX; i++) {
        trawl_searcher_close(searchers[i].searcher);
        searchers[i].searcher = NULL;
    }
}

/* ---- Plans and texts ---------------------------------------------------------------------- */

/* Returns the method of this name; exits if there is none. */
static enum trawl_method method_named(const char *name)
{
#define METHOD_CASE(member, number, word) \
    if (strcmp(name, word) == 0)          \
        return TRAWL_METHOD_##member;
    TRAWL_METHOD_LIST(METHOD_CASE)
#undef METHOD_CASE
    fail("there is no method '%s'", name);
}

/* Returns true if the status is OK. Otherwise run->why gets the message of the failed call. */
static bool good(enum trawl_status status, struct bench_run *run)
{
    if (status == TRAWL_OK)
        return true;
    memcpy(run->why, failure.message, sizeof run->why);
    if (run->why[0] == '\0')
        snprintf(run->why, sizeof run->why, "%s", trawl_status_message(status));
    return false;
}

/* Builds a plan of these patterns, with the options of the question and of the competitor. */
static bool build(const struct competitor *it, const struct trawl_pattern *patterns, uint64_t count,
                  struct trawl_plan **plan, struct bench_run *run)
{
    const struct fields *fields = &it->question->fields;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    uint64_t bytes = count > 0 ? patterns->bytes_count : 0;
    struct trawl_range exact = {bytes - field_number(fields, "exact", 0), bytes};

    options.alphabet = strcmp(field(fields, "alphabet", ""), "dna") == 0 ? TRAWL_DNA : TRAWL_BYTES;
    options.mismatches_max = (uint32_t)field_number(fields, "mismatches", 0);
    options.edits_max = (uint32_t)field_number(fields, "edits", 0);
    options.exact = &exact;
    options.exact_count = exact.begin < exact.end;
    options.flags = it->question->flags;
    options.letters = trawl_ascii();
    if (strcmp(field(fields, "syntax", ""), "perl") == 0)
        options.syntax = TRAWL_PERL;
    options.algorithm = field(&it->fields, "algorithm", NULL);
    options.method = method_named(field(&it->fields, "method", "auto"));
    if (field(&it->fields, "sample", NULL) != NULL) {
        options.sample = it->question->bytes;
        options.sample_bytes = it->bytes < SAMPLE_BYTES ? it->bytes : SAMPLE_BYTES;
    }
    return good(trawl_plan_build(patterns, count, &options, plan, &failure), run);
}

static void drop_text(struct library *own)
{
    if (!own->loaded)
        trawl_text_close(own->text);
    own->text = NULL;
}

/* the loaded texts and records, shared by all competitors with the same searcher */
static struct loaded {
    struct trawl_searcher *searcher;
    const uint8_t *bytes; /* the text's bytes in the row */
    uint64_t count;
    struct trawl_text *text; /* NULL: records, or an empty entry */
    struct trawl_records *records;
    double seconds; /* how long loading took */
} loaded[LOADED_MAX];

/* Unloads texts over these bytes from the searcher. bytes NULL: all texts; searcher NULL: from each
 * searcher. */
static void unload(const uint8_t *bytes, const struct trawl_searcher *searcher)
{
    for (uint32_t i = 0; i < LOADED_MAX; i++) {
        if (loaded[i].searcher == NULL || (bytes != NULL && loaded[i].bytes != bytes) ||
            (searcher != NULL && loaded[i].searcher != searcher))
            continue;
        if (loaded[i].text != NULL)
            trawl_text_unload(loaded[i].searcher, loaded[i].text);
        trawl_text_close(loaded[i].text);
        trawl_records_unload(loaded[i].records);
        memset(&loaded[i], 0, sizeof loaded[i]);
    }
}

void library_unload(const uint8_t *bytes)
{
    unload(bytes, NULL);
}

/* Describes the records of the competitor's share of the text. */
static struct trawl_record_array array_of(const struct competitor *it)
{
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;

    array.bytes = it->question->bytes;
    array.offsets = it->question->offsets;
    array.record_count = question_records(it->question, it->bytes);
    return array;
}

static enum trawl_status open_memory(const void *bytes, uint64_t bytes_count, uint32_t flags,
                                     struct trawl_text **text)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, bytes_count);

    options.flags = flags;
    return trawl_text_open(NULL, &options, text, &failure);
}

/* Loads the competitor's share of the text, or its records, as an entry of `loaded`. */
static enum trawl_status fill_entry(const struct competitor *it, struct loaded *entry)
{
    bool filter = strcmp(field(&it->fields, "loaded", ""), "filter") == 0;
    struct trawl_record_array array = array_of(it);
    double begin = competitor_clock(it);
    enum trawl_status status;

    if (call_subject(it->call) == OF_RECORDS)
        return trawl_records_load(entry->searcher, &array, &entry->records, &failure);
    status = open_memory(entry->bytes, entry->count, filter ? TRAWL_TEXT_FILTER : 0, &entry->text);
    if (status == TRAWL_OK)
        status = trawl_text_load(entry->searcher, entry->text, &failure);
    entry->seconds = competitor_clock(it) - begin;
    return status;
}

/* Sets own->text or own->records to the competitor's share of the text, loaded onto the devices of
 * own->searcher. What was loaded before for the same searcher is used again, unless the competitor
 * has loaded=new. If the table is full, all entries are unloaded first. */
static bool load(const struct competitor *it, struct library *own, struct bench_run *run)
{
    bool records = call_subject(it->call) == OF_RECORDS;
    struct loaded *entry = NULL, *empty = NULL;

    if (strcmp(field(&it->fields, "loaded", ""), "new") == 0)
        unload(it->question->bytes, own->searcher);
    for (uint32_t i = 0; i < LOADED_MAX; i++)
        if (loaded[i].searcher == NULL)
            empty = &loaded[i];
        else if (loaded[i].searcher == own->searcher && loaded[i].bytes == it->question->bytes &&
                 loaded[i].count == it->bytes && (loaded[i].records != NULL) == records)
            entry = &loaded[i];
    if (entry == NULL) {
        if (empty == NULL)
            library_unload(NULL);
        entry = empty != NULL ? empty : loaded;
        *entry = (struct loaded){own->searcher, it->question->bytes, it->bytes, NULL, NULL, 0};
        if (!good(fill_entry(it, entry), run)) {
            trawl_text_close(entry->text);
            memset(entry, 0, sizeof *entry);
            return false;
        }
    }
    own->loaded = true;
    own->loading = entry->seconds;
    own->text = entry->text;
    own->records = entry->records;
    return true;
}

/* Opens the competitor's share of the text, and loads it with loaded=1. */
static bool open_text(const struct competitor *it, struct library *own, struct bench_run *run)
{
    if (field(&it->fields, "loaded", NULL) != NULL || call_subject(it->call) == OF_RECORDS)
        return load(it, own, run);
    if (own->text != NULL && own->text_bytes == it->bytes)
        return true;
    drop_text(own);
    own->text_bytes = it->bytes;
    return good(open_memory(it->question->bytes, it->bytes, 0, &own->text), run);
}

/* ---- Arrays ------------------------------------------------------------------------------- */

static bool goes_to(const struct competitor *it, const char *place)
{
    return strcmp(field(&it->fields, "to", ""), place) == 0;
}

/* Frees the array on the host and on the device. */
static void array_close(const struct competitor *it, struct library *own)
{
    if (goes_to(it, "pinned"))
        device_unpin(own->array);
    else
        free(own->array);
    if (own->address != 0)
        device_free(own->address);
    own->array = NULL;
    own->address = 0;
    own->room = 0;
}

/* Makes room for `count` items of the answer, and touches the pages before the timed part. */
static bool array_open(const struct competitor *it, struct library *own, uint64_t count,
                       struct bench_run *run)
{
    bool on_device = goes_to(it, "device");
    uint64_t bytes;

    if (own->room >= count)
        return true;
    array_close(it, own);
    count = (count + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
    bytes = count * call_item_bytes(it->call);
    if (on_device) {
        own->address = device_allocate(bytes);
        own->array = allocate(bytes);
    } else if (goes_to(it, "pinned")) {
        own->array = device_pin(bytes);
    } else {
        own->array = allocate(bytes);
        memset(own->array, 0x55, (size_t)bytes);
    }
    own->room = count;
    if (own->array != NULL && (own->address != 0 || !on_device))
        return true;
    snprintf(run->why, sizeof run->why, "no memory of a device, or pinned, for the answer");
    return false;
}

/* Adds the next start to the answer. A start out of order spoils the sum on purpose. */
static void add_begin(struct answer *answer, uint64_t *before, uint64_t begin, uint64_t pattern)
{
    answer->sum += begin < *before ? 1 : answer_mix(begin, pattern, 0);
    *before = begin;
}

/* Returns where the answer goes. */
static void *array_of_answer(const struct library *own)
{
    return own->address != 0 ? (void *)(uintptr_t)own->address : own->array;
}

/* Adds up the items of the array, for the comparison with the oracle. Cells have two columns, and
 * each cell comes after the cell before. */
static void sum_array(const struct competitor *it, const struct library *own, struct answer *answer)
{
    const uint64_t *begins = (const uint64_t *)own->array;
    const uint32_t *records = (const uint32_t *)own->array;
    const uint8_t *any = (const uint8_t *)own->array;
    uint64_t next = 0; /* the least key of the next item */

    answer->summed = true;
    if (it->call == CALL_RECORDS_ANY) {
        for (uint64_t i = 0; i < question_records(it->question, it->bytes); i++)
            answer->sum += any[i] != 0 ? answer_mix(i, any[i], 0) : 0;
        return;
    }
    for (uint64_t i = 0; i < answer->count && i < own->room; i++) {
        uint64_t pattern = it->call == CALL_BEGINS ? 0 : records[own->room + i];
        uint64_t place = it->call == CALL_BEGINS ? begins[i] : records[i];
        uint64_t key = it->call == CALL_BEGINS ? place : place << 32 | pattern;

        answer->sum += key < next ? 1 : answer_mix(place, pattern, 0);
        next = key + (it->call == CALL_RECORDS_CELLS);
    }
}

/* ---- Calls -------------------------------------------------------------------------------- */

struct bench_sink {
    struct answer answer;
    bool full;       /* adds every occurrence to the sum */
    uint64_t before; /* start of the previous occurrence, to check the order */
};

/* The sink of TRAWL_MATCHES: counts the matches and, in a full run, adds them to the sum. */
static int take_matches(void *context, const struct trawl_match *matches, uint64_t count)
{
    struct bench_sink *sink = (struct bench_sink *)context;

    sink->answer.count += count;
    for (uint64_t i = 0; i < count && sink->full; i++)
        add_begin(&sink->answer, &sink->before, matches[i].begin, matches[i].pattern_index);
    return 0;
}

/* The sink of TRAWL_COUNT_BY_PATTERN. The sum is linear in the counts, which may come in parts. */
static int take_counts(void *context, const struct trawl_pattern_count *counts, uint64_t count)
{
    struct bench_sink *sink = (struct bench_sink *)context;

    for (uint64_t i = 0; i < count; i++) {
        sink->answer.count += counts[i].count;
        sink->answer.sum += counts[i].count * answer_mix(0, counts[i].pattern_index, 0);
    }
    sink->answer.summed = true;
    return 0;
}

/* Searches by trawl_search_next, and counts the matches of all batches. */
static enum trawl_status pull_batches(const struct library *own, const struct trawl_plan *plan,
                                      struct bench_sink *sink)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    enum trawl_status status =
        trawl_search_open(own->searcher, plan, own->text, 0, &search, &failure);

    while (status == TRAWL_OK && !batch.last) {
        status = trawl_search_next(search, &batch, &failure);
        if (status != TRAWL_OK)
            break;
        sink->answer.count += batch.match_count;
        for (uint64_t i = 0; i < batch.match_count && sink->full; i++)
            add_begin(&sink->answer, &sink->before, batch.begins[i], batch.pattern_indices[i]);
    }
    trawl_search_close(search);
    return status;
}

static int add_cells(void *context, const struct trawl_cells *cells)
{
    struct bench_sink *sink = context;

    sink->answer.count += cells->cell_count;
    for (uint64_t i = 0; i < cells->cell_count && sink->full; i++)
        sink->answer.sum += answer_mix(cells->records[i], cells->patterns[i], cells->begins[i]);
    return 0;
}

/* Searches the text's records, which stay where they are, and counts the cells of all batches. */
static enum trawl_status take_matrix(const struct competitor *it, const struct library *own,
                                     const struct trawl_plan *plan, struct bench_sink *sink)
{
    struct trawl_record_array array = array_of(it);
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_CELLS);
    struct trawl_records *records = NULL;
    enum trawl_status status;

    array.flags = TRAWL_RECORDS_STAY;
    out.cells = add_cells;
    out.context = sink;
    status = trawl_records_load(own->searcher, &array, &records, &failure);
    if (status == TRAWL_OK)
        status = trawl_ask_records(own->searcher, plan, records, &out, &failure);
    trawl_records_unload(records);
    return status;
}

/* Searches the loaded records. Cells that do not fit are counted, and are not a failure. */
static enum trawl_status ask_records(const struct competitor *it, const struct library *own,
                                     const struct trawl_plan *plan, uint64_t *count)
{
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BYTES);
    enum trawl_status status;

    out.values = array_of_answer(own);
    out.room = own->room;
    if (it->call == CALL_RECORDS_CELLS) {
        out.what = TRAWL_RECORDS_CELLS;
        out.cell_bytes = sizeof(uint32_t);
        out.patterns = (uint32_t *)out.values + own->room;
    }
    status = trawl_ask_records(own->searcher, plan, own->records, &out, &failure);
    *count = out.count;
    return status == TRAWL_LIMIT && out.count > own->room ? TRAWL_OK : status;
}

/* Makes the competitor's call, and stores the answer in run->answer. `full`: the answer includes
 * the sum over all occurrences. */
static enum trawl_status make_call(const struct competitor *it, struct library *own,
                                   const struct trawl_plan *plan, bool full, struct bench_run *run)
{
    struct trawl_match match = {0, 0, 0, 0, 0};
    struct bench_sink sink = {{0, 0, full}, full, 0};
    struct trawl_answer asked = TRAWL_ANSWER(TRAWL_MATCHES);
    enum trawl_status status;
    bool found = false;

    asked.context = &sink;
    switch (it->call) {
    case CALL_COUNT:
        return trawl_count(own->searcher, plan, own->text, &run->answer.count, &failure);
    case CALL_FIRST:
        status = trawl_first(own->searcher, plan, own->text, &match, &found, &failure);
        run->answer = (struct answer){found ? match.begin + 1 : 0, match.pattern_index, true};
        return status;
    case CALL_POSITIONS:
        asked.what = TRAWL_MATCHES;
        asked.matches = take_matches;
        status = trawl_ask(own->searcher, plan, own->text, &asked, &failure);
        break;
    case CALL_BATCHES:
        status = pull_batches(own, plan, &sink);
        break;
    case CALL_BY_PATTERN:
        asked.what = TRAWL_COUNT_BY_PATTERN;
        asked.counts = take_counts;
        status = trawl_ask(own->searcher, plan, own->text, &asked, &failure);
        break;
    case CALL_CELLS:
        status = take_matrix(it, own, plan, &sink);
        break;
    case CALL_LINES:
    case CALL_OTHER_LINES:
    case CALL_BEGINS:
        asked.what = it->call == CALL_BEGINS ? TRAWL_BEGINS : TRAWL_COUNT_LINES;
        asked.invert = it->call == CALL_OTHER_LINES;
        asked.context = NULL; /* there is no sink */
        if (it->call == CALL_BEGINS) {
            asked.values = array_of_answer(own);
            asked.room = own->room;
        }
        status = trawl_ask(own->searcher, plan, own->text, &asked, &failure);
        run->answer.count = asked.count;
        return status;
    default:
        return ask_records(it, own, plan, &run->answer.count);
    }
    run->answer = sink.answer;
    return status;
}

/* ---- One run ------------------------------------------------------------------------------ */

/* Copies what a published algorithm did on devices. If kernels asked for child grids, writes a note
 * about these instead, and about the records that kernels flagged. */
static void take_algorithm(const struct library *own, uint64_t candidates, struct bench_run *run)
{
#if TRAWL_GALLERY
    struct trawl_algorithm_stats stats = {.size = sizeof stats};

    if (trawl_searcher_algorithm_stats(own->searcher, &stats, NULL) != TRAWL_OK)
        return;
    run->part[PART_IN] = (double)(stats.device_copy_ns - stats.device_back_ns) * 1e-9;
    run->part[PART_OUT] = (double)stats.device_back_ns * 1e-9;
    run->part[PART_KERNEL] = (double)stats.device_kernel_ns * 1e-9;
    run->part[PART_HOST] = (double)stats.device_host_ns * 1e-9;
    run->part[PART_SHIFTS] = (double)stats.device_shifts_ns * 1e-9;
    if (stats.child_grids + stats.child_spills + stats.child_withheld > 0)
        snprintf(run->note, sizeof run->note,
                 "child grids %" PRIu64 ", refused %" PRIu64 ", withheld %" PRIu64
                 ", parts %" PRIu64,
                 stats.child_grids, stats.child_spills, stats.child_withheld, stats.child_parts);
    else if (stats.device_kernel_ns > 0 && candidates > 0)
        snprintf(run->note, sizeof run->note, "flagged %" PRIu64, candidates);
#else
    (void)own;
    (void)candidates;
    (void)run;
#endif
}

/* Copies the library's statistics of the last call: the parts of the time in seconds, and
 * the note. */
static void take_parts(const struct library *own, struct bench_run *run)
{
    struct trawl_stats stats = {.size = sizeof stats};

    if (trawl_searcher_stats(own->searcher, &stats, NULL) != TRAWL_OK)
        return;
    memcpy(run->note, stats.note, sizeof run->note);
    if (stats.page_count > 0)
        snprintf(run->note, sizeof run->note, "pages left %" PRIu64 ", loaded in %.0f ms",
                 stats.page_left_count, own->loading * 1e3);
    take_algorithm(own, stats.candidate_count, run);
    do
        run->part[PART_SEARCH] += (double)stats.worker_search_ns * 1e-9;
    while (++stats.worker < stats.worker_count &&
           trawl_searcher_stats(own->searcher, &stats, NULL) == TRAWL_OK);
}

/* Prepares the searcher, the text and room for the answer, whose number of items is known in
 * advance only if each record has one. Returns false on failure; run->why says why. */
static bool prepare(struct competitor *it, struct library *own, struct bench_run *run)
{
    const bool each = call_subject(it->call) == OF_RECORDS && it->call != CALL_RECORDS_CELLS;
    uint64_t count = each ? question_records(it->question, it->bytes) : 0;

    own->searcher = searcher_of(it, run->why);
    if (own->searcher == NULL || (call_subject(it->call) != OF_TAPE && !open_text(it, own, run)))
        return false;
    return call_item_bytes(it->call) == 0 || array_open(it, own, count + 1, run);
}

/* Returns true if the array was too small for the answer and has been enlarged. Only the first run,
 * which is not timed, can find it too small. */
static bool grow(const struct competitor *it, struct library *own, struct bench_run *run)
{
    return run->why[0] == '\0' && call_item_bytes(it->call) > 0 && run->answer.count > own->room &&
           array_open(it, own, run->answer.count, run);
}

/* After a call that fills an array: fetches the array if it is on the device, and adds up the
 * items. */
static void check_list(const struct competitor *it, struct library *own, struct bench_run *run)
{
    if (call_item_bytes(it->call) == 0)
        return;
    if (own->address != 0 &&
        !device_fetch(own->address, own->array, own->room * call_item_bytes(it->call)))
        snprintf(run->why, sizeof run->why, "the array could not be copied from the device");
    sum_array(it, own, &run->answer);
}

/* Takes the method and the bytes of the plan's tables from its explanation. */
static void take_explanation(const struct trawl_plan *plan, struct bench_run *run)
{
    static const char method[] = "method: ", tables[] = "table bytes: ";
    char text[4096];
    const char *at;

    if (trawl_plan_explain(plan, text, sizeof text, &(uint64_t){0}, NULL) != TRAWL_OK)
        return;
    if ((at = strstr(text, method)) != NULL)
        snprintf(run->method, sizeof run->method, "%.*s", (int)strcspn(at + 8, "\n (,;"), at + 8);
    if ((at = strstr(text, tables)) != NULL)
        run->memory_bytes = strtoull(at + sizeof tables - 1, NULL, 10);
}

static void run_one(const struct competitor *it, const struct trawl_pattern *patterns,
                    uint64_t count, bool full, struct bench_run *run)
{
    const char *when = field(&it->fields, "plan", "");
    bool once = strcmp(when, "once") == 0, timed = !once && strcmp(when, "new") != 0;
    bool on_device = strcmp(field(&it->fields, "engine", "cpu"), "cpu") != 0;
    struct library *own = (struct library *)it->state;
    double begin = competitor_clock(it);

    if (own->plan == NULL && !build(it, patterns, count, &own->plan, run))
        return;
    if (timed)
        run->part[PART_PLAN] = competitor_clock(it) - begin;
    if (on_device)
        device_counts(-1, run->counts);
    if (!timed)
        begin = competitor_clock(it);
    (void)good(make_call(it, own, own->plan, full, run), run);
    while (grow(it, own, run)) {
        begin = competitor_clock(it);
        (void)good(make_call(it, own, own->plan, full, run), run);
    }
    run->seconds = competitor_clock(it) - begin;
    if (on_device)
        device_counts(1, run->counts);
    if (full) /* the first run of each competitor is full, and asking once is enough */
        take_explanation(own->plan, run);
    if (!once) {
        struct trawl_plan *plan = own->plan;

        own->plan = NULL;
        begin = competitor_clock(it);
        trawl_plan_free(plan);
        run->seconds += timed ? competitor_clock(it) - begin : 0;
    }
    if (run->why[0] != '\0')
        return;
    take_parts(own, run);
    check_list(it, own, run);
}

/* With each=1: runs a search for each pattern, and adds up the times and the answers. */
static void run_each(const struct competitor *it, struct bench_run *run)
{
    struct answer all = {0, 0, true};
    struct bench_run sum = {.seconds = 0};

    for (uint64_t p = 0; p < it->question->pattern_count; p++) {
        memset(run, 0, sizeof *run);
        run_one(it, &it->question->patterns[p], 1, true, run);
        if (run->why[0] != '\0')
            return;
        all.count += run->answer.count;
        all.sum += answer_mix(p, run->answer.count, 0);
        sum.seconds += run->seconds;
        for (uint32_t part = 0; part < PARTS; part++)
            sum.part[part] += run->part[part];
    }
    run->answer = all;
    run->seconds = sum.seconds;
    memcpy(run->part, sum.part, sizeof run->part);
}

/* The competitor's run: a search for all patterns, or with each=1 a search for each pattern. */
static void run_library(struct competitor *it, bool full, struct bench_run *run)
{
    struct library *own = (struct library *)it->state;

    if (!prepare(it, own, run))
        return;
    if (field(&it->question->fields, "each", NULL) != NULL)
        run_each(it, run);
    else
        run_one(it, it->question->patterns, it->question->pattern_count, full, run);
}

static void close_library(struct competitor *it)
{
    struct library *own = (struct library *)it->state;

    drop_text(own);
    array_close(it, own);
    trawl_plan_free(own->plan);
    free(own);
    it->state = NULL;
}

bool library_competitor(struct competitor *competitor, const char *kind)
{
    if (strcmp(kind, "trawl") != 0)
        return false;
    competitor->state = allocate(sizeof(struct library));
    competitor->run = run_library;
    competitor->close = close_library;
    return true;
}
