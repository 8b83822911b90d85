/* blocks: reads many files into one block of memory, which is searched as a single text. A batch is
 * a set of changed files whose bytes go into one new block. */
#include "serve/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trawl/text/command_clock.h"
#include "trawl/text/message.h"
#include "trawl/text/grow.h"
#include "trawl/text/thread.h"
#include "trawl/text/calls.h"
#include "trawl.h"

/* At most this many blocks of a collection are kept on GPUs. All GPUs together have room for 256
 * parts of texts (CUDA_RESIDENT_MAX), and a block may be split over all GPUs. */
#define LOADED_MAX 24u
/* A shorter block is not loaded onto GPUs, because only few blocks can be loaded. */
#define LOADED_BYTES_MIN (UINT64_C(1) << 20)
#define FILTER_SHARE 7u /* a filter takes at most 1 / FILTER_SHARE of the block's bytes */
#define HUGE_BYTES (UINT64_C(2) << 20) /* size of a huge page */
/* maximum number of threads that read files at the same time, including the collection's thread */
#define READERS_MAX 8u
/* The number of additional threads that read the files of a batch: bytes / READER_BYTES + files /
 * READER_FILES, at most READERS_MAX - 1, and fewer than twice the number of cores. */
#define READER_BYTES (UINT64_C(1) << 20)
#define READER_FILES 64u
#define RECENT_NS (SECOND_NS / 10) /* timestamps of a file system may be as coarse as this */
#define UNPACKED_BYTES_MAX (UINT64_C(1) << 30)

/* Opens a path below a directory, directory by directory: for kernels that lack openat2 or do not
 * permit it, and for paths too long for openat2. */
static int open_by_parts(int directory, const char *path, int flags)
{
    int descriptor = fcntl(directory, F_DUPFD_CLOEXEC, 0);

    while (descriptor >= 0) {
        size_t bytes = strcspn(path, "/");
        const char *rest = path + bytes + strspn(path + bytes, "/");
        char *part = strndup(path, bytes);
        int next, os_code;

        next = part == NULL ? -1
                            : openat(descriptor, part,
                                     *rest == '\0' ? flags | O_NOFOLLOW
                                                   : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        os_code = errno;
        free(part);
        close(descriptor);
        errno = os_code;
        if (*rest == '\0')
            return next;
        descriptor = next;
        path = rest;
    }
    return -1;
}

int open_below(int directory, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    long descriptor;
    int tries = 0;

    if (*path == '\0')
        path = ".";
    do {
        descriptor = syscall(SYS_openat2, directory, path, &how, sizeof how);
    } while (descriptor < 0 && (errno == EAGAIN || errno == EINTR) && ++tries < 100);
    if (descriptor < 0 && (errno == ENOSYS || errno == EPERM || errno == ENAMETOOLONG))
        return open_by_parts(directory, path, flags);
    return (int)descriptor;
}

bool shelf_open(struct shelf *shelf, struct trawl_runtime *runtime, char *message)
{
    static const uint8_t absent[] = {0xff, 0xfe, 0xfd, 0xfc};
    const struct trawl_pattern pattern = {absent, sizeof absent};
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_error error = {0};

    options.runtime = runtime;
    (void)pthread_mutex_init(&shelf->lock, NULL);
    (void)pthread_mutex_init(&shelf->states_lock, NULL);
    if (trawl_plan_build(&pattern, 1, NULL, &shelf->plan, &error) == TRAWL_OK &&
        trawl_searcher_open(&options, &shelf->searcher, &error) == TRAWL_OK)
        return true;
    shelf_close(shelf);
    return message_fail(message, "%s", error.message);
}

void shelf_close(struct shelf *shelf)
{
    if (shelf->searcher != NULL)
        trawl_searcher_close(shelf->searcher);
    if (shelf->plan != NULL)
        trawl_plan_free(shelf->plan);
    (void)pthread_mutex_destroy(&shelf->lock);
    (void)pthread_mutex_destroy(&shelf->states_lock);
}

uint64_t shelf_room(const struct shelf *shelf)
{
    uint64_t used = atomic_load(&shelf->mapped_bytes);

    return used < shelf->bytes_max ? shelf->bytes_max - used : 0;
}

/* Returns true if GPUs search the loaded text: runs a search, for a string too short for a filter,
 * and checks whether a GPU took part. If the searcher has only CPU workers, there are no GPUs, and
 * shelf->no_devices is set. */
static bool is_on_devices(struct shelf *shelf, struct trawl_text *text)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_error error;
    uint64_t count;

    if (trawl_count(shelf->searcher, shelf->plan, text, &count, &error) != TRAWL_OK ||
        trawl_searcher_stats(shelf->searcher, &stats, &error) != TRAWL_OK)
        return false;
    if (stats.worker_count == 1)
        shelf->no_devices = true;
    return stats.device_chunk_count > 0;
}

