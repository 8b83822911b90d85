/* conditions: --and and --andnot; with --write, whether a file has a match. A line that the main
 * group selects is searched for each other group: for strings by trawl_list_bytes, for a few
 * expressions by trawl_line_match; otherwise, as with --in-file, search_file answers like a search
 * with -q of a text that is this line. */
#include "trawl/run/conditions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl/job/command_scan.h"
#include "trawl/job/searchers.h"
#include "trawl/text/message.h"
#include "trawl/text/sizes.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

#define STREAM_SIZES 32u << 10, 7u /* of a stream, read at a time */
#define EXPRESSIONS_MAX 8u /* as many searches of a line by one expression are faster than -q's */

struct condition {
    struct settings settings; /* of a search for this group with -q */
    struct patterns patterns;
    bool negated;
    bool has_strings; /* trawl_list_bytes decides */
    /* this many expressions, from line_search->opened[first], are matched by trawl_line_match */
    size_t first, expressions;
};

struct conditions {
    struct condition *items;
    size_t count;
    size_t expressions; /* of all conditions */
};

/* What a job has opened to search lines. */
struct line_search {
    struct trawl_searcher *searcher;
    struct trawl_line **opened; /* for each expression; NULL: not yet */
    struct output output;       /* of searches with -q, which print nothing */
};

static bool is_marker(const struct value_item *item)
{
    return item->kind == VALUE_AND || item->kind == VALUE_ANDNOT;
}

/* Makes the settings of a condition's search from those of the command. */
static bool derive_settings(struct condition *condition, const struct settings *settings,
                            char *message)
{
    struct settings *own = &condition->settings;

    *own = *settings;
    memset(&own->patterns, 0, sizeof own->patterns);
    memset(&own->colors, 0, sizeof own->colors);
    memset(&own->style, 0, sizeof own->style);
    memset(&own->heads, 0, sizeof own->heads);
    memset(own->asked.reports, 0, sizeof own->asked.reports);
    own->surroundings.output_is_regular = false;
    own->quiet = true;
    own->invert = own->json = own->passthru = own->stop_on_nonmatch = own->stats = false;
    own->overlapping = own->only_first = false;
    own->in_file = own->write = own->diff = false;
    own->backup = NULL;
    own->list = LIST_NONE;
    own->replace = NULL;
    own->asked.color = COLOR_NEVER;
    own->asked.color_given = true;
    own->asked.pretty = false;
    own->asked.max_count_given = MAX_COUNT_NONE;
    own->max_total = UINT64_MAX;
    own->before_count = own->after_count = own->asked.around_count = CONTEXT_NOT_GIVEN;
    /* the NULs of a line that ends at NULs are none of its text */
    own->binary_files = settings->in_file && settings->binary_files != BINARY_FILES_TEXT
                            ? BINARY_FILES_BINARY
                            : BINARY_FILES_TEXT;
    return settings_build(own, message);
}

static bool append(struct value_list *list, const struct value_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const enum value_kind kind = is_marker(&items[i]) ? VALUE_STRING : items[i].kind;

        if (!value_add(list, kind, items[i].text))
            return false;
        list->items[list->count - 1].shown = items[i].shown;
    }
    return true;
}

/* Adds a condition of the items. */
static bool add(struct conditions *conditions, const struct settings *settings,
                const struct value_item *items, size_t count, bool negated, char *message)
{
    struct condition *condition = &conditions->items[conditions->count];
    struct patterns *patterns = &condition->patterns;
    struct settings *own = &condition->settings;

    if (!derive_settings(condition, settings, message))
        return false;
    conditions->count++;
    condition->negated = negated;
    if (!append(&own->patterns, items, count))
        return message_exhausted(message);
    if (!patterns_gather(patterns, own, NULL, message) ||
        !patterns_plan(patterns, own, own->whole_lines, &patterns->plan, message))
        return false;
    condition->has_strings = !own->expressions && !patterns->has_empty && !patterns->check.any &&
                             !(own->crlf && own->whole_lines);
    condition->first = conditions->expressions;
    if (own->expressions && !patterns->has_empty)
        condition->expressions = patterns->joined.bytes != NULL ? 1 : patterns->count;
    if (condition->expressions > EXPRESSIONS_MAX)
        condition->expressions = 0;
    conditions->expressions += condition->expressions;
    return true;
}

static bool is_refused(const struct settings *settings, char *message)
{
    const char *option = "--and or --andnot";
    const struct option_pair pairs[] = {
        {settings->multiline, option, "--multiline"},
        {settings->fasta, option, settings_sequences(settings)},
        {settings->hex || settings->wild, option, settings->wide ? "--wide" : "--hex"},
        {settings->search.algorithm != NULL, option, "--algorithm"},
        {settings->report->by_line == NULL, option, settings->report->options},
        {settings->in_file && settings->invert, "--in-file", "-v (--invert-match)"},
    };

    return flags_refuse(pairs, sizeof pairs / sizeof *pairs, "cannot be combined with", message);
}

