/* forms_case: opens texts and records at random places, requests forms of answers in random order,
 * and compares each answer with the simple search's. */
#include "forms_case.h"

#include "base/checked.h"
#include "calls.h"
#include "cuda_case.h"
#include "diff/cut.h"
#include "plan/pages.h"

#define UNTOUCHED 0x7777777777777777u
#define LOADS_MAX 3u
#define ARENA_BYTES (1u << 20) /* for texts that replace an earlier case's text */

/* ---- Devices' memory ------------------------------------------------------------------------ */

#define MUST_CODE(call) TEST_CODE((call), #call)
#define TEST_CODE(code, what)                                                \
    do {                                                                     \
        int code_ = (code);                                                  \
                                                                             \
        if (code_ != CUDA_CODE_OK) {                                         \
            printf("%s:%d: code %d: %s\n", __FILE__, __LINE__, code_, what); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

void forms_machine_open(struct forms_machine *machine, const struct cuda_driver *driver,
                        uint32_t devices)
{
    struct cuda_context *popped;

    memset(machine, 0, sizeof *machine);
    machine->driver = driver;
    machine->devices = devices;
    MUST_CODE(driver->init(0));
    for (uint32_t i = 0; i < devices; i++) {
        MUST_CODE(driver->context_retain(&machine->contexts[i], (int)i));
        MUST_CODE(driver->context_push(machine->contexts[i]));
        MUST_CODE(driver->stream_create(&machine->streams[i], CUDA_STREAM_NON_BLOCKING));
        MUST_CODE(driver->context_pop(&popped));
    }
}

void forms_machine_close(struct forms_machine *machine)
{
    const struct cuda_driver *driver = machine->driver;
    struct cuda_context *popped;

    for (uint32_t i = 0; i < machine->devices; i++) {
        MUST_CODE(driver->context_push(machine->contexts[i]));
        MUST_CODE(driver->stream_destroy(machine->streams[i]));
        MUST_CODE(driver->context_pop(&popped));
        MUST_CODE(driver->context_release((int)i));
    }
}

void forms_block_copy(struct forms_machine *machine, const struct forms_block *block, uint64_t at,
                      void *host, uint64_t bytes, bool to_device)
{
    const struct cuda_driver *driver = machine->driver;
    struct cuda_stream *stream = machine->streams[block->device];
    struct cuda_context *popped;
    void *pinned;

    TEST_CHECK(at + bytes <= block->bytes);
    if (bytes == 0)
        return;
    MUST_CODE(driver->context_push(machine->contexts[block->device]));
    MUST_CODE(driver->host_allocate(&pinned, (size_t)bytes, 0));
    if (to_device) {
        memcpy(pinned, host, (size_t)bytes);
        MUST_CODE(driver->copy_to_device(block->address + at, pinned, (size_t)bytes, stream));
    } else {
        MUST_CODE(driver->copy_to_host(pinned, block->address + at, (size_t)bytes, stream));
    }
    MUST_CODE(driver->stream_wait(stream));
    if (!to_device)
        memcpy(host, pinned, (size_t)bytes);
    MUST_CODE(driver->host_free(pinned));
    MUST_CODE(driver->context_pop(&popped));
}

void forms_block_begin(struct forms_machine *machine, uint32_t device, const void *bytes,
                       uint64_t at, uint64_t bytes_count, uint64_t behind,
                       struct forms_block *block)
{
    struct cuda_context *popped;

    block->device = device;
    block->bytes = at + bytes_count + behind + 1;
    MUST_CODE(machine->driver->context_push(machine->contexts[device]));
    MUST_CODE(machine->driver->memory_allocate(&block->address, (size_t)block->bytes));
    MUST_CODE(
        machine->driver->fill(block->address, 0, (size_t)block->bytes, machine->streams[device]));
    MUST_CODE(machine->driver->context_pop(&popped));
    forms_block_copy(machine, block, at, (void *)(uintptr_t)bytes, bytes_count, true);
}

void forms_block_end(struct forms_machine *machine, struct forms_block *block)
{
    struct cuda_context *popped;

    if (block->bytes == 0)
        return;
    MUST_CODE(machine->driver->context_push(machine->contexts[block->device]));
    MUST_CODE(machine->driver->memory_free(block->address));
    MUST_CODE(machine->driver->context_pop(&popped));
    memset(block, 0, sizeof *block);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

enum forms_place {
    FORMS_MEMORY,   /* not loaded */
    FORMS_LOADED,   /* memory, perhaps that of an earlier case's text */
    FORMS_PART,     /* a part of a loaded text */
    FORMS_OVERLAP,  /* two loaded texts overlap in the text, which may be loaded, too */
    FORMS_BORROWED, /* memory of a device, at any address */
    FORMS_PLACES
};

struct forms_case {
    struct forms_machine *machine;
    const struct forms_setting *setting;
    struct test_random *random;
    struct trawl_searcher *searcher;
    struct forms_tally *tally;
    uint64_t index;

    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan *plan;
    bool letters; /* the plan has Unicode's letters; the text has only ASCII */
    enum trawl_method method;

    enum forms_place place;
    bool filters;         /* texts in memory have a filter, once they are loaded */
    uint8_t *arena, *all; /* the text, and bytes before and after it */
    uint64_t before, behind;
    struct forms_block block;
    struct trawl_text *text, *loads[LOADS_MAX];

    struct cut cut;
    struct trawl_records *records;
    bool records_on_device, has_cut;
    struct forms_block tape, offsets, validity;
};

static bool chance(struct forms_case *c, uint64_t bound)
{
    return test_random_one_in(c->random, bound);
}

static uint64_t draw_below(struct forms_case *c, uint64_t bound)
{
    return test_random_below(c->random, bound);
}

static const char *form_name(uint32_t form)
{
    static const char *const names[] = {"begins, pinned", "begins, on a device", "records, bits",
                                        "records, bytes", "records, counts",     "records, cells",
                                        "records, first", "records, matches"};

    return form < HELD_CALLS ? held_name((enum held_call)form) : names[form - HELD_CALLS];
}

static void describe(const struct forms_case *c, uint32_t form, const char *what)
{
    const struct cuda_limits *limits = &c->setting->limits;

    printf("  TRAWL_TEST_CASE=%" PRIu64
           ": %s: %s\n  place %d of %u devices, engine %d, %u threads, "
           "chunk %" PRIu64 ", \"%s\" of %" PRIu64 " bytes, %" PRIu64 " patterns (first of %" PRIu64
           "), flags %u, letters %d, method %d, line end %u, also %d %u, before %" PRIu64
           ", behind %" PRIu64 ", lists %" PRIu64 "..%" PRIu64 ", ranked %" PRIu64 ", gaps %" PRIu64
           " %" PRIu64 " %" PRIu64 ", begins %" PRIu64 ", split %" PRIu64 ", stripe %" PRIu64 "\n",
           c->index, form_name(form), what, (int)c->place, c->machine->devices,
           (int)c->setting->engine, c->setting->threads, c->setting->chunk_bytes, c->input.kind,
           c->input.text_bytes, c->input.pattern_count,
           c->input.pattern_count == 0 ? 0 : c->input.patterns[0].bytes_count, c->input.flags,
           c->letters, (int)c->method, c->input.line_end, c->input.has_line_end_also,
           c->input.line_end_also, c->before, c->behind, limits->lists_min, limits->lists_max,
           limits->ranked_max, limits->gap_near, limits->gap_warp, limits->gap_block,
           limits->launch_begins_max, limits->split_bytes_min, limits->stripe_bytes);
    if (c->has_cut)
        printf(
            "  %" PRIu64 " records from %" PRIu64 " to %" PRIu64 ", offsets of %u bytes, validity "
            "%d from bit %" PRIu64 ", on a device %d\n",
            c->cut.record_count, c->cut.offsets[0], c->cut.offsets[c->cut.record_count],
            c->cut.offset_bytes, c->cut.has_validity, c->cut.validity_begin, c->records_on_device);
}

static bool fail(const struct forms_case *c, uint32_t form, const char *what)
{
    test_check(false, what, form_name(form), (int)form);
    describe(c, form, what);
    return false;
}

static bool fail_status(const struct forms_case *c, uint32_t form, enum trawl_status status,
                        const struct trawl_error *error)
{
    char what[400];

    (void)snprintf(what, sizeof what, "status %d, %s", (int)status, error->message);
    return fail(c, form, what);
}

static uint64_t longest(const struct forms_case *c)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < c->input.pattern_count; i++)
        bytes = max_u64(bytes, c->input.patterns[i].bytes_count);
    return bytes;
}

static bool is_ascii(const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] >= 128)
            return false;
    return true;
}

