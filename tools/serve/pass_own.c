/* pass_own: searches blocks (the bytes of many files in memory), and files that must be opened, for
 * a single request alone.
 *
 * If no occurrence can cross a line end, neighbouring files of a block are counted together as a
 * single text. To find the files with an occurrence, each file is searched as a record, only up to
 * its first occurrence. Positions are listed file by file in the view's order, at most
 * positions_max.
 */
#include "serve/pass_member.h"
#include "trawl/text/calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pass_file {
    struct pass_member *member;
    uint32_t file;
    /* The occurrences are counted already; only positions are kept, up to positions_max. */
    bool keeps;
};

/* Returns true if no occurrence can contain the newline that follows each file. */
static bool stays_in_lines(const struct trawl_plan *plan)
{
    struct trawl_plan_told facts = describe_plan(plan, 0);

    if (facts.has_errors && (!(facts.flags & TRAWL_WITHIN_LINES) || facts.line_end != '\n'))
        return false;
    for (uint64_t i = 0; i < facts.pattern_count; i++) {
        struct trawl_pattern pattern = describe_plan(plan, i).pattern;

        if (memchr(pattern.bytes, '\n', pattern.bytes_count) != NULL)
            return false;
    }
    return true;
}

static int add_counts(void *context, const struct trawl_pattern_count *counts,
                      uint64_t counts_count)
{
    struct pass_member *member = context;
    struct pass_request *request = member->request;

    for (uint64_t i = 0; i < counts_count; i++) {
        request->occurrence_count += counts[i].count;
        if (request->wants_counts)
            request->pattern_counts[counts[i].pattern_index] += counts[i].count;
    }
    return request->cancelled;
}

static int add_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct pass_file *file = context;
    struct pass_request *request = file->member->request;

    for (uint64_t i = 0; i < match_count; i++)
        if (!file->keeps)
            pass_member_add(file->member, file->file, matches[i].begin, matches[i].pattern_index);
        else if (request->position_count < request->positions_max)
            pass_member_add_position(file->member, file->file, matches[i].begin,
                                     matches[i].pattern_index);
    return request->cancelled || (file->keeps && request->position_count >= request->positions_max);
}

static enum trawl_status count_text(struct pass_member *member, struct trawl_text *text,
                                    struct trawl_error *error)
{
    struct pass_request *request = member->request;
    struct trawl_answer by_pattern = TRAWL_ANSWER_COUNTS(add_counts, member);
    struct trawl_pattern_count count = {0, 0};
    enum trawl_status status;

    if (describe_plan(request->plan, 0).pattern_count != 1)
        status = trawl_ask(member->searcher, request->plan, text, &by_pattern, error);
    else
        status = trawl_count(member->searcher, request->plan, text, &count.count, error);
    pass_member_searched(member);
    if (status == TRAWL_OK && count.count > 0)
        (void)add_counts(member, &count, 1);
    return status;
}

/* Returns true if a range is to be counted here: the state still has the range's file, the block
 * has the file's own bytes, and the view has it. */
static bool is_counted(const struct pass_member *member, const struct served_block *block,
                       const struct tape_range *range)
{
    const struct served_file *file = state_file_at(member->request->state, block, range);

    return file != NULL && file->is_plain && pass_member_sees(member, range->file);
}

/* Counts the occurrences in the bytes [begin, end) of a block. */
static enum trawl_status count_run(struct pass_member *member, const struct served_block *block,
                                   uint64_t begin, uint64_t end, bool joins,
                                   struct trawl_error *error)
{
    struct trawl_text *text = NULL;
    enum trawl_status status;

    if (joins && begin == 0 && end + 1 == block->bytes_count)
        /* Use the block's own text, which may be loaded onto a GPU. */
        return count_text(member, block->text, error);
    status = open_memory(block->bytes + begin, end - begin, &text, error);
    if (status == TRAWL_OK)
        status = count_text(member, text, error);
    trawl_text_close(text);
    return status;
}

/* Counts the occurrences in a block. If `joins`, neighbouring files are searched as a single
 * text; else the files with an occurrence are found, too. */
static enum trawl_status count_block(struct pass_member *member, const struct served_block *block,
                                     bool joins, struct trawl_error *error)
{
    const struct tape_range *ranges = block->ranges;
    enum trawl_status status = TRAWL_OK;

    for (uint64_t i = 0, next; i < block->range_count && status == TRAWL_OK; i = next) {
        const uint64_t before = member->request->occurrence_count;

        next = i + 1;
        if (!is_counted(member, block, &ranges[i]))
            continue;
        while (joins && next < block->range_count && is_counted(member, block, &ranges[next]))
            next++;
        if (member->request->cancelled)
            return TRAWL_STOPPED;
        status = count_run(member, block, ranges[i].begin, ranges[next - 1].end, joins, error);
        if (!joins && member->request->occurrence_count > before)
            pass_member_find(member, ranges[i].file);
    }
    return status;
}

/* Finds which files of a block have an occurrence. The records with even numbers are the files,
 * those with odd numbers the bytes between two files. knows_plain: the plain files with one are
 * known (a record may have only an empty match, which is none). */