static bool line_meets(struct text_scan *scan, const uint8_t *line, uint64_t count);

bool conditions_open(struct command_job *job, struct settings *settings,
                     const struct value_item *operand, char *message)
{
    const struct value_list all = settings->patterns;
    struct value_list *main = &settings->patterns;
    struct conditions *conditions;
    size_t groups = 0, first, next;
    bool united = false, asks_main, good = true;

    for (size_t i = 0; i < all.count; i++)
        groups += is_marker(&all.items[i]);
    if (groups == 0 && settings->in_file)
        return message_fail(message, "--in-file needs --and or --andnot");
    if (groups == 0 && !settings->write)
        return true;
    if (groups > 0 && is_refused(settings, message))
        return false;
    for (first = 0; first < all.count && !is_marker(&all.items[first]);)
        first++;
    for (size_t i = first; i < all.count; i++)
        united |= all.items[i].kind == VALUE_AND && !settings->in_file &&
                  settings->replace == NULL && settings_show_matches(settings);
    /* a file without a match is not written, so it is first asked for one */
    asks_main = united || (settings->write && (settings->in_file || groups == 0));
    for (size_t i = asks_main ? 0 : first; i < all.count; i++)
        if (all.items[i].kind == VALUE_FILE && strcmp(all.items[i].text, "-") == 0)
            return message_fail(message, "-f - is not possible with --write, --and and --andnot");
    conditions = calloc(1, sizeof *conditions);
    if (conditions == NULL)
        return message_exhausted(message);
    job->conditions = conditions;
    conditions->items = calloc(groups + 1, sizeof *conditions->items);
    memset(main, 0, sizeof *main);
    good = conditions->items != NULL && append(main, operand, operand != NULL) &&
           append(main, all.items, first);
    if (!good)
        (void)message_exhausted(message);
    if (good && asks_main)
        good = add(conditions, settings, main->items, main->count, false, message);
    for (size_t at = first; good && at < all.count; at = next) {
        for (next = at + 1; next < all.count && !is_marker(&all.items[next]);)
            next++;
        good = add(conditions, settings, all.items + at, next - at,
                   all.items[at].kind == VALUE_ANDNOT, message);
        if (good && united && all.items[at].kind == VALUE_AND &&
            !append(main, all.items + at, next - at))
            good = !message_exhausted(message);
    }
    for (size_t i = asks_main; good && i < conditions->count; i++)
        conditions_warn(job, &conditions->items[i].patterns);
    free(all.items);
    job->line_meets = settings->in_file || groups == 0 ? NULL : line_meets;
    return good;
}

void conditions_warn(struct command_job *job, const struct patterns *patterns)
{
    const char *doubt;

    for (size_t i = 0; i < patterns->file_count && !job->settings->no_messages; i++)
        if ((doubt = patterns_doubt(job->settings, &patterns->files[i])) != NULL)
            job_message(job, "warning: %s %s", patterns->files[i].name, doubt);
}

void conditions_leave(struct command_job *job)
{
    struct line_search *search = job->line_search;

    if (search == NULL)
        return;
    for (size_t i = 0; search->opened != NULL && i < job->conditions->expressions; i++)
        trawl_line_close(search->opened[i]);
    free(search->opened);
    trawl_searcher_close(search->searcher);
    output_close(&search->output);
    free(search);
    job->line_search = NULL;
}

void conditions_close(struct command_job *job)
{
    struct conditions *conditions = job->conditions;

    if (conditions == NULL)
        return;
    for (size_t i = 0; conditions->items != NULL && i < conditions->count; i++) {
        patterns_free(&conditions->items[i].patterns);
        free(conditions->items[i].settings.patterns.items);
    }
    free(conditions->items);
    free(conditions);
    job->conditions = NULL;
}

/* Opens the job's searcher for lines. */
static struct line_search *open_line_search(struct command_job *job)
{
    struct line_search *search = job->line_search;
    char message[SETTINGS_ERROR_BYTES];

    if (search != NULL)
        return search;
    search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    job->line_search = search;
    output_open(&search->output, -1);
    search->opened = calloc(job->conditions->expressions + 1, sizeof *search->opened);
    if (search->opened != NULL && searchers_open(job, true, &search->searcher, message))
        return search;
    conditions_leave(job);
    return NULL;
}

/* Searches a file or a line as -q does. */
static bool is_selected(const struct command_job *job, struct condition *condition,
                        struct line_search *search, const struct open_file *file, bool *failed)
{
    struct command_job own = {.settings = &condition->settings,
                              .patterns = &condition->patterns,
                              .searcher = search->searcher,
                              .worker = job->worker,
                              .output = &search->output};

    search_file(&own, file);
    *failed |= own.error_seen;
    return own.selected;
}