/* Builds a plan of the input, with a random method that accepts the patterns. */
static void plan_begin(struct forms_case *c)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_error error;
    bool ascii = is_ascii(c->input.text, c->input.text_bytes);

    for (uint64_t i = 0; i < c->input.pattern_count && ascii; i++)
        ascii = is_ascii(c->input.patterns[i].bytes, c->input.patterns[i].bytes_count);
    c->letters = ascii && chance(c, 6);
    if (c->letters)
        options.letters = trawl_unicode();
    options.method = (enum trawl_method)draw_below(c, 2 * TRAWL_METHOD_SET);
    if (options.method > TRAWL_METHOD_SET)
        options.method = TRAWL_METHOD_AUTO;
    c->method = options.method;
    if (held_plan(&c->input, &options, &c->plan, &error) == TRAWL_OK)
        return;
    options.method = c->method = TRAWL_METHOD_AUTO;
    if (held_plan(&c->input, &options, &c->plan, &error) != TRAWL_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
}

/* Writes the text, and the bytes around it, which continue the text. */
static void write_text(struct forms_case *c)
{
    uint64_t bytes = c->input.text_bytes;

    for (uint64_t i = 0; i < c->before + bytes + c->behind; i++)
        c->all[i] =
            bytes == 0 ? 'a' : c->input.text[(i + bytes * (1 + c->before) - c->before) % bytes];
    if (c->place == FORMS_BORROWED)
        forms_block_copy(c->machine, &c->block, 0, c->all, c->before + bytes + c->behind, true);
}

