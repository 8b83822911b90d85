/* image: a plan as bytes that can be saved and used in place. */
#include "plan/image.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "plan/build.h"

#define BYTE_ORDER_MARK 0x01020304u
#define BYTE_ORDER_SWAPPED 0x04030201u
#define SAMPLES 64u /* literals that are looked up in the tables */

/* No text begins so: a byte that begins no character, and both kinds of line ends. */
static const uint8_t magic[8] = {0xb7, 't', 'r', 'a', 'w', 'l', '\r', '\n'};

static const char *machine(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "other";
#endif
}

/* A struct whose size changes without the version is noticed here. */
static uint64_t layout(void)
{
    const uint64_t sizes[] = {sizeof(struct plan_image_header), sizeof(struct plan_section),
                              sizeof(struct plan_head),         sizeof(struct plan_set),
                              sizeof(struct plan_literal),      sizeof(void *)};

    return checksum(sizes, sizeof sizes);
}

bool plan_image_is(const void *bytes, uint64_t bytes_count)
{
    return bytes_count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool plan_image_holds(const struct plan_image *image, const void *place)
{
    uintptr_t at = (uintptr_t)place, begin = image == NULL ? 0 : (uintptr_t)image->bytes;

    return image != NULL && at >= begin && at - begin < image->bytes_count;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static uint64_t bitmap_bytes(const struct trawl_plan *plan)
{
    return (1ull << plan->set.bitmap_bits) / 8;
}

static uint64_t bucket_bytes(const struct trawl_plan *plan)
{
    return ((1ull << plan->set.bucket_bits) + 1) * sizeof *plan->set_buckets;
}

static uint64_t literals_checksum(const struct trawl_plan *plan)
{
    if (plan->literals == NULL)
        return 0;
    return checksum(plan->literals, plan->literal_count * sizeof *plan->literals) ^
           checksum(plan->literal_bytes, plan->literal_bytes_total) << 1;
}

void plan_parts_add(struct plan_parts *parts, uint32_t kind, uint32_t index, const void *bytes,
                    uint64_t bytes_count)
{
    struct plan_section *section = &parts->header.sections[parts->header.section_count];

    TRAWL_ASSERT(parts->header.section_count < PLAN_SECTIONS_MAX);
    section->kind = kind;
    section->index = index;
    section->bytes_count = bytes_count;
    parts->bytes[parts->header.section_count++] = bytes;
}

enum trawl_status plan_parts_begin(const struct trawl_plan *plan, struct plan_parts *parts,
                                   struct trawl_error *error)
{
    struct plan_image_header *header = &parts->header;

    if (plan_has_algorithm(plan))
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan of algorithm \"%s\" cannot be saved",
                          plan->algorithm.name);
    if (plan->encoding.bytes_max != 0)
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan with an encoding cannot be saved");
    memset(parts, 0, sizeof *parts);
    memcpy(header->magic, magic, sizeof magic);
    header->byte_order = BYTE_ORDER_MARK;
    header->version = PLAN_IMAGE_VERSION;
    memcpy(header->machine, machine(), strlen(machine()));
    header->layout = layout();
    header->pattern_count = plan->pattern_count;
    header->literal_count = plan->literal_count;
    header->literals_checksum = plan_has_variants(plan) ? literals_checksum(plan) : 0;
    header->flags = plan->flags;
    header->method = (uint32_t)plan->method;
    header->line_end = plan->line_end;
    header->line_end_also = plan->line_end_also;
    header->utf8_is_set = plan->utf8_is_set;
    plan_parts_add(parts, PLAN_SECTION_PATTERN_BEGIN, 0, plan->pattern_begin,
                   (plan->pattern_count + 1) * sizeof *plan->pattern_begin);
    plan_parts_add(parts, PLAN_SECTION_PATTERN_BYTES, 0, plan->pattern_bytes,
                   plan->pattern_begin[plan->pattern_count]);
    if (plan->method != TRAWL_METHOD_SET)
        return TRAWL_OK;
    plan_parts_add(parts, PLAN_SECTION_SET_BITMAP, 0, plan->set_bitmap, bitmap_bytes(plan));
    if (plan->set_wide != NULL)
        plan_parts_add(parts, PLAN_SECTION_SET_WIDE, 0, plan->set_wide, bitmap_bytes(plan));
    plan_parts_add(parts, PLAN_SECTION_SET_BUCKETS, 0, plan->set_buckets, bucket_bytes(plan));
    plan_parts_add(parts, PLAN_SECTION_SET_ENTRIES, 0, plan->set_entries,
                   plan->literal_count * sizeof *plan->set_entries);
    if (!plan->has_classes)
        plan_parts_add(parts, PLAN_SECTION_SET_HEADS, 0, plan->set_heads,
                       plan->literal_count * sizeof *plan->set_heads);
    return TRAWL_OK;
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + PLAN_IMAGE_ALIGNMENT - 1) / PLAN_IMAGE_ALIGNMENT * PLAN_IMAGE_ALIGNMENT;
}

