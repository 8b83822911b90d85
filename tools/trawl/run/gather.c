/* gather: searches several small files with one call, while most of them have no match.
 *
 * input.c hands over files that were read as a whole. Each worker of the pool has a gather, so no
 * lock is needed. If files with matches are frequent, gathering stops, and is tried again after
 * some files without a match.
 */
#include "trawl/run/gather.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trawl/print/binary.h"
#include "trawl/run/pool_turns.h"
#include "trawl/job/command_scan.h"
#include "trawl/job/progress.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/run/rewrite.h"
#include "trawl/run/search_file.h"
#include "trawl/text/calls.h"

#define FILE_ALIGNMENT 64u /* the kernel copies twice as fast to an aligned address */

static void search_alone(struct pool_worker *worker, const struct open_file *file)
{
    struct gather *gather = &worker->gather;
    uint64_t before = worker->job->totals.sums.selected_count;

    rewrite_or_search(worker->job, file);
    gather->in_vain = worker->job->totals.sums.selected_count == before ? gather->in_vain + 1 : 0;
    if (gather->files_max == 1 && gather->in_vain >= GATHER_FIRST)
        gather->files_max = GATHER_FIRST;
}

/* Returns true if the files are first searched together. A single operand is searched alone from
 * the start, because after a match it would be searched twice. */
static bool is_worth_while(const struct gather *gather)
{
    return gather->count > 1 || !gather->files[0].is_operand;
}

/* Searches the files from index `at` together. Returns the index of the first file with a match;
 * gather->count if there is none, or `at` if the call fails. */
static size_t first_match(struct pool_worker *worker, size_t at)
{
    struct gather *gather = &worker->gather;
    struct command_job *job = worker->job;
    uint64_t begin = gather->files[at].begin;
    struct trawl_text *text;
    struct trawl_match match;
    enum trawl_status status;
    bool found = false;

    if (open_memory(gather->bytes + begin, gather->used - begin, &text, NULL) != TRAWL_OK)
        return at;
    status = trawl_first(job->searcher, job->patterns->plan, text, &match, &found, NULL);
    trawl_text_close(text);
    if (status != TRAWL_OK)
        return at;
    if (!found)
        return gather->count;
    while (at + 1 < gather->count && gather->files[at + 1].begin <= begin + match.begin)
        at++;
    return at;
}

/* Reports files without a match. */
static void pass_over(struct pool_worker *worker, size_t from, size_t to)
{
    const struct gathered_file *files = worker->gather.files;
    uint64_t bytes_count = 0, behind_nulls = 0;

    for (size_t i = from; i < to; i++) {
        const uint8_t *text = worker->gather.bytes + files[i].begin, *null = NULL;

        if (worker->gather.to_null)
            null = memchr(text, '\0', (size_t)files[i].bytes_count);
        search_file_pass_over(worker->job, files[i].name);
        bytes_count += files[i].bytes_count;
        behind_nulls += null != NULL ? files[i].bytes_count - (uint64_t)(null - text) : 0;
    }
    totals_add_passed(worker->job, to - from, bytes_count);
    worker->job->totals.sums.json.bytes_searched -= behind_nulls;
    worker->job->searched_bytes += bytes_count;
    progress_add(to - from, bytes_count);
}

/* Searches a waiting file alone, from its bytes in memory. */
static void search_one(struct pool_worker *worker, const struct gathered_file *gathered)
{
    struct stat status;
    struct open_file file = {gathered->descriptor,  &status,
                             gathered->name,        worker->gather.bytes + gathered->begin,
                             gathered->bytes_count, false,
                             gathered->is_operand,  NULL};

    memset(&status, 0, sizeof status);
    status.st_mode = S_IFREG;
    status.st_size = (off_t)gathered->bytes_count;
    search_alone(worker, &file);
}

void gather_flush(struct pool_worker *worker)
{
    struct gather *gather = &worker->gather;
    size_t at = 0, alone = 0;

    while (at < gather->count && pool_wants_next_file(worker)) {
        if (is_worth_while(gather)) {
            size_t found = first_match(worker, at);

            pass_over(worker, at, found);
            at = found;
        }
        if (at < gather->count) {
            search_one(worker, &gather->files[at++]);
            alone++;
        }
    }
    if (2 * alone > gather->count)
        gather->files_max = 1;
    else if (gather->count == gather->files_max && gather->files_max < GATHER_FILES_MAX)
        gather->files_max *= 2;
    gather->count = 0;
    gather->used = 0;
}

void gather_search(struct pool_worker *worker, const struct open_file *file)
{
    struct gather *gather = &worker->gather;
    struct gathered_file *next = &gather->files[gather->count];
    uint64_t end;

    if (gather->files_max == 1) {
        gather_flush(worker);
        search_alone(worker, file);
        return;
    }
    next->name = file->name;
    next->begin = gather->used;
    next->bytes_count = file->bytes_count;
    next->is_operand = file->is_operand;
    /* search_file.c looks for holes in files of more than a block */
    next->descriptor = file->bytes_count > BLOCK_BYTES ? file->descriptor : -1;
    end = gather->used + file->bytes_count;
    gather->used = (end / FILE_ALIGNMENT + 1) * FILE_ALIGNMENT;
    memset(gather->bytes + end, gather->line_end, (size_t)(gather->used - end));
    gather->count++;
    if (gather->count >= gather->files_max || gather->used >= GATHER_BYTES || next->descriptor >= 0)
        gather_flush(worker);
}