static struct trawl_text *text_of(const struct forms_case *c, uint64_t begin, uint64_t end)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(c->all + begin, end - begin);
    struct trawl_text *text = NULL;

    options.flags = c->filters ? TRAWL_TEXT_FILTER : 0;
    MUST(trawl_text_open(NULL, &options, &text, NULL));
    return text;
}

/* Makes the text objects: the text, and those that are loaded. */
static void open_texts(struct forms_case *c)
{
    uint64_t bytes = c->input.text_bytes, end = c->before + bytes + c->behind, middle, overlap;

    if (c->place == FORMS_BORROWED) {
        MUST(call_device(c->block.address + c->before, bytes, &c->text, NULL));
        c->loads[0] = c->text;
        return;
    }
    c->text = text_of(c, c->before, c->before + bytes);
    if (c->place == FORMS_LOADED)
        c->loads[0] = c->text;
    if (c->place == FORMS_PART)
        c->loads[0] = text_of(c, 0, end);
    if (c->place == FORMS_OVERLAP) {
        middle = c->before + draw_below(c, bytes + 1);
        overlap = min_u64(draw_below(c, 4) * draw_below(c, 100), end - middle);
        c->loads[0] = text_of(c, 0, middle + overlap);
        c->loads[1] = text_of(c, middle, end);
        if (chance(c, 2))
            c->loads[2] = c->text;
    }
}

static void load(struct forms_case *c)
{
    for (uint32_t i = 0; i < LOADS_MAX; i++)
        if (c->loads[i] != NULL)
            MUST(trawl_text_load(c->searcher, c->loads[i], NULL));
}

static void unload(struct forms_case *c)
{
    uint32_t first = (uint32_t)draw_below(c, LOADS_MAX);

    for (uint32_t i = 0; i < LOADS_MAX; i++)
        if (c->loads[(first + i) % LOADS_MAX] != NULL)
            trawl_text_unload(c->searcher, c->loads[(first + i) % LOADS_MAX]);
}