static enum trawl_status find_files(struct pass_member *member, const struct served_block *block,
                                    bool knows_plain, struct trawl_error *error)
{
    const struct state *state = member->request->state;
    const struct tape_range *ranges = block->ranges;
    struct trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer found = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    struct trawl_records *loaded = NULL;
    uint64_t *offsets = malloc(2 * block->range_count * sizeof *offsets);
    uint8_t *bits = malloc(block->range_count / 4 + 1);
    enum trawl_status status = TRAWL_MEMORY;

    for (uint64_t i = 0; offsets != NULL && i < block->range_count; i++) {
        offsets[2 * i] = ranges[i].begin;
        offsets[2 * i + 1] = ranges[i].end;
    }
    records.bytes = block->bytes;
    records.offsets = offsets;
    records.record_count = found.room = 2 * block->range_count - 1;
    records.flags = TRAWL_RECORDS_STAY;
    found.values = bits;
    if (offsets == NULL || bits == NULL)
        (void)strcpy(error->message, "memory exhausted");
    else
        status = trawl_records_load(member->searcher, &records, &loaded, error);
    if (status == TRAWL_OK)
        status = trawl_ask_records(member->searcher, member->request->plan, loaded, &found, error);
    for (uint64_t i = 0; status == TRAWL_OK && i < block->range_count; i++)
        if (pass_get_bit(bits, (uint32_t)(2 * i)) &&
            state_file_at(state, block, &ranges[i]) != NULL &&
            !(knows_plain && state_file_at(state, block, &ranges[i])->is_plain) &&
            pass_member_sees(member, ranges[i].file))
            pass_member_find(member, ranges[i].file);
    trawl_records_unload(loaded);
    pass_member_searched(member);
    free(bits);
    free(offsets);
    return status;
}

/* Lists the occurrences in a file's text, and closes the text. If `keeps`, the list may end
 * early, when positions_max is reached. */
static enum trawl_status list_file(struct pass_member *member, uint32_t number, bool keeps,
                                   struct trawl_text *text, struct trawl_error *error)
{
    struct pass_file context = {member, number, keeps};
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(add_matches, &context);
    enum trawl_status status;

    status = trawl_ask(member->searcher, member->request->plan, text, &matches, error);

    pass_member_searched(member);
    trawl_text_close(text);
    return keeps && status == TRAWL_STOPPED && !member->request->cancelled ? TRAWL_OK : status;
}

/* Lists positions file by file in the view's order, at most positions_max. */
static enum trawl_status list_files(struct pass_member *member, struct trawl_error *error)
{
    const struct pass_request *request = member->request;
    const struct state *state = request->state;
    const struct served_view *view = request->view;
    enum trawl_status status = TRAWL_OK;

    for (uint64_t i = 0; i < view->file_count && request->position_count < request->positions_max;
         i++) {
        uint32_t number = view->files[i];
        const struct served_file *file;
        struct trawl_text *text;

        if (number >= state->index_count || !pass_get_bit(request->files, number) ||
            member->ranks[number] != i)
            continue;
        file = state->files[number];
        if (file->block == NULL || !file->is_plain)
            continue;
        status = request->cancelled ? TRAWL_STOPPED
                                    : open_memory(file->block->bytes + file->block_begin,
                                                  file->supplied.bytes_count, &text, error);
        if (status == TRAWL_OK)
            status = list_file(member, number, true, text, error);
        if (status != TRAWL_OK)
            break;
    }
    return status;
}

enum trawl_status pass_own(struct pass_member *member, bool fits, struct trawl_error *error)
{
    const struct state *state = member->request->state;
    bool joins = fits && stays_in_lines(member->request->plan);
    enum trawl_status status = TRAWL_OK;

    for (uint32_t i = 0; i < state->block_count && status == TRAWL_OK; i++) {
        if (pass_member_lists(member))
            status = count_block(member, state->blocks[i].block, joins, error);
        if (status == TRAWL_OK)
            status = find_files(member, state->blocks[i].block, !joins && pass_member_lists(member),
                                error);
    }
    if (status == TRAWL_OK && member->request->wants_positions)
        status = list_files(member, error);
    return status;
}

/* Opens and searches one file. If the file is gone or cannot be read, counts it in
 * unread_count and returns OK. */
static enum trawl_status search_opened(struct pass_member *member, uint32_t number,
                                       struct trawl_error *error)
{
    struct pass_request *request = member->request;
    const struct served_file *file = request->state->files[number];
    uint64_t before = request->occurrence_count;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_text *text = NULL;
    enum trawl_status status = TRAWL_OK;
    int descriptor = collection_open_file(request->collection, file);

    if (descriptor < 0) {
        request->unread_count++;
        (void)snprintf(request->message, sizeof request->message, "%s: %s", file->path,
                       strerror(errno));
    } else {
        status = open_descriptor(descriptor, file->path,
                                 request->search_zip ? TRAWL_TEXT_UNPACK : 0, &text, error);
        if (status == TRAWL_OK)
            status = list_file(member, number, false, text, error);
        if (text != NULL && trawl_searcher_stats(member->searcher, &stats, NULL) == TRAWL_OK)
            request->searched_bytes += stats.text_bytes;
        close(descriptor);
        if (status == TRAWL_READ || status == TRAWL_UNSUPPORTED) {
            request->unread_count++;
            (void)snprintf(request->message, sizeof request->message, "%s", error->message);
            status = TRAWL_OK;
        }
    }
    if (request->occurrence_count == before)
        pass_clear_bit(request->files, number);
    return status;
}

enum trawl_status pass_own_files(struct pass_member *member, struct trawl_error *error)
{
    const struct pass_request *request = member->request;
    const struct state *state = request->state;
    enum trawl_status status = TRAWL_OK;

    for (uint32_t i = 0; i < state->index_count && status == TRAWL_OK; i++) {
        const struct served_file *file = state->files[i];

        if (file == NULL || (file->block != NULL && file->is_plain) ||
            !pass_member_sees(member, i) || !pass_get_bit(request->files, i))
            continue;
        status = request->cancelled ? TRAWL_STOPPED : search_opened(member, i, error);
    }
    return status;
}
