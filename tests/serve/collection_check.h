/* collection_check: compares a collection's current state, which lists its files at one moment,
 * with the disk, byte by byte. A block has the bytes of many files in memory. A file is held if a
 * block has its bytes. */
#ifndef TESTS_SERVE_COLLECTION_CHECK_H
#define TESTS_SERVE_COLLECTION_CHECK_H

#include "serve/collection_tree.h"

/* The files on the disk below the root, in any order; bytes: the sum of their sizes; closed: number
 * of unreadable files. */
static struct {
    char paths[4096][64];
    size_t count, bytes, closed;
    bool has_closed_folder;
} disk;

/* The collection skips files that are larger than this. */
static off_t disk_bytes_max = INT64_MAX;

/* What the collection skips because of its options or .ignore, besides files larger than
 * disk_bytes_max. */
static enum heeded {
    HEEDS_NONE,
    HEEDS_FILE,    /* .ignore: f1, in every directory */
    HEEDS_FOLDER,  /* .ignore: the directory d2/s; f3, in every directory */
    HEEDS_FOLDERS, /* --exclude-dir=s */
    HEEDS_NAMES,   /* --include=f1* */
    HEEDS_GLOBS    /* -g !s -g !f2 */
} heeds;
static const char *const rules[] = {"", "f1\n", "/d2/s/\nf3\n"};

static bool is_left_out(const char *path, const char *name)
{
    switch (heeds) {
    case HEEDS_FILE:
        return name[0] == '.' || strcmp(name, "f1") == 0;
    case HEEDS_FOLDER:
        return name[0] == '.' || strcmp(name, "f3") == 0 || strncmp(path, "d2/s/", 5) == 0;
    case HEEDS_FOLDERS:
        return strstr(path, "/s/") != NULL;
    case HEEDS_NAMES:
        return strncmp(name, "f1", 2) != 0;
    case HEEDS_GLOBS:
        return strstr(path, "/s/") != NULL || strcmp(name, "f2") == 0;
    case HEEDS_NONE:
        break;
    }
    return false;
}

static int list_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    disk.has_closed_folder = disk.has_closed_folder || type == FTW_DNR;
    if (type == FTW_F && S_ISREG(status->st_mode) && disk.count < 4096 &&
        status->st_size <= disk_bytes_max && !is_left_out(path + 2, path + at->base)) {
        (void)snprintf(disk.paths[disk.count++], 64, "%s", path + 2);
        disk.bytes += (size_t)status->st_size;
        disk.closed += (status->st_mode & S_IRUSR) == 0;
    }
    return 0;
}

static void list_disk(void)
{
    disk.count = disk.bytes = disk.closed = 0;
    disk.has_closed_folder = false;
    TEST_CHECK(chdir(root) == 0 && nftw(".", list_entry, 32, FTW_PHYS) == 0 && chdir(top) == 0);
}

static uint8_t *read_all(const char *path, size_t *count)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    uint8_t *bytes = NULL;

    *count = 0;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
        (bytes = malloc((size_t)status.st_size + 1)) != NULL)
        *count = (size_t)read(descriptor, bytes, (size_t)status.st_size);
    if (descriptor >= 0)
        close(descriptor);
    return bytes;
}

/* ---- States ---------------------------------------------------------------------------------- */

/* Checks that in each block every file is complete and followed by a line end, and that the bytes
 * of each held file are in a single place (its range) of a single block. */
static void check_tape(const struct state *state)
{
    uint64_t held = 0;

    for (uint32_t i = 0; i < state->block_count; i++) {
        const struct tape_block *tape = &state->blocks[i];
        const struct served_block *block = tape->block;
        uint64_t next = 0, live = 0, count = 0;

        TEST_CHECK(i == 0 || state->blocks[i - 1].live_bytes >= tape->live_bytes);
        for (uint64_t r = 0; r < block->range_count; r++) {
            const struct tape_range *range = &block->ranges[r];
            const struct served_file *file = state_file_at(state, block, range);

            TEST_CHECK(range->begin == next && range->end < block->bytes_count);
            TEST_CHECK(block->bytes[range->end] == '\n');
            next = range->end + 1;
            if (file == NULL)
                continue;
            TEST_CHECK(file == state->files[range->file]);
            TEST_CHECK(range->end - range->begin == file->supplied.bytes_count);
            live += range->end + 1 - range->begin;
            count++;
        }
        TEST_CHECK_U64(next, block->bytes_count);
        TEST_CHECK_U64(tape->live_bytes, live);
        TEST_CHECK_U64(tape->file_count, count);
        TEST_CHECK(count > 0);
        held += count;
    }
    TEST_CHECK_U64(held + state->unheld_count, state->file_count);
}

