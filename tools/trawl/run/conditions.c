/* conditions: --and and --andnot; with --write, whether a file has a match. Lines that the main
 * group selects are copied one after the other, and searched as one text for each other group.
 * Where the command itself decides about matches, and with --in-file, search_file answers like a
 * search with -q of a text that is a line, or the file. */
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
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

#define STREAM_SIZES 32u << 10, 7u /* bytes of a stream that are read at a time */

struct condition {
    struct settings settings; /* settings of a search for this group with -q */
    struct patterns patterns;
    bool negated;
    bool plan_decides; /* a line meets it if the plan has a match there */
};

struct conditions {
    struct condition *items;
    size_t count;
};

/* What a job has opened to search lines. */
struct line_search {
    struct trawl_searcher *searcher;
    struct output output; /* for searches with -q, which print nothing */
    bool singly;          /* a search of several lines failed, so they are searched one by one */
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
    condition->plan_decides = !patterns->has_empty && !patterns->check.any &&
                              (own->expressions || !(own->crlf && own->whole_lines));
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

static size_t lines_meet(struct text_scan *scan, const uint8_t *bytes, struct line *lines,
                         size_t count);

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
    job->lines_meet = settings->in_file || groups == 0 ? NULL : lines_meet;
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
    if (searchers_open(job, true, &search->searcher, message))
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

/* A search of lines for a group. */
struct together {
    const struct settings *settings;
    const uint8_t *bytes; /* of the view */
    struct line *lines;
    size_t count;
    bool negated;
    size_t at;           /* the line that is decided next: the first from here that fits */
    uint64_t begin, end; /* where it stands in the searched text */
};

/* Returns how many bytes the line has without its line end. */
static uint64_t content_bytes(const struct together *all, const struct line *line)
{
    uint64_t end = line->end;

    end -= end > line->begin && all->bytes[end - 1] == all->settings->line_end;
    end -= all->settings->crlf && end > line->begin && all->bytes[end - 1] == '\r';
    return end - line->begin;
}

/* Goes to the first line from lines[at] that fits. */
static void go_on(struct together *all, size_t at)
{
    while (at < all->count && !all->lines[at].fits)
        at++;
    all->at = at;
    all->begin = all->end;
    all->end += at < all->count ? content_bytes(all, &all->lines[at]) + 1 : 0;
}

static int take_matches(void *context, const struct trawl_window *window)
{
    struct together *all = context;

    for (uint64_t i = 0; i < window->match_count; i++) {
        const uint64_t offset = window->matches[i].begin;

        while (all->at < all->count && all->begin <= offset) {
            all->lines[all->at].fits = (offset < all->end) != all->negated;
            go_on(all, all->at + 1);
        }
    }
    return 0;
}

/* Copies the lines that fit to the scan's buffer, each with a line end. */
static uint64_t copy_lines(struct text_scan *scan, struct together all)
{
    uint64_t count = 0;

    for (; all.at < all.count; go_on(&all, all.at + 1)) {
        const struct line *line = &all.lines[all.at];
        const uint64_t bytes = content_bytes(&all, line);

        if (!SCAN_GROW(scan, scan->together.bytes, scan->together.capacity, count + bytes + 1))
            return 0;
        memcpy(scan->together.bytes + count, all.bytes + line->begin, (size_t)bytes);
        count += bytes;
        scan->together.bytes[count++] = scan->settings->line_end;
    }
    return count;
}

/* Searches the lines that still qualify for one group of patterns, as one text. */
static enum trawl_status search_together(struct text_scan *scan, const struct condition *condition,
                                         const uint8_t *bytes, struct line *lines, size_t count)
{
    struct together all = {.settings = scan->settings,
                           .bytes = bytes,
                           .lines = lines,
                           .count = count,
                           .negated = condition->negated};
    struct trawl_text *text = NULL;
    enum trawl_status status;
    uint64_t copied;

    go_on(&all, 0);
    copied = copy_lines(scan, all);
    if (copied == 0)
        return scan->status;
    status = open_memory(scan->together.bytes, copied, &text, &scan->error);
    if (status == TRAWL_OK)
        status = trawl_windows(scan->job->line_search->searcher, condition->patterns.plan, text,
                               TRAWL_LINES_ALONE, take_matches, &all, &scan->error);
    trawl_text_close(text);
    for (; all.at < all.count; go_on(&all, all.at + 1))
        lines[all.at].fits = condition->negated;
    return status;
}

/* The same, line by line. */
static void search_each(struct text_scan *scan, struct condition *condition, const uint8_t *bytes,
                        struct line *lines, size_t count)
{
    bool bad = false;

    for (size_t i = 0; i < count; i++) {
        const uint64_t length = lines[i].end - lines[i].begin;
        const struct stat status = {.st_mode = S_IFREG, .st_size = (off_t)length};
        const struct open_file file = {.descriptor = -1,
                                       .status = &status,
                                       .name = scan->name,
                                       .bytes = bytes + lines[i].begin,
                                       .bytes_count = length};

        lines[i].fits = lines[i].fits && is_selected(scan->job, condition, scan->job->line_search,
                                                     &file, &bad) != condition->negated;
        scan->job->error_seen |= bad;
    }
}

static enum trawl_status search_groups(struct text_scan *scan, const uint8_t *bytes,
                                       struct line *lines, size_t count)
{
    const struct conditions *conditions = scan->job->conditions;
    enum trawl_status status = TRAWL_OK;

    /* the main group, where it is a condition, is the first, and most lines meet it */
    for (size_t i = conditions->count; status == TRAWL_OK && i-- > 0;)
        if (conditions->items[i].plan_decides)
            status = search_together(scan, &conditions->items[i], bytes, lines, count);
        else
            search_each(scan, &conditions->items[i], bytes, lines, count);
    return status;
}

static size_t lines_meet(struct text_scan *scan, const uint8_t *bytes, struct line *lines,
                         size_t count)
{
    struct line_search *search = open_line_search(scan->job);
    const bool fits = lines[0].fits;
    enum trawl_status status = TRAWL_MEMORY;

    if (search != NULL) {
        count = search->singly ? 1 : count;
        status = search_groups(scan, bytes, lines, count);
        if (status != TRAWL_OK && count > 1) { /* the first lines may be all that is wanted */
            search->singly = true;
            lines[0].fits = fits;
            count = 1;
            status = search_groups(scan, bytes, lines, count);
        }
    }
    if (status != TRAWL_OK)
        scan_fail(scan, status);
    return count;
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