static void case_begin(struct forms_case *c)
{
    uint64_t bytes;

    forms_input(c->random, &c->setting->sizes, &c->setting->limits, &c->input, &c->expected);
    bytes = c->input.text_bytes;
    plan_begin(c);
    c->place = (enum forms_place)draw_below(c, FORMS_PLACES);
    if (c->place == FORMS_MEMORY && !chance(c, 3))
        c->place = FORMS_LOADED;
    if (c->place >= FORMS_PART) {
        c->before = draw_below(c, 140);
        c->behind = draw_below(c, 140);
    }
    c->all = c->arena != NULL ? c->arena : (uint8_t *)test_memory(c->before + bytes + c->behind);
    if (c->place == FORMS_BORROWED)
        forms_block_begin(c->machine, (uint32_t)draw_below(c, c->machine->devices), c->all, 0, 0,
                          c->before + bytes + c->behind - 1 + (c->before + bytes + c->behind == 0),
                          &c->block);
    write_text(c);
    c->filters = chance(c, 10); /* simulated, they take long */
    plan_pages_sizes = (struct plan_pages_sizes){.page = bytes / (1 + draw_below(c, 200)) + 1,
                                                 .alike_max = 2,
                                                 .kept_max = 1,
                                                 .device_max = 1};
    open_texts(c);
    load(c);
}

static void case_end(struct forms_case *c)
{
    unload(c);
    for (uint32_t i = 0; i < LOADS_MAX; i++)
        if (c->loads[i] != c->text)
            trawl_text_close(c->loads[i]);
    trawl_text_close(c->text);
    if (c->all != c->arena)
        free(c->all);
    forms_block_end(c->machine, &c->block);
    trawl_plan_free(c->plan);
    expected_free(&c->expected);
    input_free(&c->input);
}

/* ---- Answers about the text ------------------------------------------------------------------ */

bool forms_has(uint32_t form)
{
    return form != HELD_STREAM && form != HELD_RECORDS;
}

static void count(struct forms_case *c, uint32_t form, bool has_hits, bool on_device)
{
    c->tally->answers[form]++;
    c->tally->hits[form] += has_hits;
    c->tally->on_devices[form] += has_hits && on_device;
}

/* Returns true if only devices worked for the searcher's last call. */
static bool is_by_devices(const struct forms_case *c)
{
    struct trawl_stats stats = must_stats(c->searcher);

    return stats.device_chunk_count > 0 && stats.cpu_chunk_count == 0;
}

static bool ask_held(struct forms_case *c, enum held_call call)
{
    struct held held = held_begin(&c->input, &c->expected, c->plan, c->searcher, c->text);
    struct trawl_error error = {.message = ""};
    enum trawl_status status;
    bool right = true;

    if (!forms_has(call))
        return true;
    if ((call == HELD_COUNT_LINES || call == HELD_LINES_WITHOUT) && chance(c, 3))
        held.lines_max = 1 + draw_below(c, 3) * draw_below(c, c->expected.line_count + 2);
    if (chance(c, 4))
        held.room = draw_below(c, held.room + 9);
    status = held_search(&held, call, &error);
    if (!held.right)
        right = fail(c, call, held.message);
    else if (status != TRAWL_OK)
        right = fail_status(c, call, status, &error);
    count(c, call, c->expected.match_count > 0, is_by_devices(c));
    held_end(&held);
    return right;
}

/* Returns what is wrong with begins, or NULL. */
static const char *judge_begins(const struct forms_case *c, const uint64_t *begins, uint64_t room,
                                uint64_t total)
{
    for (uint64_t i = 0; i < min_u64(room, total); i++)
        if (begins[i] != c->expected.matches[i].begin)
            return "a begin is wrong";
    if (begins[room] != UNTOUCHED)
        return "a word behind the array was written";
    return total == c->expected.match_count ? NULL : "the total is wrong";
}

