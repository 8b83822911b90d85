/* cuda_sets: chooses the form of the tables of stream_set, and starts the kernels that build them
 */
#include "cuda/cuda_sets.h"

#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "cuda/prices.def"

#define TILE_STEPS 16u
#define TILE_BYTES_MAX (1u << 18)
/* maximum blocks per multiprocessor for the kernel that fills the tables */
#define FILL_BLOCKS 8u

/* Returns about -log2(x), for 0 < x <= 1. */
static float rarity_of(double x)
{
    float bits = 0, part = 0.5f;

    TRAWL_ASSERT(x > 0);
    while (x < 0.5) {
        x *= 2;
        bits++;
    }
    for (uint32_t i = 0; i < 6; i++) {
        x *= x;
        if (x < 0.5) {
            bits += part;
            x *= 2;
        }
        part /= 2;
    }
    return bits;
}

void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets, uint32_t *rarity)
{
    struct byte_rates rates;

    analyse_rates(NULL, 0, plan_literal_bytes(plan, 0), plan_literal_at(plan, 0).bytes_count,
                  sets->fold != 0, &rates);
    for (uint32_t b = 0; b < 256; b++)
        rarity[b] = (uint32_t)(rarity_of(rates.rate[b] + 1e-9) * (1u << SCAN_SETS_RARITY));
}

/* Returns the factor for the k-th word of a gram in its hash. If the gram ends within the word, the
 * factor shifts the bytes after the gram out of the product. */
static uint32_t gram_factor(uint32_t k, uint32_t gram_bytes)
{
    static const uint32_t factors[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu};
    uint32_t bytes = gram_bytes > 4 * k ? gram_bytes - 4 * k : 0;

    TRAWL_ASSERT(k < 4 && gram_bytes <= ANALYSE_GRAM_MAX);
    return bytes == 0 ? 0 : bytes >= 4 ? factors[k] : factors[k] << 8 * (4 - bytes);
}

void cuda_sets_derive(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct scan_sets *sets)
{
    sets->literal_count = plan->literal_count;
    while (1u << sets->stride_log2 < sets->stride)
        sets->stride_log2++;
    TRAWL_ASSERT(1u << sets->stride_log2 == sets->stride);
    sets->words = cuda_sets_gram_words(sets->gram_bytes);
    sets->beside_shift =
        sets->stride + sets->choices > 4 ? 16 : 24; /* 2 bytes on each side of the gram, or 1 */
    /* a second word has the gram's last 4 bytes */
    for (uint32_t k = 0; k < sets->words; k++)
        sets->factors[k] = gram_factor(k, sets->words == 2 ? 8 : sets->gram_bytes);
    sets->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x20202020u : 0;
    sets->bit_shifts[0] = SCAN_SETS_SHIFT;
    sets->offset_max = SCAN_SETS_RUN_MAX + sets->stride - 1;
    sets->items_max = worker->limits.sets_items_max;
    sets->shared_bytes =
        sets->filter_words * 4 + (sets->table_words == 0
                                      ? SCAN_SETS_THREADS / 32 * SCAN_SETS_RARE_WARP_BYTES
                                      : SCAN_SETS_DENSE_THREADS / 32 * SCAN_SETS_WARP_BYTES);
    TRAWL_ASSERT(sets->shared_bytes + CUDA_STATIC_SHARED_BYTES <= worker->device->shared_max);
}

/* Returns *at, the address of an array of `bytes` bytes, and moves *at to the next array. */
static uint64_t layout_take(uint64_t *at, uint64_t bytes)
{
    uint64_t address = *at;

    *at += (bytes + 255) & ~255ull;
    return address;
}

/* Lays out all tables except the lists' entries, starting at `address`. Returns their total
 * size. */
static uint64_t lay_out(uint64_t address, struct scan_sets *sets)
{
    uint64_t at = address;

    sets->filter = (uint32_t *)(uintptr_t)layout_take(&at, sets->filter_words * 4ull);
    sets->table = (uint64_t *)(uintptr_t)layout_take(&at, sets->table_words * 8ull);
    sets->taken = (uint64_t *)(uintptr_t)layout_take(&at, 8);
    sets->heads = (uint64_t *)(uintptr_t)layout_take(&at, sets->head_count * 16ull);
    return at - address;
}