/* Searches a line for a group. */
static bool group_occurs(struct text_scan *scan, struct line_search *search, size_t index,
                         const uint8_t *line, uint64_t count)
{
    struct condition *condition = &scan->job->conditions->items[index];
    const struct trawl_plan *plan = condition->patterns.plan;
    const struct stat status = {.st_mode = S_IFREG, .st_size = (off_t)count};
    const struct open_file file = {.descriptor = -1,
                                   .status = &status,
                                   .name = scan->name,
                                   .bytes = line,
                                   .bytes_count = count};
    uint64_t content = count, found = 0;
    enum trawl_status failed = TRAWL_OK;
    struct trawl_match match;
    struct trawl_range range;
    bool bad = false, selected = false;

    content -= content > 0 && line[content - 1] == scan->settings->line_end;
    content -= scan->settings->crlf && content > 0 && line[content - 1] == '\r';
    if (condition->has_strings) {
        failed = trawl_list_bytes(search->searcher, plan, line, content, 0, &match, 1, &found,
                                  &scan->error);
        selected = found > 0;
    } else if (condition->expressions == 0) {
        selected = is_selected(scan->job, condition, search, &file, &bad);
        scan->job->error_seen |= bad;
    }
    for (size_t i = 0; i < condition->expressions && failed == TRAWL_OK && !selected; i++) {
        struct trawl_line **opened = &search->opened[condition->first + i];

        failed = *opened != NULL ? trawl_line_move(*opened, line, content, &scan->error)
                                 : trawl_line_open(plan, i, line, content, search->searcher, opened,
                                                   &scan->error);
        if (failed == TRAWL_OK)
            failed = trawl_line_match(*opened, 0, &range, 1, &scan->error);
        selected = failed == TRAWL_OK && range.begin != UINT64_MAX;
    }
    if (failed != TRAWL_OK)
        scan_fail(scan, failed);
    return selected;
}

/* Returns true if a line, given with its line end, meets all conditions. */
static bool line_meets(struct text_scan *scan, const uint8_t *line, uint64_t count)
{
    const struct conditions *conditions = scan->job->conditions;
    struct line_search *search = open_line_search(scan->job);

    if (search == NULL)
        scan_fail(scan, TRAWL_MEMORY);
    for (size_t i = 0; search != NULL && i < conditions->count; i++)
        if (group_occurs(scan, search, i, line, count) == conditions->items[i].negated ||
            scan->status != TRAWL_OK)
            return false;
    return search != NULL;
}

/* Copies the rest of a stream to a file in memory. Returns its descriptor, or -1: errno says why.
 * *bytes_count: its size. */
static int keep_stream(struct command_job *job, int from, off_t *bytes_count)
{
    uint8_t bytes[SIZE_ROOM(STREAM_SIZES)];
    int to = memfd_create("stream", MFD_CLOEXEC), os_code = 0;
    ssize_t got = 1;

    while (to >= 0 && got != 0) {
        got = read(from, bytes, SIZE_OR_SMALL(STREAM_SIZES));
        if (got < 0 && errno == EINTR)
            continue;
        errno = got < 0 ? errno : ENOMEM;
        if (got >= 0 && guard_take(job->settings->guard, (uint64_t)got) &&
            write(to, bytes, (size_t)got) == got)
            continue;
        os_code = errno;
        conditions_drop(job, to);
        to = -1;
    }
    if (os_code != 0)
        errno = os_code;
    *bytes_count = to >= 0 ? lseek(to, 0, SEEK_CUR) : 0;
    return to >= 0 && lseek(to, 0, SEEK_SET) == 0 ? to : -1;
}

void conditions_drop(struct command_job *job, int descriptor)
{
    guard_give(job->settings->guard, (uint64_t)lseek(descriptor, 0, SEEK_END));
    (void)close(descriptor);
}

bool conditions_of_file(struct command_job *job, struct open_file *file, struct stat *status)
{
    const struct conditions *conditions = job->conditions;
    struct line_search *search = open_line_search(job);
    struct pre *const pre = file->pre;
    bool meets = search != NULL, failed = search == NULL;
    off_t begin = file->bytes != NULL ? 0 : lseek(file->descriptor, 0, SEEK_CUR);

    if (begin < 0 && errno == ESPIPE) {
        file->descriptor = keep_stream(job, file->descriptor, &status->st_size);
        begin = file->descriptor < 0 ? -1 : 0;
    }
    if (failed)
        job_fail(job, MESSAGE_EXHAUSTED);
    file->pre = NULL; /* the last search ends the command */
    for (size_t i = 0; meets && !failed && begin >= 0 && i < conditions->count; i++) {
        meets = is_selected(job, &conditions->items[i], search, file, &failed) !=
                conditions->items[i].negated;
        if (file->bytes == NULL) /* the next search begins where this one began */
            begin = lseek(file->descriptor, begin, SEEK_SET);
    }
    file->pre = pre;
    if (begin < 0)
        job_file_error(job, file->name, errno);
    job->error_seen |= failed;
    return meets && !failed && begin >= 0;
}