/* Loads a block onto GPUs, if it is long enough, few blocks are loaded, and a GPU has room; else
 * makes its filter, if there is memory for one. */
static void load_block(struct shelf *shelf, struct served_block *block)
{
    struct trawl_error error;
    bool for_devices, has_room = shelf_room(shelf) >= block->bytes_count / FILTER_SHARE;

    pthread_mutex_lock(&shelf->lock);
    for_devices = !shelf->no_devices && shelf->loaded_count < LOADED_MAX &&
                  block->bytes_count >= LOADED_BYTES_MIN;
    if ((for_devices || (shelf->no_devices && shelf->filters && has_room)) &&
        trawl_text_load(shelf->searcher, block->text, &error) == TRAWL_OK) {
        block->on_device = for_devices && is_on_devices(shelf, block->text);
        block->filter_bytes = describe_text(block->text).filter_bytes;
        if (block->on_device)
            shelf->loaded_count++;
        else if (block->filter_bytes == 0 || !has_room)
            trawl_text_unload(shelf->searcher, block->text);
        block->filter_bytes = describe_text(block->text).filter_bytes;
        atomic_fetch_add(&shelf->mapped_bytes, block->filter_bytes);
    }
    pthread_mutex_unlock(&shelf->lock);
}

static void free_block(struct served_block *block, struct shelf *shelf)
{
    if (block->text != NULL)
        trawl_text_close(block->text);
    if (block->bytes != NULL && munmap(block->bytes, block->mapped_bytes) == 0)
        atomic_fetch_sub(&shelf->mapped_bytes, block->mapped_bytes);
    free(block->ranges);
    free(block);
}

/* Makes an empty block with room for the files to be held. Returns NULL if out of memory. */
static struct served_block *make_block(const struct file_batch *batch)
{
    struct served_block *block = calloc(1, sizeof *block);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes_count = batch->bytes_count;
    struct trawl_text_options options;
    struct trawl_error error;

    if (block == NULL)
        return NULL;
    atomic_init(&block->file_count, 1);
    block->ranges = malloc((batch->count + 1) * sizeof *block->ranges);
    block->mapped_bytes = (bytes_count + page - 1) / page * page;
    block->bytes_count = bytes_count;
    block->bytes = mmap(NULL, block->mapped_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->bytes == MAP_FAILED)
        block->bytes = NULL;
    else
        atomic_fetch_add(&batch->shelf->mapped_bytes, block->mapped_bytes);
    options = (struct trawl_text_options)TRAWL_TEXT_MEMORY(block->bytes, bytes_count);
    options.flags = batch->shelf->filters ? TRAWL_TEXT_FILTER : 0;
    if (block->bytes == NULL || block->ranges == NULL ||
        trawl_text_open(NULL, &options, &block->text, &error) != TRAWL_OK) {
        free_block(block, batch->shelf);
        return NULL;
    }
    if (bytes_count >= HUGE_BYTES)
        (void)madvise(block->bytes, block->mapped_bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < batch->count; i++) {
        const struct batch_item *item = &batch->items[i];

        if (item->room > 0)
            block->ranges[block->range_count++] =
                (struct tape_range){item->begin, item->begin + item->room - 1, item->index};
    }
    return block;
}