void plan_parts_end(struct plan_parts *parts)
{
    struct plan_image_header *header = &parts->header;
    uint64_t at = aligned(sizeof *header);

    for (uint32_t i = 0; i < header->section_count; i++) {
        header->sections[i].offset = at;
        header->sections[i].checksum = checksum(parts->bytes[i], header->sections[i].bytes_count);
        at = aligned(at + header->sections[i].bytes_count);
    }
    header->image_bytes = at;
    header->checksum = checksum(header, offsetof(struct plan_image_header, checksum));
}

/* ---- Checking -------------------------------------------------------------------------------- */

static const struct plan_image_header *header_of(const struct plan_image *image)
{
    return (const struct plan_image_header *)(const void *)image->bytes;
}

/* Why this is not an image that this build can read; NULL: the header is good. */
static const char *header_fault(const struct plan_image *image)
{
    const struct plan_image_header *header = header_of(image);

    if (!plan_image_is(image->bytes, image->bytes_count))
        return "it is no saved plan";
    if (image->bytes_count < sizeof *header)
        return "it is cut off";
    if (header->byte_order == BYTE_ORDER_SWAPPED)
        return "it was saved on a machine of the other byte order";
    if (header->byte_order != BYTE_ORDER_MARK)
        return "it is damaged";
    if (header->version != PLAN_IMAGE_VERSION)
        return "another version saved it";
    if (header->checksum != checksum(header, offsetof(struct plan_image_header, checksum)))
        return "it is damaged";
    if (header->layout != layout())
        return "a build with other structures saved it";
    if (header->image_bytes != image->bytes_count)
        return header->image_bytes > image->bytes_count ? "it is cut off"
                                                        : "there is something behind its end";
    return header->section_count <= PLAN_SECTIONS_MAX ? NULL : "it is damaged";
}

/* Padding has no meaning, but is checked, too, so that any damage is noticed. */
static bool is_zero(const struct plan_image *image, uint64_t from, uint64_t to)
{
    uint8_t any = 0;

    for (; from < to; from++)
        any |= image->bytes[from];
    return any == 0;
}

enum trawl_status plan_image_check(const struct plan_image *image, const char *name,
                                   struct trawl_error *error)
{
    const char *fault = header_fault(image);
    uint64_t at = aligned(sizeof(struct plan_image_header));

    if (fault == NULL && image->bytes_count < at)
        fault = "it is cut off";
    if (fault == NULL && !is_zero(image, sizeof(struct plan_image_header), at))
        fault = "it is damaged";
    for (uint32_t i = 0; fault == NULL && i < header_of(image)->section_count; i++) {
        const struct plan_section *section = &header_of(image)->sections[i];
        uint64_t end;

        if (section->offset != at || section->bytes_count > image->bytes_count - at) {
            fault = "its sections are not consecutive";
            break;
        }
        end = aligned(at + section->bytes_count);
        if (end > image->bytes_count)
            fault = "its sections are not consecutive";
        else if (section->checksum != checksum(image->bytes + at, section->bytes_count) ||
                 !is_zero(image, at + section->bytes_count, end))
            fault = "it is damaged";
        at = end;
    }
    if (fault == NULL && at != image->bytes_count)
        fault = "there is something behind its end";
    if (fault != NULL)
        return TRAWL_FAIL(error, FORMAT, "%.180s: %s", name, fault);
    return TRAWL_OK;
}

const void *plan_image_find(const struct plan_image *image, uint32_t kind, uint32_t index,
                            uint64_t *bytes_count)
{
    const struct plan_image_header *header = header_of(image);

    for (uint32_t i = 0; i < header->section_count; i++)
        if (header->sections[i].kind == kind && header->sections[i].index == index) {
            *bytes_count = header->sections[i].bytes_count;
            return image->bytes + header->sections[i].offset;
        }
    return NULL;
}

