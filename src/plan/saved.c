/* saved: a plan as bytes, and the plan of such bytes. */
#include "plan/saved.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "base/options.h"

/* No text begins so: a byte that begins no character, and both kinds of line ends. */
static const uint8_t magic[8] = {0xb7, 't', 'r', 'a', 'w', 'l', '\r', '\n'};

bool trawl_plan_is_saved(const void *bytes, uint64_t bytes_count)
{
    return bytes != NULL && bytes_count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

struct trawl_pattern trawl_plan_note(const struct trawl_plan *plan)
{
    struct trawl_pattern note = {NULL, 0};

    if (plan != NULL && plan->note_bytes > 0) {
        note.bytes = plan->note;
        note.bytes_count = plan->note_bytes;
    }
    return note;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, const void *bytes, uint64_t bytes_count)
{
    if (bytes_count > 0)
        memcpy(at, bytes, (size_t)bytes_count);
    return at + bytes_count;
}

enum trawl_status plan_saved_make(const struct trawl_plan *plan,
                                  const struct trawl_plan_save_options *options,
                                  uint8_t **bytes_out, uint64_t *bytes_count,
                                  struct trawl_error *error)
{
    struct plan_saved_header header = {.version = PLAN_SAVED_VERSION};
    const struct plan_errors *errors = &plan->errors;
    uint64_t ends_bytes = plan->pattern_count * sizeof *plan->pattern_begin, total;
    uint64_t exact_bytes = errors->exact_count * sizeof *errors->exact;
    uint8_t *bytes, *at;
    void *memory;

    if (plan->algorithm.name != NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan of algorithm \"%s\" cannot be saved",
                          plan->algorithm.name);
    if (plan->encoding.bytes_max != 0)
        return TRAWL_FAIL(error, UNSUPPORTED, "a plan with an encoding cannot be saved");
    memcpy(header.magic, magic, sizeof magic);
    header.flags = plan->flags;
    header.line_end = plan->line_end;
    header.line_end_also = plan->line_end_also;
    header.utf8_is_set = plan->utf8_is_set;
    header.method = (uint8_t)plan->method_saved;
    header.mismatches_max = (uint8_t)(errors->edits ? 0 : errors->max);
    header.edits_max = (uint8_t)(errors->edits ? errors->max : 0);
    header.alphabet = (uint8_t)errors->alphabet;
    header.exact_count = errors->exact_count;
    header.pattern_count = (uint32_t)plan->pattern_count;
    header.pattern_bytes = plan->pattern_begin[plan->pattern_count];
    header.note_bytes = options->note_bytes;
    total = saturating_add(sizeof header + ends_bytes + exact_bytes + header.pattern_bytes,
                           header.note_bytes);
    TRAWL_TRY(memory_allocate(total, 1, &memory, error));
    bytes = (uint8_t *)memory;
    at = put(bytes + sizeof header, plan->pattern_begin + 1, ends_bytes);
    at = put(at, errors->exact, exact_bytes);
    at = put(at, plan->pattern_bytes, header.pattern_bytes);
    at = put(at, options->note, header.note_bytes);
    TRAWL_ASSERT(at == bytes + total);
    header.body_checksum = checksum(bytes + sizeof header, total - sizeof header);
    header.checksum = checksum(&header, offsetof(struct plan_saved_header, checksum));
    memcpy(bytes, &header, sizeof header);
    *bytes_out = bytes;
    *bytes_count = total;
    return TRAWL_OK;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static uint64_t bytes_before_patterns(const struct plan_saved_header *header)
{
    return header->pattern_count * sizeof(uint64_t) +
           header->exact_count * sizeof(struct trawl_range);
}

/* Why these are not the bytes that were saved; NULL: they are, and *header is filled. */
static const char *damage(const uint8_t *bytes, uint64_t bytes_count,
                          struct plan_saved_header *header)
{
    uint64_t total;

    if (!trawl_plan_is_saved(bytes, bytes_count))
        return "it is no saved plan";
    if (bytes_count < sizeof *header)
        return "it is cut off";
    memcpy(header, bytes, sizeof *header);
    if (header->version != PLAN_SAVED_VERSION)
        return "another version of trawl saved it: save it again";
    if (header->checksum != checksum(header, offsetof(struct plan_saved_header, checksum)))
        return "it is damaged";
    total = sizeof *header + bytes_before_patterns(header);
    total = saturating_add(saturating_add(total, header->pattern_bytes), header->note_bytes);
    if (bytes_count != total)
        return bytes_count < total ? "it is cut off" : "there is something behind its end";
    if (header->body_checksum != checksum(bytes + sizeof *header, total - sizeof *header))
        return "it is damaged";
    return header->utf8_is_set > 1 ? "it contradicts itself" : NULL;
}

/* Do the ends ascend to the last byte? The builder refuses empty patterns. */
static bool patterns_read(const uint8_t *ends, const struct plan_saved_header *header,
                          struct trawl_pattern *patterns)
{
    const uint8_t *bytes = ends + bytes_before_patterns(header);
    uint64_t begin = 0, end;

    for (uint32_t i = 0; i < header->pattern_count; i++, begin = end) {
        memcpy(&end, ends + i * sizeof end, sizeof end);
        if (end < begin || end > header->pattern_bytes)
            return false;
        TRAWL_ASSERT(begin <= end && end <= header->pattern_bytes);
        patterns[i] = (struct trawl_pattern){bytes + begin, end - begin};
    }
    return begin == header->pattern_bytes;
}

/* Build the plan. What the builder refuses is a fault of the bytes, not of the caller. */
static enum trawl_status build(const struct trawl_pattern *patterns,
                               const struct plan_saved_header *header,
                               const struct trawl_range *exact, const char *name,
                               const struct trawl_plan_load_options *load, struct trawl_plan **plan,
                               struct trawl_error *error)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_error fault;
    enum trawl_status status;

    options.flags = header->flags;
    options.method = (enum trawl_method)header->method;
    options.line_end_set = options.line_end_also_set = 1;
    options.line_end = load->line_end_set != 0 ? load->line_end : header->line_end;
    options.line_end_also = load->line_end_also_set != 0 ? load->line_end_also
                            : load->line_end_set != 0    ? load->line_end
                                                         : header->line_end_also;
    options.utf8 = header->utf8_is_set == 1 ? load->utf8 : NULL;
    options.mismatches_max = header->mismatches_max;
    options.edits_max = header->edits_max;
    options.alphabet = (enum trawl_alphabet)header->alphabet;
    options.exact = header->exact_count > 0 ? exact : NULL;
    options.exact_count = header->exact_count;
    status = plan_build(patterns, header->pattern_count, &options, NULL, plan, &fault);
    if (status == TRAWL_ARGUMENT)
        return TRAWL_FAIL(error, FORMAT, "%.150s: %.80s", name, fault.message);
    if (status != TRAWL_OK && error != NULL)
        *error = fault;
    return status;
}

static enum trawl_status keep_note(struct trawl_plan *plan, const uint8_t *note,
                                   uint64_t note_bytes, struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate(note_bytes, 1, &memory, error));
    TRAWL_ASSERT(plan->note == NULL && plan->note_bytes == 0);
    plan->note = (uint8_t *)memory;
    plan->note_bytes = note_bytes;
    (void)put(plan->note, note, note_bytes);
    return TRAWL_OK;
}