/* Subtracts 1 from the block's file_count: a file in the block was freed, or the batch that made
 * the block is done. At 0, frees the block. */
static void drop_block(struct served_block *block, struct shelf *shelf)
{
    if (atomic_fetch_sub_explicit(&block->file_count, 1, memory_order_acq_rel) != 1)
        return;
    if (block->on_device || block->filter_bytes > 0) {
        pthread_mutex_lock(&shelf->lock);
        trawl_text_unload(shelf->searcher, block->text);
        shelf->loaded_count -= block->on_device;
        pthread_mutex_unlock(&shelf->lock);
        atomic_fetch_sub(&shelf->mapped_bytes, block->filter_bytes);
    }
    free_block(block, shelf);
}

void served_file_free(struct served_file *file, struct shelf *shelf)
{
    if (file != NULL && file->block != NULL)
        drop_block(file->block, shelf);
    free(file);
}

static struct batch_item *add_item(struct file_batch *batch, uint32_t index)
{
    if (!GROW(batch->items, batch->capacity, 64, batch->count + 1))
        return NULL;
    batch->items[batch->count] = (struct batch_item){.index = index};
    return &batch->items[batch->count++];
}

bool batch_fits(const struct file_batch *batch, const struct stat *status, uint64_t bytes_max)
{
    return batch->bytes_count + (uint64_t)status->st_size < bytes_max;
}

struct served_file *batch_make(struct file_batch *batch, uint32_t index, const char *path,
                               const struct stat *status, bool is_to_be_held)
{
    size_t bytes = strlen(path) + 1;
    struct served_file *file = calloc(1, sizeof *file + bytes);
    struct batch_item *item = file == NULL ? NULL : add_item(batch, index);

    if (item == NULL) {
        free(file);
        return NULL;
    }
    file->supplied.status = *status;
    file->is_plain = true;
    memcpy(file->path, path, bytes);
    item->made = file;
    item->room = is_to_be_held ? (uint64_t)status->st_size + 1 : 0;
    batch->bytes_count += item->room;
    return file;
}

bool batch_copy(struct file_batch *batch, uint32_t index, const struct served_file *source)
{
    struct served_file *made =
        batch_make(batch, index, source->path, &source->supplied.status, false);
    struct batch_item *item;

    if (made == NULL)
        return false;
    item = &batch->items[batch->count - 1];
    made->is_plain = source->is_plain;
    made->recent = source->recent;
    item->source = source;
    item->room = source->supplied.bytes_count + 1;
    batch->bytes_count += item->room;
    return true;
}

bool batch_remove(struct file_batch *batch, uint32_t index)
{
    return add_item(batch, index) != NULL;
}

void batch_close(struct file_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        free(batch->items[i].unpacked);
        served_file_free(batch->items[i].made, batch->shelf);
    }
    free(batch->items);
    if (batch->block != NULL)
        drop_block(batch->block, batch->shelf);
}

bool same_status(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
           one->st_size == other->st_size && one->st_mode == other->st_mode &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
           one->st_mtim.tv_nsec == other->st_mtim.tv_nsec &&
           one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
           one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* Stores the status of a file that was just opened. A file that changed within RECENT_NS is marked,
 * because another change may leave the times unchanged: file systems take times from the kernel's
 * coarse clock, which stands still between two ticks. On a busy virtual machine the next tick may
 * come 0.7 s late, so this function reads the same clock. */
static void set_status(struct served_file *file, const struct stat *status)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    file->supplied.status = *status;
    file->recent = ((int64_t)now.tv_sec - status->st_ctim.tv_sec) * (int64_t)SECOND_NS +
                       (now.tv_nsec - status->st_ctim.tv_nsec) <
                   (int64_t)RECENT_NS;
}