static bool ask_begins_pinned(struct forms_case *c, uint64_t room)
{
    const struct cuda_driver *driver = c->machine->driver;
    uint64_t bytes = (room + 1) * sizeof(uint64_t), total = UNTOUCHED;
    uint64_t *begins = (uint64_t *)test_memory(bytes);
    struct trawl_error error = {.message = ""};
    struct cuda_context *popped;
    enum trawl_status status;
    const char *wrong;
    bool right;

    memset(begins, 0x77, (size_t)bytes);
    MUST_CODE(driver->context_push(c->machine->contexts[0]));
    MUST_CODE(driver->host_register(begins, (size_t)bytes, 0));
    MUST_CODE(driver->context_pop(&popped));
    status = ask_begins_into(c->searcher, c->plan, c->text, begins, room, &total, &error);
    wrong = status == TRAWL_OK ? judge_begins(c, begins, room, total) : NULL;
    right = status != TRAWL_OK ? fail_status(c, FORM_BEGINS_PINNED, status, &error)
            : wrong != NULL    ? fail(c, FORM_BEGINS_PINNED, wrong)
                               : true;
    MUST_CODE(driver->context_push(c->machine->contexts[0]));
    MUST_CODE(driver->host_unregister(begins));
    MUST_CODE(driver->context_pop(&popped));
    free(begins);
    count(c, FORM_BEGINS_PINNED, total > 0, is_by_devices(c));
    return right;
}

/* Returns true if the copy of a borrowed text's end may be too short for the patterns. */
static bool has_short_tail(const struct forms_case *c)
{
    return c->setting->limits.tail_bytes < longest(c) + CUDA_BEFORE_BYTES + SCAN_AROUND_BYTES;
}

/* Returns true if a call that lists the plan's begins in a device's array may end with the status.
 */
static bool may_refuse_begins(const struct forms_case *c, enum trawl_status status)
{
    if (status == TRAWL_ARGUMENT) /* the host's threads cannot write there, and no device is open */
        return c->place == FORMS_MEMORY && c->setting->engine == TRAWL_ENGINE_AUTO;
    if (status != TRAWL_UNSUPPORTED)
        return false;
    return cuda_case_lacks_table(&c->setting->limits, &c->input, c->method) ||
           c->place == FORMS_MEMORY || c->letters || c->setting->engine == TRAWL_ENGINE_AUTO ||
           (c->place == FORMS_BORROWED && has_short_tail(c)) ||
           ((c->machine->devices > 1 || c->place == FORMS_OVERLAP) &&
            (c->place == FORMS_OVERLAP || c->setting->limits.split_overlap + 1 < longest(c)));
}

static bool ask_begins_on_device(struct forms_case *c, uint64_t room)
{
    uint64_t bytes = (room + 1) * sizeof(uint64_t), total = UNTOUCHED;
    uint64_t *begins = (uint64_t *)test_memory(bytes);
    struct trawl_error error = {.message = ""};
    struct forms_block block = {0};
    enum trawl_status status;
    const char *wrong = NULL;
    bool right = true;

    memset(begins, 0x77, (size_t)bytes);
    forms_block_begin(c->machine, (uint32_t)draw_below(c, c->machine->devices), begins, 0, bytes, 0,
                      &block);
    status = ask_begins_into(c->searcher, c->plan, c->text, (uint64_t *)(uintptr_t)block.address,
                             room, &total, &error);
    forms_block_copy(c->machine, &block, 0, begins, bytes, false);
    if (status == TRAWL_OK)
        wrong = judge_begins(c, begins, room, total);
    else if (!may_refuse_begins(c, status))
        right = fail_status(c, FORM_BEGINS_ON_DEVICE, status, &error);
    else if (begins[room] != UNTOUCHED)
        wrong = "a word behind the array was written";
    if (wrong != NULL)
        right = fail(c, FORM_BEGINS_ON_DEVICE, wrong);
    c->tally->refused[FORM_BEGINS_ON_DEVICE] += status != TRAWL_OK;
    if (status == TRAWL_OK)
        count(c, FORM_BEGINS_ON_DEVICE, total > 0, is_by_devices(c));
    forms_block_end(c->machine, &block);
    free(begins);
    return right;
}

/* ---- Answers about records --------------------------------------------------------------------
 */

static const uint8_t *at_device(const struct forms_block *block, uint64_t at)
{
    return (const uint8_t *)(uintptr_t)(block->address + at);
}