static enum trawl_status launch_maker(struct cuda_worker *worker, enum cuda_kernel kernel,
                                      struct trawl_error *error)
{
    struct set_arguments *arguments = &worker->tables->set;
    uint64_t entries = (uint64_t)arguments->sets.literal_count * arguments->sets.stride;
    uint64_t blocks = min_u64((entries + SCAN_THREADS_MAX - 1) / SCAN_THREADS_MAX,
                              (uint64_t)worker->device->multiprocessors * FILL_BLOCKS);

    return cuda_worker_launch(worker, kernel, blocks, worker->limits.threads, 0, arguments, error);
}

/* Reserves memory for the entries in the lists of the set's grams, except for each list's first
 * entry, which is in its head. A small set gets room for as many entries as are possible. A large
 * one usually has far fewer, so the function waits for the number that the kernel set_room
 * computes. */
static enum trawl_status reserve_entries(struct cuda_worker *worker, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct cuda_memory *memory = &worker->tables->entries_memory;
    struct scan_sets *sets = &worker->tables->set.sets;
    uint64_t *entries = &worker->tables->entries;

    *entries = (uint64_t)sets->literal_count * sets->stride;
    if (*entries > worker->limits.sets_counted_min) {
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, entries, (uint64_t)(uintptr_t)sets->taken,
                            sizeof *entries, worker->stream));
        TRAWL_TRY(CUDA_CALL(device, error, stream_wait, worker->stream));
    }
    TRAWL_ASSERT(*entries <= (uint64_t)sets->literal_count * sets->stride);
    TRAWL_TRY(cuda_worker_reserve(worker, memory, *entries * sizeof *sets->entries, error));
    sets->entries = (uint64_t *)(uintptr_t)memory->address;
    return TRAWL_OK;
}

/* Starts the kernels that build the tables of stream_set. In the worker's stream, they run after
 * the copies of the plan's other tables. If the device lacks memory, sets has_sets to false, so
 * that another kernel searches instead. */
enum trawl_status cuda_sets_build(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct scan_sets *sets = &tables->set.sets;
    uint64_t bytes = lay_out(0, sets), zeros;
    enum trawl_status status;

    tables->has_sets = false;
    status = cuda_worker_reserve(worker, &tables->sets_memory, bytes, error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    zeros = lay_out(tables->sets_memory.address, sets);
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, tables->sets_memory.address, 0, (size_t)zeros,
                        worker->stream));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_RUNS, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_COUNT, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_ROOM, error));
    status = reserve_entries(worker, error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_FILL, error));
    tables->has_sets = tables->sets_there = true;
    return TRAWL_OK;
}

/* Chooses the threads, the tiles and the budget of a launch. */
void cuda_sets_prepare(const struct cuda_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch)
{
    struct set_arguments *a = &launch->arguments.set;
    bool rare = launch->kernel < CUDA_KERNEL_SETS_DENSE;
    uint32_t rows = rare ? SCAN_SETS_ROWS : SCAN_SETS_DENSE_ROWS, steps = TILE_STEPS;
    uint64_t step_bytes = rows * 32ull * max_u64(a->sets.stride, 16), places, end, warps;

    launch->threads = worker->limits.threads != SCAN_THREADS_MAX ? worker->limits.threads
                      : rare                                     ? SCAN_SETS_THREADS
                                                                 : SCAN_SETS_DENSE_THREADS;
    launch->shared_bytes = a->sets.shared_bytes;
    a->scan.position = a->scan.begin & ~(uint64_t)(max_u64(128, a->sets.stride) - 1);
    end = min_u64(a->scan.limit + a->sets.offset_max, a->scan.text_end);
    TRAWL_ASSERT(a->scan.position <= a->scan.begin && a->scan.begin < end);
    places = end - a->scan.position;
    warps = (uint64_t)launch->threads / 32 * blocks;
    while (steps > 1 &&
           (step_bytes * steps > TILE_BYTES_MAX || places / (step_bytes * steps) < 2 * warps))
        steps /= 2;
    a->tile_steps = steps;
    a->tile_bytes = step_bytes * steps;
    a->scan.tile_count = (uint32_t)((places + a->tile_bytes - 1) / a->tile_bytes);
    TRAWL_ASSERT(a->scan.tile_count * a->tile_bytes >= places);
    a->sets.budget = worker->limits.dense_always ? 0
                     : worker->tables->automaton == CUDA_AUTOMATON_NONE && !worker->may_leave
                         ? UINT32_MAX
                         : (uint32_t)(COST_PER_BYTE * step_bytes) << worker->tables->budget_log2;
    a->scan.listed_max = 0;
}