/* Reads up to `max` bytes from the file's start, and returns the number. Returns -1 on an error;
 * errno says why. */
static int64_t read_bytes(int descriptor, uint8_t *bytes, uint64_t max)
{
    uint64_t used = 0;

    while (used < max) {
        ssize_t got = pread(descriptor, bytes + used, (size_t)(max - used), (off_t)used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        used += (uint64_t)got;
    }
    return (int64_t)used;
}

struct unpacking {
    uint8_t *bytes;
    size_t used, capacity;
    uint64_t max; /* maximum number of decompressed bytes of a file that is held */
};

static int take_unpacked(void *context, const struct trawl_window *window)
{
    struct unpacking *unpacking = context;
    size_t wanted = unpacking->used + window->bytes_count;

    if (wanted > unpacking->max || !GROW(unpacking->bytes, unpacking->capacity, 4096, wanted + 1))
        return 1;
    memcpy(unpacking->bytes + unpacking->used, window->bytes, window->bytes_count);
    unpacking->used = wanted;
    return 0;
}

/* Decompresses a compressed file into item->unpacked, before the file gets a place in the block.
 * Returns false if the file cannot be held. */
static bool unpack(struct file_batch *batch, struct batch_item *item, int descriptor)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct unpacking unpacking = {.max = shelf_room(batch->shelf)};
    struct trawl_searcher *reader = NULL;
    struct trawl_text *text = NULL;
    struct trawl_error error;
    struct stat before, after;
    bool good =
        fstat(descriptor, &before) == 0 && same_status(&before, &item->made->supplied.status);

    if (unpacking.max > UNPACKED_BYTES_MAX)
        unpacking.max = UNPACKED_BYTES_MAX;
    options.engine = TRAWL_ENGINE_CPU;
    options.threads = 1;
    good = good && trawl_searcher_open(&options, &reader, &error) == TRAWL_OK &&
           open_descriptor(descriptor, NULL, TRAWL_TEXT_UNPACK, &text, &error) == TRAWL_OK &&
           trawl_windows(reader, batch->shelf->plan, text, TRAWL_NO_MATCHES, take_unpacked,
                         &unpacking, &error) == TRAWL_OK &&
           fstat(descriptor, &after) == 0 && same_status(&before, &after);
    if (text != NULL)
        trawl_text_close(text);
    if (reader != NULL)
        trawl_searcher_close(reader);
    if (good && unpacking.bytes == NULL)
        good = (unpacking.bytes = malloc(1)) != NULL;
    if (!good) {
        free(unpacking.bytes);
        return false;
    }
    set_status(item->made, &after);
    item->made->is_plain = false;
    item->unpacked = unpacking.bytes;
    item->room = unpacking.used + 1;
    return true;
}

/* Marks a compressed file as not kept in memory, so that each search reads it. */
static void refuse(struct batch_item *item)
{
    item->made->refused = true;
    item->room = 0;
    free(item->unpacked);
    item->unpacked = NULL;
}

/* Decompresses the item's file if it is compressed. If that is impossible, marks the file as
 * refused. */