static bool has_hole(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};
    bool is_open = descriptor >= 0 && fstat(descriptor, &status) == 0;
    off_t hole = is_open ? lseek(descriptor, 0, SEEK_HOLE) : -1;

    if (descriptor >= 0)
        close(descriptor);
    return hole >= 0 && hole < status.st_size;
}

static void check_file(const struct state *state, const char *path, uint32_t *unplain)
{
    uint32_t index = state_find(state, path);
    const struct served_file *file;
    char name[PATH_BYTES * 3];
    uint8_t *bytes;
    size_t count;

    if (!TEST_CHECK(index != UINT32_MAX)) {
        printf("%s is missing\n", path);
        return;
    }
    file = state->files[index];
    TEST_CHECK(strcmp(file->path, path) == 0);
    *unplain += file->block != NULL && !file->is_plain;
    (void)snprintf(name, sizeof name, "%s/%s", root, path);
    if (file->block != NULL && !state->shelf->unpacks)
        TEST_CHECK(file->is_plain == !has_hole(name));
    if (!file->is_plain || file->block == NULL) {
        TEST_CHECK(file->supplied.bytes == NULL);
        return;
    }
    bytes = read_all(name, &count);
    if (!TEST_CHECK(bytes != NULL && count == file->supplied.bytes_count &&
                    (uint64_t)file->supplied.status.st_size == count &&
                    memcmp(bytes, file->supplied.bytes, count) == 0))
        printf("%s differs\n", path);
    free(bytes);
}

/* Checks that the current state equals the disk. Returns how many readable files are not held. */
static uint32_t check_now(struct collection *collection)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state = collection_now(collection, message);
    uint32_t unheld, unplain = 0;

    if (!TEST_CHECK(state != NULL)) {
        printf("%s\n", message);
        return 0;
    }
    list_disk();
    TEST_CHECK_U64(state->file_count, disk.count);
    TEST_CHECK_U64(state->bytes_count, disk.bytes);
    for (size_t i = 0; i < disk.count; i++)
        check_file(state, disk.paths[i], &unplain);
    check_tape(state);
    TEST_CHECK_U64(state->unplain_count, unplain);
    TEST_CHECK(!disk.has_closed_folder || state->order->reported_count > 0);
    unheld = state->unheld_count - (uint32_t)disk.closed;
    state_drop(state);
    return unheld;
}

/* Returns true if the current state holds the file's bytes. */
static bool is_held(struct collection *collection, const char *path)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state = collection_now(collection, message);
    bool held = state != NULL && state->files[state_find(state, path)]->block != NULL;

    state_drop(state);
    return held;
}

/* ---- Changes -------------------------------------------------------------------------- */

static void change_folder_at_random(struct test_random *random)
{
    char path[PATH_BYTES * 3], other[PATH_BYTES * 3];

    name_folder(path, random);
    name_folder(other, random);
    if (test_random_one_in(random, 3))
        remove_tree(path);
    else if (test_random_one_in(random, 2))
        (void)rename(path, other);
    (void)mkdir(path, 0755);
}

static void change_at_random(struct test_random *random)
{
    static char last[PATH_BYTES * 3]; /* a file that was written recently */
    char path[PATH_BYTES * 3], other[PATH_BYTES * 3];

    name_file(path, random);
    name_file(other, random);
    switch (test_random_below(random, 14)) {
    case 0:
        (void)unlink(path);
        break;
    case 1:
        (void)rename(path, other);
        break;
    case 2:
        (void)truncate(path, (off_t)test_random_below(random, 50));
        break;
    case 3:
        change_folder_at_random(random);
        break;
    case 4:
        (void)chmod(path, test_random_one_in(random, 2) ? 0 : 0644);
        if ((heeds != HEEDS_FILE && heeds != HEEDS_FOLDER) || !test_random_one_in(random, 4))
            break;
        heeds = heeds == HEEDS_FILE ? HEEDS_FOLDER : HEEDS_FILE;
        put("random/.ignore", rules[heeds]);
        break;
    case 5:
    case 6:
        write_again(last, random);
        break;
    default:
        write_at_random(path, random);
        if (test_random_one_in(random, 3))
            (void)strcpy(last, path);
    }
}

#endif