enum trawl_status plan_saved_load(const uint8_t *bytes, uint64_t bytes_count, const char *name,
                                  const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct plan_saved_header header;
    struct trawl_pattern *patterns;
    struct trawl_range *exact = NULL;
    struct trawl_plan *plan = NULL;
    const char *fault = damage(bytes, bytes_count, &header);
    void *memory;

    if (fault != NULL)
        return TRAWL_FAIL(error, FORMAT, "%.150s: %s", name, fault);
    if (header.utf8_is_set == 1 && options->utf8 == NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "%.150s: the plan was built with utf8 and needs it again", name);
    TRAWL_ASSERT(sizeof header + bytes_before_patterns(&header) + header.pattern_bytes +
                     header.note_bytes ==
                 bytes_count);
    TRAWL_TRY(memory_allocate(header.pattern_count, sizeof *patterns, &memory, error));
    patterns = (struct trawl_pattern *)memory;
    TRAWL_TRY_DONE(memory_allocate(header.exact_count, sizeof *exact, &memory, error));
    exact = (struct trawl_range *)memory;
    if (header.exact_count > 0) /* of bytes that may lie anywhere */
        memcpy(exact, bytes + sizeof header + header.pattern_count * sizeof(uint64_t),
               header.exact_count * sizeof *exact);
    if (patterns_read(bytes + sizeof header, &header, patterns))
        status = build(patterns, &header, exact, name, options, &plan, error);
    else
        status = TRAWL_FAIL(error, FORMAT, "%.150s: it contradicts itself", name);
done:
    memory_release(exact, header.exact_count, sizeof *exact);
    memory_release(patterns, header.pattern_count, sizeof *patterns);
    if (status == TRAWL_OK)
        status = keep_note(plan, bytes + bytes_count - header.note_bytes, header.note_bytes, error);
    if (status != TRAWL_OK) {
        trawl_plan_free(plan);
        return status;
    }
    *plan_out = plan;
    return TRAWL_OK;
}