/* Puts the records' arrays on a device: the tape and the validity at any address. The tape may be a
 * part of a borrowed text. */
static void put_records(struct forms_case *c, struct trawl_record_array *array)
{
    bool in_text = c->place == FORMS_BORROWED && chance(c, 2);
    uint32_t device = in_text ? c->block.device : (uint32_t)draw_below(c, c->machine->devices);
    uint64_t front = draw_below(c, 70), width = array->offset_bytes == 4 ? 4 : 8;
    uint64_t bytes = c->cut.offsets[c->cut.record_count], shift = width * draw_below(c, 3);

    forms_block_begin(c->machine, device, c->input.text, front, bytes, draw_below(c, 120),
                      &c->tape);
    array->bytes = in_text ? at_device(&c->block, c->before) : at_device(&c->tape, front);
    forms_block_begin(c->machine, device, array->offsets, shift, (array->record_count + 1) * width,
                      0, &c->offsets);
    array->offsets = at_device(&c->offsets, shift);
    if (array->validity == NULL)
        return;
    forms_block_begin(c->machine, device, array->validity, front, c->cut.validity_bytes, 0,
                      &c->validity);
    array->validity = at_device(&c->validity, front);
}

static bool load_records(struct forms_case *c)
{
    struct trawl_error error = {.message = ""};
    struct trawl_record_array array;
    struct trawl_records *twin = NULL;
    enum trawl_status status = TRAWL_OK;

    cut_make(c->random, &c->input, c->letters ? NULL : &c->expected, &c->cut);
    c->has_cut = true;
    array = cut_array(&c->cut);
    c->records_on_device = chance(c, 2);
    if (c->records_on_device)
        put_records(c, &array);
    else if (array.bytes != NULL && chance(c, 2)) /* perhaps in the memory of a loaded text */
        array.bytes = c->all + c->before;
    if (chance(c, 3)) /* the same records twice: one object is closed before the other is used */
        status = trawl_records_load(c->searcher, &array, &twin, &error);
    if (status == TRAWL_OK)
        status = trawl_records_load(c->searcher, &array, &c->records, &error);
    trawl_records_unload(twin);
    return status == TRAWL_OK || fail_status(c, FORM_RECORDS, status, &error);
}

static void drop_records(struct forms_case *c)
{
    trawl_records_unload(c->records);
    c->records = NULL;
    c->has_cut = false;
    forms_block_end(c->machine, &c->tape);
    forms_block_end(c->machine, &c->offsets);
    forms_block_end(c->machine, &c->validity);
    cut_free(&c->cut);
}

/* Returns true if the call may end with the status, other than OK and LIMIT. */
static bool may_refuse_records(const struct forms_case *c, enum trawl_what shape,
                               bool answer_on_device, enum trawl_status status)
{
    bool host_only = c->letters && (c->input.flags & (NAIVE_WHOLE_WORD | NAIVE_IGNORE_CASE)) != 0;

    if (status == TRAWL_ARGUMENT) /* which device has the records is the library's choice */
        return answer_on_device && !c->records_on_device &&
               (c->machine->devices > 1 || c->setting->engine == TRAWL_ENGINE_AUTO);
    return status == TRAWL_UNSUPPORTED && (answer_on_device || c->records_on_device) &&
           /* a record may be longer than the short ranges that some limits make */
           (host_only || cuda_case_lacks_table(&c->setting->limits, &c->input, c->method) ||
            (shape == TRAWL_RECORDS_CELLS && !c->setting->usual) ||
            (c->records_on_device && has_short_tail(c)));
}

/* Returns true if an answer needs a search. */
static bool is_searched(const struct forms_case *c)
{
    return c->input.pattern_count > 0 && c->cut.offsets[0] < c->cut.offsets[c->cut.record_count];
}

