/* progress: shows at the terminal how far a search is. */
#include "trawl/job/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/bar.h"
#include "trawl/text/command_clock.h"

#define FIRST_NS (2 * SECOND_NS) /* shorter searches show nothing */
#define NEXT_NS (SECOND_NS / 4)
#define BAR_BYTES 200 /* enough for the texts below, each of at most 31 bytes */

static struct {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t closed;
    pthread_t thread;
    bool is_open; /* the same for as long as texts are searched, so read without the lock, too */
    struct progress_entry *texts;
    uint64_t files, bytes; /* sums over the texts that were searched */
    uint64_t begin_ns;
    const struct value_item *operands;
    size_t operand_count;
    bool may_know_total;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Writes a number of bytes with the largest unit that fits. */
static void format_bytes(char text[32], uint64_t bytes)
{
    static const char units[] = "kMGTPE";
    double count = (double)bytes;
    int unit = -1;

    while (count >= 999.5) {
        count /= 1000;
        unit++;
    }
    if (unit < 0)
        (void)snprintf(text, 32, "%" PRIu64 " B", bytes);
    else
        (void)snprintf(text, 32, "%.*f %cB",
                       count < 9.95   ? 2
                       : count < 99.5 ? 1
                                      : 0,
                       count, units[unit]);
}

/* Writes "1:02:03" or "2:03". */
static void format_time(char text[32], uint64_t seconds)
{
    if (seconds >= 3600)
        (void)snprintf(text, 32, "%" PRIu64 ":%02u:%02u", seconds / 3600,
                       (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
    else
        (void)snprintf(text, 32, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

/* Returns the bytes of all operands, or 0 if some operand's size is not known. */
static uint64_t total_bytes(void)
{
    uint64_t total = 0;
    struct stat status;

    for (size_t i = 0; i < progress.operand_count && progress.may_know_total; i++) {
        if (stat(progress.operands[i].text, &status) != 0 || !S_ISREG(status.st_mode))
            return 0;
        total += (uint64_t)status.st_size;
    }
    if (progress.operand_count == 0 && progress.may_know_total &&
        fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
        total = (uint64_t)status.st_size;
    return total;
}

/* Writes the bar's text. `total`: what total_bytes returned. */
static void format(char text[BAR_BYTES], uint64_t total)
{
    uint64_t bytes, files, elapsed_ns = now_ns() - progress.begin_ns;
    char done[32], all[32], rate[32], left[32];
    double speed;
    int used;

    (void)pthread_mutex_lock(&progress.lock);
    bytes = progress.bytes;
    files = progress.files;
    for (const struct progress_entry *at = progress.texts; at != NULL; at = at->next)
        bytes += trawl_searcher_progress(at->searcher);
    (void)pthread_mutex_unlock(&progress.lock);
    speed = (double)bytes * 1e9 / (double)elapsed_ns;
    format_bytes(done, bytes);
    format_bytes(rate, (uint64_t)speed);
    if (total > 0 && bytes <= total && speed >= 1) {
        format_bytes(all, total);
        format_time(left, (uint64_t)((double)(total - bytes) / speed));
        used = snprintf(text, BAR_BYTES, "%s of %s (%.0f %%), %s/s, %s left", done, all,
                        100 * (double)bytes / (double)total, rate, left);
    } else {
        format_time(left, elapsed_ns / SECOND_NS);
        used = snprintf(text, BAR_BYTES, "%s in %s, %s/s", done, left, rate);
    }
    if (files > 0)
        (void)snprintf(text + used, BAR_BYTES - (size_t)used, ", %" PRIu64 " %s", files,
                       files == 1 ? "file" : "files");
}

/* Waits until a time of the clock. False: progress_close was called. */
static bool wait_until(uint64_t ns)
{
    const struct timespec until = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    bool is_open;

    (void)pthread_mutex_lock(&progress.lock);
    while (progress.is_open && now_ns() < ns)
        (void)pthread_cond_timedwait(&progress.closed, &progress.lock, &until);
    is_open = progress.is_open;
    (void)pthread_mutex_unlock(&progress.lock);
    return is_open;
}

static void *show(void *context)
{
    uint64_t next_ns = progress.begin_ns + FIRST_NS, total = 0;
    char text[BAR_BYTES];

    (void)context;
    for (bool is_first = true; wait_until(next_ns); is_first = false) {
        if (is_first)
            total = total_bytes();
        format(text, total);
        bar_draw(text); /* without the lock: writing to the terminal may block */
        next_ns = now_ns() + NEXT_NS;
    }
    return NULL;
}

void progress_open(bool may_know_total, bool at_terminal, const struct value_item *operands,
                   size_t operand_count)
{
    if (isatty(STDERR_FILENO) == 0)
        return;
    progress.operands = operands;
    progress.operand_count = operand_count;
    progress.may_know_total = may_know_total;
    progress.begin_ns = now_ns();
    progress.is_open = true;
    bar_open(at_terminal);
    if (now_condition(&progress.closed) != 0 ||
        pthread_create(&progress.thread, NULL, show, NULL) != 0) {
        progress.is_open = false; /* search without progress */
        bar_close();
    }
}

void progress_close(void)
{
    if (!progress.is_open)
        return;
    (void)pthread_mutex_lock(&progress.lock);
    progress.is_open = false;
    (void)pthread_cond_signal(&progress.closed);
    (void)pthread_mutex_unlock(&progress.lock);
    (void)pthread_join(progress.thread, NULL);
    (void)pthread_cond_destroy(&progress.closed);
    bar_close();
}

void progress_enter(struct progress_entry *text, const struct trawl_searcher *searcher)
{
    if (!progress.is_open)
        return;
    (void)pthread_mutex_lock(&progress.lock);
    *text = (struct progress_entry){progress.texts, &progress.texts, searcher};
    if (text->next != NULL)
        text->next->link = &text->next;
    progress.texts = text;
    (void)pthread_mutex_unlock(&progress.lock);
}

void progress_leave(struct progress_entry *text, uint64_t bytes)
{
    if (!progress.is_open)
        return;
    (void)pthread_mutex_lock(&progress.lock);
    *text->link = text->next;
    if (text->next != NULL)
        text->next->link = text->link;
    progress.files++;
    progress.bytes += bytes;
    (void)pthread_mutex_unlock(&progress.lock);
}

void progress_add(uint64_t files, uint64_t bytes)
{
    if (!progress.is_open)
        return;
    (void)pthread_mutex_lock(&progress.lock);
    progress.files += files;
    progress.bytes += bytes;
    (void)pthread_mutex_unlock(&progress.lock);
}