static enum trawl_status inconsistent(struct trawl_error *error)
{
    (void)TRAWL_FAIL(error, FORMAT, "the saved plan contradicts itself");
    return TRAWL_FORMAT; /* said so that analyzers know */
}

enum trawl_status plan_image_section(const struct plan_image *image, uint32_t kind, uint32_t index,
                                     uint64_t bytes_count, const void **bytes,
                                     struct trawl_error *error)
{
    uint64_t found_bytes = 0;

    *bytes = plan_image_find(image, kind, index, &found_bytes);
    if (*bytes == NULL || found_bytes != bytes_count)
        return inconsistent(error);
    if (bytes_count == 0)
        *bytes = NULL;
    return TRAWL_OK;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* An array of the plan is a section of the image. Nothing writes to it, though it is not const. */
static enum trawl_status take(const struct plan_image *image, uint32_t kind, uint64_t count,
                              uint64_t size, void **array, struct trawl_error *error)
{
    const void *bytes = NULL;
    uint64_t bytes_count;

    if (!checked_multiply(count, size, &bytes_count))
        return inconsistent(error);
    TRAWL_TRY(plan_image_section(image, kind, 0, bytes_count, &bytes, error));
    *array = (void *)(uintptr_t)bytes;
    return TRAWL_OK;
}

static enum trawl_status take_patterns(struct trawl_plan *plan, const struct plan_image *image,
                                       struct trawl_error *error)
{
    uint64_t count = header_of(image)->pattern_count, bad = 0;
    const uint64_t *begin;
    void *array = NULL;

    if (count > UINT32_MAX / 2)
        return inconsistent(error);
    TRAWL_TRY(take(image, PLAN_SECTION_PATTERN_BEGIN, count + 1, sizeof *begin, &array, error));
    begin = (const uint64_t *)array;
    if (begin == NULL)
        return inconsistent(error);
    for (uint64_t i = 0; i < count; i++)
        bad |= begin[i] >= begin[i + 1];
    if (begin[0] != 0 || bad != 0)
        return inconsistent(error);
    plan->pattern_begin = (uint64_t *)array;
    plan->pattern_count = count;
    TRAWL_TRY(take(image, PLAN_SECTION_PATTERN_BYTES, begin[count], 1, &array, error));
    plan->pattern_bytes = (uint8_t *)array;
    return TRAWL_OK;
}

bool plan_buckets_are_good(const uint32_t *buckets, uint64_t bucket_count, uint64_t entry_count)
{
    uint32_t bad = buckets[0] != 0;

    for (uint64_t i = 0; i < bucket_count; i++)
        bad |= buckets[i] > buckets[i + 1];
    return bad == 0 && buckets[bucket_count] == entry_count;
}

/* Each literal once, those of a bucket in order. */
static enum trawl_status check_entries(const struct trawl_plan *plan, struct trawl_error *error)
{
    uint64_t bucket_count = 1ull << plan->set.bucket_bits, bad = 0, *seen;
    void *memory;

    if (!plan_buckets_are_good(plan->set_buckets, bucket_count, plan->literal_count))
        return inconsistent(error);
    TRAWL_TRY(memory_allocate_zeroed(plan->literal_count / 64 + 1, sizeof *seen, &memory, error));
    seen = (uint64_t *)memory;
    for (uint32_t e = 0; e < plan->literal_count && bad == 0; e++) {
        uint32_t literal = plan->set_entries[e];

        bad = literal >= plan->literal_count || (seen[literal / 64] >> literal % 64 & 1) != 0;
        if (bad == 0)
            seen[literal / 64] |= 1ull << literal % 64;
    }
    memory_release(seen, plan->literal_count / 64 + 1, sizeof *seen);
    for (uint64_t bucket = 0; bucket < bucket_count && bad == 0; bucket++)
        for (uint32_t e = plan->set_buckets[bucket] + 1; e < plan->set_buckets[bucket + 1]; e++)
            bad |= plan->set_entries[e - 1] >= plan->set_entries[e];
    for (uint64_t i = 0; i < SAMPLES && plan->literal_count > 0 && bad == 0; i++)
        bad = !set_names_literal(plan, (uint32_t)(i * plan->literal_count / SAMPLES));
    return bad != 0 ? inconsistent(error) : TRAWL_OK;
}

static enum trawl_status take_set(struct trawl_plan *plan, const struct plan_image *image,
                                  struct trawl_error *error)
{
    uint64_t words;
    void *array = NULL;