static bool ask_records(struct forms_case *c, enum trawl_what shape)
{
    uint32_t device =
        c->records_on_device ? c->tape.device : (uint32_t)draw_below(c, c->machine->devices);
    struct forms_block blocks[CUT_ARRAYS] = {{0}};
    struct trawl_error error = {.message = ""};
    struct trawl_answer into;
    char message[CUT_MESSAGE_BYTES];
    struct cut_answer answer;
    enum trawl_status status;
    bool on_device, right;
    uint64_t at = 0;

    cut_ask(c->random, &c->cut, shape, &answer);
    on_device = chance(c, 2) &&
                answer.arrays[shape == TRAWL_RECORDS_FIRST ? CUT_BEGINS : CUT_VALUES] != NULL;
    /* numbers are aligned; bits and bytes begin anywhere */
    at = shape == TRAWL_RECORDS_COUNTS  ? 4 * draw_below(c, 3)
         : shape >= TRAWL_RECORDS_CELLS ? 8 * draw_below(c, 2) + answer.into.cell_bytes
                                        : draw_below(c, 9);
    for (uint32_t i = 0; i < CUT_ARRAYS && on_device; i++) {
        if (answer.arrays[i] == NULL)
            continue;
        forms_block_begin(c->machine, device, answer.arrays[i], at,
                          answer.bytes[i] + CUT_GUARD_BYTES, 0, &blocks[i]);
        *cut_array_in(&answer.into, i) = (void *)(uintptr_t)(blocks[i].address + at);
    }
    into = answer.into;
    status = ask_records_into(c->searcher, c->plan, c->records, shape, &into, &error);
    for (uint32_t i = 0; i < CUT_ARRAYS; i++) {
        if (blocks[i].bytes > 0)
            forms_block_copy(c->machine, &blocks[i], at, answer.arrays[i],
                             answer.bytes[i] + CUT_GUARD_BYTES, false);
        forms_block_end(c->machine, &blocks[i]);
    }
    right = cut_judge(&c->cut, &answer, status, &into, message) ||
            fail(c, FORM_RECORDS + shape - TRAWL_RECORDS_BITS, message);
    if (status != TRAWL_OK && status != TRAWL_LIMIT) {
        right =
            right && (may_refuse_records(c, shape, on_device, status) ||
                      fail_status(c, FORM_RECORDS + shape - TRAWL_RECORDS_BITS, status, &error));
        c->tally->refused[FORM_RECORDS + shape - TRAWL_RECORDS_BITS]++;
    } else {
        if (right && status == TRAWL_OK && into.on_device == 0 && is_searched(c) &&
            (c->records_on_device || (on_device && answer.into.room > 0)))
            right = fail(c, FORM_RECORDS + shape - TRAWL_RECORDS_BITS, "on_device is 0");
        count(c, FORM_RECORDS + shape - TRAWL_RECORDS_BITS, answer.count > 0, into.on_device != 0);
    }
    cut_answer_free(&answer);
    return right;
}

/* ---- Sessions ---------------------------------------------------------------------------------
 */

static bool ask(struct forms_case *c, uint32_t form)
{
    uint64_t room = c->expected.match_count;

    if (chance(c, 3))
        room = draw_below(c, room + 9);
    if (form < HELD_CALLS)
        return ask_held(c, (enum held_call)form);
    if (form == FORM_BEGINS_PINNED)
        return ask_begins_pinned(c, room);
    if (form == FORM_BEGINS_ON_DEVICE)
        return ask_begins_on_device(c, max_u64(room, 1));
    return ask_records(c, (enum trawl_what)(TRAWL_RECORDS_BITS + form - FORM_RECORDS));
}

/* Changes bytes of the text, which is loaded again, and the expected answers. */
static void change_text(struct forms_case *c)
{
    uint8_t some[] = {c->input.line_end,
                      c->input.pattern_count == 0 ? 'x' : c->input.patterns[0].bytes[0], 'q'};
    bool again = c->place == FORMS_LOADED && chance(c, 2);

    if (!again)
        unload(c);
    if (c->place == FORMS_BORROWED) /* the host may have a copy, which belongs to the text */
        trawl_text_close(c->text);
    for (uint64_t n = draw_below(c, 40) + 1; n > 0 && c->input.text_bytes > 0; n--)
        c->input.text[draw_below(c, c->input.text_bytes)] = some[draw_below(c, 3)];
    write_text(c);
    if (c->place == FORMS_BORROWED)
        open_texts(c);
    load(c);
    expected_free(&c->expected);
    expected_compute(&c->input, &c->expected);
}