/* ---- The form of the tables -----------------------------------------------------------------
 *
 * A gram is q consecutive bytes; kernels/stream_set.cu describes the method. The functions below
 * choose q, the stride at which the kernels take samples of the text, among how many grams a sample
 * chooses one, and the sizes of the tables. A longer stride means fewer samples, but more entries
 * in the tables; the samples per byte of text that pass the bitmap in shared memory are about the
 * number of patterns divided by the bitmap's bits, at any stride. If a sample chooses among several
 * grams, the tables have fewer entries. Short grams allow longer strides, but match more often.
 * cost_of() weighs all this, in units of the time in which the device reads the text. */

/* How many words the bitmap is shorter than FILTER_LARGE (prices.def): the rare variant
 * has longer queues in shared memory, and the dense variant a copy of the launch's arguments. */
#define RARE_WORDS (SCAN_SETS_THREADS / 32 * (SCAN_SETS_RARE_WARP_BYTES - SCAN_SETS_WARP_BYTES) / 4)
#define DENSE_WORDS ((uint32_t)((sizeof(struct set_arguments) + 15) / 16 * 4))

static const struct {
    double row, sample, pass;
} slots_of[CUDA_SETS_VARIANTS] = {SLOTS_OF};

struct choice {
    uint32_t stride, gram_bytes;
    uint32_t form; /* index in SCAN_SETS_FORMS */
    /* of this many neighbouring grams, the one with the lowest hash is looked up */
    uint32_t choices;
    uint32_t filter_words;
    uint32_t bits;    /* how many bits a gram sets in a word of the bitmap */
    uint32_t variant; /* enum cuda_sets_variant */
    double cost;
    double met; /* expected number of grams in the set that equal a sample's gram */
};

/* Returns 1 - e^-x, for x >= 0. */
static double saturation(double x)
{
    double part = x / 256, power;

    TRAWL_ASSERT(x >= 0);
    if (x < 1e-6)
        return x;
    if (x > 40)
        return 1;
    power = 1 - part + part * part / 2 - part * part * part / 6;
    for (uint32_t i = 0; i < 8; i++)
        power *= power;
    return 1 - power;
}

static const struct {
    uint32_t stride, gram, choices;
} forms[] = {
#define FORM(stride, gram, choices) {stride, gram, choices},
    SCAN_SETS_FORMS(FORM)
#undef FORM
};

#define FORMS (sizeof forms / sizeof *forms)

static enum cuda_kernel kernel_of(const struct choice *choice)
{
    uint32_t first =
        choice->variant == CUDA_SETS_RARE ? CUDA_KERNEL_SETS_FIRST : CUDA_KERNEL_SETS_DENSE;

    return (enum cuda_kernel)(first + choice->form);
}

/* Returns the bitmap's rate of false positives: the fraction of grams outside the set that pass if
 * each of `entries` entries has set `bits` bits of a word. Assumes a Poisson distribution of the
 * entries over the words; the rest is inclusion and exclusion over unset bits. */
static double passing(double entries, double words, double word_bits, uint32_t bits)
{
    static const double ways[4][4] = {{0}, {0, 1}, {0, 2, -1}, {0, 3, -3, 1}};
    double unset = 1 - 1 / word_bits, share = 0;

    TRAWL_ASSERT(bits >= 1 && bits <= 3 && words > 0);
    for (uint32_t k = 1; k <= bits; k++)
        share += ways[bits][k] * saturation(entries / words * (1 - analyse_power(unset, k * bits)));
    return max_double(0, share);
}

/* Returns how many bits, 0 or 1, the variant's kernels always add to those that the price chooses
 * for a gram. */
static uint32_t more_bits(const struct choice *choice)
{
    return choice->variant == CUDA_SETS_RARE && choice->stride >= SCAN_SETS_MORE_STRIDE;
}

/* Returns the expected number of entries. A sample may begin at any of `stride` offsets in a
 * literal, and chooses the gram with the lowest hash among `choices` neighbouring ones; the entries
 * are the distinct grams that are chosen. If the sample moves by one byte, it chooses a different
 * gram with probability 2 / (choices + 1) (Schleimer, Wilkerson and Aiken 2003). */
static double entries_of(const struct trawl_plan *plan, const struct choice *choice)
{
    return (double)plan->literal_count * (1 + (choice->stride - 1) * 2.0 / (choice->choices + 1));
}

/* Returns the expected number of grams in the set that equal a sample's gram. Chosen grams have low
 * hashes, so two of them are more often equal. */