    prepare_set(plan);
    words = bitmap_bytes(plan) / sizeof *plan->set_bitmap;
    TRAWL_TRY(take(image, PLAN_SECTION_SET_BITMAP, words, sizeof *plan->set_bitmap, &array, error));
    plan->set_bitmap = (uint64_t *)array;
    if (plan->set.wide_mask != 0) {
        TRAWL_TRY(take(image, PLAN_SECTION_SET_WIDE, words, sizeof *plan->set_wide, &array, error));
        plan->set_wide = (uint64_t *)array;
    }
    TRAWL_TRY(take(image, PLAN_SECTION_SET_BUCKETS, (1ull << plan->set.bucket_bits) + 1,
                   sizeof *plan->set_buckets, &array, error));
    plan->set_buckets = (uint32_t *)array;
    TRAWL_TRY(take(image, PLAN_SECTION_SET_ENTRIES, plan->literal_count, sizeof *plan->set_entries,
                   &array, error));
    plan->set_entries = (uint32_t *)array;
    if (!plan->has_classes) {
        TRAWL_TRY(take(image, PLAN_SECTION_SET_HEADS, plan->literal_count, sizeof *plan->set_heads,
                       &array, error));
        plan->set_heads = (struct plan_head *)array;
    }
    return check_entries(plan, error);
}

/* The saved method, with its tables. The sample of the text is gone; it only steers which bytes of
 * one pattern are compared first. */
static enum trawl_status load_method(struct trawl_plan *plan, const struct plan_image *image,
                                     struct trawl_error *error)
{
    const struct plan_image_header *header = header_of(image);
    enum trawl_method method = (enum trawl_method)header->method;

    if (header->method == TRAWL_METHOD_AUTO || header->method > TRAWL_METHOD_GRAMS)
        return inconsistent(error);
    TRAWL_TRY(choose_method(plan, TRAWL_METHOD_AUTO, NULL, 0, error));
    if (plan->method != method) {
        enum trawl_status status = choose_method(plan, method, NULL, 0, error);

        if (status != TRAWL_OK)
            return status == TRAWL_ARGUMENT ? inconsistent(error) : status;
        plan->method_why = "saved with it";
    }
    if (method == TRAWL_METHOD_SAMPLED)
        return build_sampled(plan, error);
    if (method != TRAWL_METHOD_SET)
        return TRAWL_OK;
    if (plan_has_variants(plan) && (plan->literal_count != header->literal_count ||
                                    header->literals_checksum != literals_checksum(plan)))
        return build_set(plan, error); /* letters have other variants than then */
    return take_set(plan, image, error);
}

static enum trawl_status load(struct trawl_plan *plan, struct plan_image *image,
                              const struct trawl_plan_load_options *options,
                              struct trawl_error *error)
{
    const uint32_t known = TRAWL_IGNORE_CASE | TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE;
    const struct plan_image_header *header = header_of(image);

    if ((header->flags & ~known) != 0 || header->utf8_is_set > 1)
        return inconsistent(error);
    if (header->utf8_is_set == 1 && options->utf8 == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "the plan was built with utf8 and needs it again");
    plan->flags = header->flags;
    plan->utf8_is_set = header->utf8_is_set == 1;
    if (plan->utf8_is_set)
        plan->utf8 = *options->utf8;
    plan->line_end = options->line_end_set != 0 ? options->line_end : header->line_end;
    plan->line_end_also = options->line_end_also_set != 0 ? options->line_end_also
                          : options->line_end_set != 0    ? plan->line_end
                                                          : header->line_end_also;
    TRAWL_TRY(take_patterns(plan, image, error));
    TRAWL_TRY(expand_patterns(plan, error));
    return load_method(plan, image, error);
}

enum trawl_status plan_image_load(struct plan_image *image,
                                  const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan_out, struct trawl_error *error)
{
    struct trawl_plan *plan = NULL;
    enum trawl_status status = plan_new(&plan, error);

    if (status != TRAWL_OK) {
        image->release(image);
        return status;
    }
    plan->image = image;
    status = load(plan, image, options, error);
    if (status != TRAWL_OK) {
        trawl_plan_free(plan);
        return status;
    }
    *plan_out = plan;
    return TRAWL_OK;
}