/* Chooses other options, and perhaps fewer patterns, for the same text. */
static void change_plan(struct forms_case *c)
{
    trawl_plan_free(c->plan);
    c->input.flags = (uint32_t)draw_below(c, 6);
    if (chance(c, 3))
        for (uint64_t left = chance(c, 3) ? 0 : 1; c->input.pattern_count > left;)
            free((void *)(uintptr_t)c->input.patterns[--c->input.pattern_count].bytes);
    plan_begin(c);
    expected_free(&c->expected);
    expected_compute(&c->input, &c->expected);
}

static bool run_case(struct forms_case *c)
{
    uint64_t questions = 3 + draw_below(c, 8);
    bool right = true;

    case_begin(c);
    for (uint64_t i = 0; i < questions && right; i++) {
        if (i > 0 && chance(c, 6))
            change_text(c);
        if (i > 0 && chance(c, 6))
            change_plan(c);
        right = ask(c, (uint32_t)draw_below(c, FORM_RECORDS));
    }
    right = right && load_records(c);
    for (uint64_t i = 0; i < questions && right; i++)
        right = ask_records(c, (enum trawl_what)(TRAWL_RECORDS_BITS + draw_below(c, CUT_SHAPES))) &&
                (!chance(c, 3) || ask(c, (uint32_t)draw_below(c, FORM_RECORDS)));
    drop_records(c);
    case_end(c);
    return right;
}

/* Returns the limits of real use, but with lists that fit into a simulated device. */
static struct cuda_limits default_limits(void)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.lists_min = 1u << 14;
    limits.begins_room = 1u << 14;
    limits.staging_bytes = 64u << 10;
    return limits;
}

void forms_draw(struct test_random *random, struct forms_setting *setting)
{
    struct cuda_limits limits = cuda_case_limits(random);

    limits.begins_room = 4 + test_random_below(random, 1200);
    limits.piece_words = 1 + test_random_below(random, 300);
    if (test_random_below(random, 2)) {
        limits.split_bytes_min = 400;
        limits.stripe_bytes = 200 + test_random_below(random, 2000);
        limits.split_overlap = test_random_below(random, 400);
    }
    setting->usual = test_random_one_in(random, 6);
    if (setting->usual)
        limits = default_limits();
    setting->limits = limits;
    cuda_case_draw_residents(random);
    setting->engine = test_random_one_in(random, 4) ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA;
    setting->threads = 1 + (uint32_t)test_random_below(random, 3);
    setting->chunk_bytes = test_random_one_in(random, 4) ? 1 + test_random_below(random, 2000) : 0;
    setting->cases = 1 + (uint32_t)test_random_below(random, 3);
    cuda_limits_replace(&setting->limits);
}

bool forms_session(struct forms_machine *machine, const struct forms_setting *setting,
                   struct test_random *random, uint64_t index, struct forms_tally *tally)
{
    uint8_t *arena = test_random_one_in(random, 2) ? (uint8_t *)test_memory(ARENA_BYTES) : NULL;
    struct trawl_searcher *searcher =
        must_searcher_with(SEARCHER_WITH(.engine = setting->engine, .threads = setting->threads,
                                         .chunk_bytes = setting->chunk_bytes));
    bool right = true;

    for (uint32_t i = 0; i < setting->cases && right; i++) {
        struct forms_case c;

        memset(&c, 0, sizeof c);
        c.machine = machine;
        c.setting = setting;
        c.random = random;
        c.searcher = searcher;
        c.tally = tally;
        c.index = index;
        c.arena = arena;
        right = run_case(&c);
    }
    trawl_searcher_close(searcher);
    free(arena);
    return right;
}

void forms_tally_print(const struct forms_tally *tally)
{
    for (uint32_t i = 0; i < FORMS; i++)
        if (forms_has(i))
            printf("%-20s right %" PRIu64 ", with occurrences %" PRIu64
                   ", by devices alone %" PRIu64 ", refused %" PRIu64 "\n",
                   form_name(i), tally->answers[i], tally->hits[i], tally->on_devices[i],
                   tally->refused[i]);
}