static double met_by(const struct trawl_plan *plan, const struct choice *choice,
                     const struct gram_equality *likeness)
{
    double w = choice->choices, rate = likeness->rate[choice->gram_bytes];

    if (likeness->uneven[choice->gram_bytes] &&
        (choice->choices > 1 || choice->gram_bytes <= UNEVEN_BYTES))
        rate *= UNEVEN;
    return (double)plan->literal_count * rate * w * (choice->stride + w - 1) / (2 * w - 1) *
           (1 + (w - 1) / (2 * w));
}

static uint32_t words_of(const struct cuda_worker *worker, uint64_t entries)
{
    return (uint32_t)min_u64(min_u64(TABLE_WORDS_MAX, worker->limits.sets_table_words_max),
                             max_u64(entries, TABLE_WORDS_MIN));
}

static uint32_t heads_of(uint64_t entries)
{
    return (uint32_t)max_u64(max_u64(entries, TABLE_WORDS_MIN),
                             min_u64(entries * HEADS_PER_ENTRY, TABLE_WORDS_MAX / 2));
}

static bool is_tagged(const struct choice *choice)
{
    /* only if a literal's run, the bytes whose grams are in the tables, is longer than a gram */
    return choice->stride + choice->choices > 2 &&
           (choice->stride <= TAG_STRIDE_MAX || choice->met > TAG_MET_MIN);
}

/* Returns the fraction of samples whose list of entries is searched, if a fraction `first` of them
 * passes the bitmap. */
static double lists_of(const struct cuda_worker *worker, const struct choice *choice,
                       double entries, double first)
{
    double words = words_of(worker, (uint64_t)entries);
    double load = entries / heads_of((uint64_t)entries);

    if (choice->variant == CUDA_SETS_DENSE)
        return first * max_double(passing(entries, words, 64, 2), entries / 4294967296.0) +
               choice->met;
    return first * (saturation(load) - load * (1 - saturation(load))) +
           choice->met * (is_tagged(choice) ? max_double(RARE_MET, saturation(load)) : 1);
}

/* Returns the cost per byte of text in this variant, if a fraction `first` of the samples passes
 * the bitmap, and a fraction `lists` needs a search of its list of entries. */
static double cost_with(const struct choice *choice, double first, double lists)
{
    uint32_t stride = choice->stride, words = cuda_sets_gram_words(choice->gram_bytes);
    double samples = stride >= 16 ? 1 : 16.0 / stride, rows = stride >= 16 ? 16.0 / stride : 1;
    double read = stride >= 64 ? 32.0 / stride : 1, slots, lookups;
    bool is_large = choice->filter_words > FILTER_LARGE;

    slots = (slots_of[choice->variant].row + MORE_SLOTS * (words - 2) +
             samples * slots_of[choice->variant].sample) *
            rows;
    if (stride < 4)
        slots += samples * MORE_SLOTS * (4 - stride) / 4;
    slots += 32 * samples * rows * first * slots_of[choice->variant].pass;
    lookups = (first * COST_TABLE + lists * COST_LIST) / stride;
    read = max_double(read, slots / SLOTS_PER_ROW);
    return is_large ? read * COST_CACHE + lookups * (1 + COST_LARGE * first) : read + lookups;
}

static double cost_of_variant(const struct cuda_worker *worker, const struct trawl_plan *plan,
                              const struct choice *choice)
{
    double entries = entries_of(plan, choice);
    double first =
        min_double(1, passing(entries, choice->filter_words, 32, choice->bits) + choice->met);

    return cost_with(choice, first, lists_of(worker, choice, entries, first));
}

static uint32_t filter_words_max(const struct cuda_worker *worker, uint32_t variant)
{
    uint32_t queues = CUDA_STATIC_SHARED_BYTES + SCAN_WARPS_MAX * (variant == CUDA_SETS_RARE
                                                                       ? SCAN_SETS_RARE_WARP_BYTES
                                                                       : SCAN_SETS_WARP_BYTES);
    uint32_t shared_bytes = worker->device->shared_max;

    return shared_bytes < queues ? 0
                                 : (uint32_t)min_u64((shared_bytes - queues) / 4,
                                                     worker->limits.sets_filter_words_max) &
                                       ~3u;
}

/* Returns a cost that outweighs all others if a limit asks for another value. */
static double cost_of_limit(uint32_t asked, uint32_t value, double cost)
{
    return asked == 0 || asked == value ? 0 : cost;
}

/* Adds the cheapest variant and size of the bitmap to a choice of the form, the stride and the
 * length of grams. */