static void look_for_compressed(struct file_batch *batch, struct batch_item *item)
{
    enum packed_state packed;
    uint8_t head[16];
    int64_t got;
    int descriptor;

    if (item->source != NULL || item->room == 0)
        return;
    descriptor = open_below(batch->shelf->base, item->made->path,
                            O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    got = descriptor < 0 ? -1 : read_bytes(descriptor, head, sizeof head);
    packed = got >= 0 ? packed_state_of(head, (uint64_t)got) : PACKED_NO;
    if (packed == PACKED_UNKNOWN || (packed == PACKED_YES && !unpack(batch, item, descriptor)))
        refuse(item);
    if (descriptor >= 0)
        close(descriptor);
}

/* Reads a file's bytes into the block, and stores the file's status. Returns false if the file
 * changed meanwhile, or cannot be read. */
static bool read_file(struct file_batch *batch, struct batch_item *item, uint8_t *bytes)
{
    struct served_file *made = item->made;
    int descriptor =
        open_below(batch->shelf->base, made->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat before, after;
    off_t hole;
    bool good = descriptor >= 0 && fstat(descriptor, &before) == 0 && S_ISREG(before.st_mode);

    if (good) {
        set_status(made, &before);
        good = (uint64_t)before.st_size + 1 == item->room &&
               read_bytes(descriptor, bytes, item->room) == before.st_size &&
               fstat(descriptor, &after) == 0 && same_status(&before, &after);
        hole = good ? lseek(descriptor, 0, SEEK_HOLE) : -1;
        made->is_plain = hole < 0 || hole >= before.st_size;
    }
    if (descriptor >= 0)
        close(descriptor);
    return good;
}

/* Fills the item's place in the block from a file, another block or a decompressed file. */
static void fill_item(struct file_batch *batch, struct batch_item *item)
{
    struct served_file *made = item->made;
    uint8_t *bytes = batch->block->bytes + item->begin;
    bool good = true;

    if (item->room == 0)
        return;
    if (item->source != NULL)
        memcpy(bytes, item->source->block->bytes + item->source->block_begin, item->room - 1);
    else if (item->unpacked != NULL)
        memcpy(bytes, item->unpacked, item->room - 1);
    else
        good = read_file(batch, item, bytes);
    free(item->unpacked);
    item->unpacked = NULL;
    /* A line end follows each file, even if reading failed. */
    bytes[item->room - 1] = '\n';
    made->refused = !good;
    if (!good)
        return;
    made->supplied.bytes = made->is_plain ? bytes : NULL;
    made->supplied.bytes_count = item->room - 1;
    made->block = batch->block;
    made->block_begin = item->begin;
    atomic_fetch_add_explicit(&batch->block->file_count, 1, memory_order_relaxed);
}

static void *fill_items(void *context)
{
    struct file_batch *batch = context;
    size_t at;

    while ((at = atomic_fetch_add(&batch->next, 1)) < batch->count)
        if (batch->block == NULL)
            look_for_compressed(batch, &batch->items[at]);
        else
            fill_item(batch, &batch->items[at]);
    return NULL;
}

/* Runs fill_items over all items, in several threads if there are many bytes or files. */
static void for_all_items(struct file_batch *batch)
{
    uint64_t wanted = batch->bytes_count / READER_BYTES + batch->count / READER_FILES;
    uint32_t cores = thread_cores();
    pthread_t readers[READERS_MAX];
    uint32_t count = 0;

    atomic_store(&batch->next, 0);
    while (count < wanted && count + 1 < READERS_MAX && count + 1 < cores * 2 &&
           pthread_create(&readers[count], NULL, fill_items, batch) == 0)
        count++;
    (void)fill_items(batch);
    for (uint32_t i = 0; i < count; i++)
        (void)pthread_join(readers[i], NULL);
}

bool batch_fill(struct file_batch *batch)
{
    if (batch->shelf->unpacks)
        for_all_items(batch);
    batch->bytes_count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->items[i].unpacked != NULL &&
            batch->bytes_count + batch->items[i].room > shelf_room(batch->shelf))
            /* the batch was planned by compressed sizes, and the decompressed bytes do not fit */
            refuse(&batch->items[i]);
        batch->items[i].begin = batch->bytes_count;
        batch->bytes_count += batch->items[i].room;
    }
    if (batch->bytes_count == 0)
        return true;
    batch->block = make_block(batch);
    if (batch->block == NULL)
        return false;
    for_all_items(batch);
    load_block(batch->shelf, batch->block);
    return true;
}