static struct choice cost_of(const struct cuda_worker *worker, const struct trawl_plan *plan,
                             const struct gram_equality *likeness, struct choice one)
{
    static const uint32_t sizes[] = {FILTER_LARGE, UINT32_MAX};
    const struct cuda_limits *limits = &worker->limits;
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    double entries = entries_of(plan, &one);
    struct choice best = {.cost = 1e200};

    one.met = met_by(plan, &one, likeness);
    for (uint32_t i = 0; i < CUDA_SETS_VARIANTS * (sizeof sizes / sizeof *sizes); i++) {
        one.variant = i % CUDA_SETS_VARIANTS;
        if (one.variant == CUDA_SETS_RARE && fold)
            continue;
        one.filter_words =
            (uint32_t)min_u64(filter_words_max(worker, one.variant),
                              sizes[i / CUDA_SETS_VARIANTS] -
                                  (one.variant == CUDA_SETS_RARE ? RARE_WORDS : DENSE_WORDS));
        one.bits = limits->sets_bits;
        if (one.bits == 0)
            one.bits = passing(entries, one.filter_words, 32, 2 + more_bits(&one)) <=
                               passing(entries, one.filter_words, 32, 1 + more_bits(&one))
                           ? 2
                           : 1;
        one.bits += more_bits(&one);
        one.cost = cost_of_variant(worker, plan, &one) +
                   cost_of_limit(limits->sets_stride, one.stride, 1e6) +
                   cost_of_limit(limits->sets_choices, one.choices, 1e5) +
                   cost_of_limit(limits->sets_gram, one.gram_bytes, 1e3);
        if (limits->sets_variant < CUDA_SETS_VARIANTS)
            one.cost += cost_of_limit(limits->sets_variant + 1, one.variant + 1, 1e4);
        if (one.cost < best.cost)
            best = one;
    }
    return best;
}

static struct choice choose_form(const struct cuda_worker *worker, const struct trawl_plan *plan)
{
    struct choice best = {.cost = 1e300};
    struct gram_equality likeness;

    analyse_gram_likeness(plan, SCAN_SETS_RUN_MAX, &likeness);
    for (uint32_t stride = 1; stride <= SCAN_SETS_STRIDE_MAX; stride *= 2) {
        if (plan->literal_count > worker->limits.sets_entries_max / stride)
            continue;
        for (uint32_t form = 0; form < FORMS; form++) {
            struct choice one = {.stride = stride, .form = form, .choices = forms[form].choices};
            uint32_t max = forms[form].gram, min = max <= 8 ? ANALYSE_GRAM_MIN : 9;

            if (min_u64(stride, 16) != forms[form].stride)
                continue;
            one.gram_bytes = one.choices > 1 ? max : min;
            for (; one.gram_bytes <= max &&
                   stride + one.choices + one.gram_bytes - 2 <= plan->length_min;
                 one.gram_bytes++) {
                struct choice whole = cost_of(worker, plan, &likeness, one);

                if (whole.cost <= best.cost)
                    best = whole;
            }
        }
    }
    return best;
}

void cuda_sets_choose(const struct cuda_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables)
{
    struct scan_sets *sets = &tables->sets;
    struct choice choice;
    uint64_t entries;

    if (!worker->limits.sets || plan->length_min < SCAN_SETS_LENGTH_MIN ||
        plan->literal_bytes_total >= (1ull << 34))
        return;
    if (filter_words_max(worker, CUDA_SETS_RARE) == 0)
        return;
    choice = choose_form(worker, plan);
    if (choice.stride == 0)
        return;
    TRAWL_ASSERT(choice.stride + choice.choices + choice.gram_bytes - 2 <= plan->length_min);
    TRAWL_ASSERT(choice.filter_words % 4 == 0 && choice.form < FORMS);
    tables->sets_kernel = kernel_of(&choice);
    tables->sets_price = choice.cost;
    entries = (uint64_t)entries_of(plan, &choice);
    sets->stride = choice.stride;
    sets->gram_bytes = choice.gram_bytes;
    sets->choices = choice.choices;
    sets->tagged = is_tagged(&choice);
    sets->filter_words = choice.filter_words;
    sets->one_more = more_bits(&choice);
    sets->bit_shifts[1] =
        choice.bits - sets->one_more == 2 ? SCAN_SETS_SHIFT_SECOND : SCAN_SETS_SHIFT;
    sets->table_words = choice.variant == CUDA_SETS_RARE ? 0 : words_of(worker, entries);
    sets->head_count = heads_of(entries);
    tables->has_sets = true;
}
