/* files: the files that `trawl-bench commands` searches. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/files.h"
#include "bench/util.h"

#define WRITE_BYTES (4u << 20)
#define SMALL_BYTES 1024u
#define MEDIUM_BYTES 10000000u
#define DNA_LINE_BYTES 70u
#define LETTERS_LINE_BYTES 79u
#define LETTERS_SEED 3u
#define PATTERN_SEED 11u
#define PATTERN_TRIES 1000u

static const char *const file_names[FILE_KINDS] = {"english", "dna70",  "dna", "letters",
                                                   "small",   "medium", "tree"};

/* A text in lines of line_bytes, line ends included; 0: as it is. Written piece by piece, so that
 * this process stays small: a child starts with its parent's memory in its account. */
static void write_text(const char *path, uint64_t bytes, const struct source *source,
                       uint64_t line_bytes)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    uint8_t *piece = (uint8_t *)allocate(WRITE_BYTES);
    uint64_t done = 0, from = 0;

    if (descriptor < 0)
        fail("%s: %s", path, strerror(errno));
    while (done < bytes) {
        uint64_t wanted = bytes - done < WRITE_BYTES ? bytes - done : WRITE_BYTES, written = 0;

        for (uint64_t i = 0; i < wanted; i++) {
            bool line_end = line_bytes > 0 && (done + i) % (line_bytes + 1) == line_bytes;

            piece[i] = line_end ? '\n' : source->bytes[from];
            from = line_end ? from : from + 1 < source->bytes_count ? from + 1 : 0;
        }
        if (done + wanted == bytes)
            piece[wanted - 1] = '\n';
        while (written < wanted) {
            ssize_t step = write(descriptor, piece + written, wanted - written);

            if (step < 0 && errno != EINTR)
                fail("%s: %s", path, strerror(errno));
            written += step > 0 ? (uint64_t)step : 0;
        }
        done += wanted;
    }
    /* On the disk before anything is timed: a writer in the background is a third contender. */
    if (fdatasync(descriptor) != 0 || close(descriptor) != 0)
        fail("%s: %s", path, strerror(errno));
    free(piece);
}

static void letters_source(struct source *source)
{
    source->bytes_count = WRITE_BYTES;
    source->bytes = (uint8_t *)allocate(WRITE_BYTES);
    text_fill_letters(source->bytes, WRITE_BYTES, LETTERS_SEED);
    snprintf(source->name, sizeof source->name, "random letters a-z, even odds");
}

static void make_tree(struct files *files, const struct options *options)
{
    struct source source = {0};
    char path[sizeof files->tree.folder];

    source_code(options, &source);
    snprintf(path, sizeof path, "%.*s/tree", (int)(sizeof path - 8), files->folder);
    snprintf(files->path[FILE_TREE], sizeof files->path[FILE_TREE], "%s", path);
    tree_write(&files->tree, path, options->text_bytes, &source);
    files->bytes[FILE_TREE] = files->tree.bytes;
    snprintf(files->text[FILE_TREE], sizeof files->text[FILE_TREE], "%s, %u files with .ignore",
             source.name, (unsigned)files->tree.files_count);
    source_free(&source);
}

void files_make(struct files *files, const struct options *options, enum file_kind kind)
{
    struct source source = {0};
    uint64_t line_bytes = 0;
    char lines[32] = "", path[PATH_MAX];

    if (files->path[kind][0] != '\0')
        return;
    if (kind == FILE_TREE) {
        make_tree(files, options);
        return;
    }
    if (kind == FILE_ENGLISH || kind == FILE_SMALL || kind == FILE_MEDIUM)
        source_english(options, &source);
    else if (kind == FILE_LETTERS)
        letters_source(&source);
    else
        source_dna(options, &source);
    if (kind == FILE_DNA70)
        line_bytes = DNA_LINE_BYTES;
    if (kind == FILE_LETTERS)
        line_bytes = LETTERS_LINE_BYTES;
    if (line_bytes > 0)
        snprintf(lines, sizeof lines, ", lines of %u", (unsigned)line_bytes);
    snprintf(files->text[kind], sizeof files->text[kind], "%s%s%s", source.name,
             kind == FILE_SMALL ? ", 1 KiB" : ", repeated",
             kind == FILE_DNA ? ", one line" : lines);
    snprintf(path, sizeof path, "%s/%s", files->folder, file_names[kind]);
    memcpy(files->path[kind], path, sizeof path);
    files->bytes[kind] = kind == FILE_SMALL ? SMALL_BYTES : options->text_bytes;
    if (kind == FILE_MEDIUM && files->bytes[kind] > MEDIUM_BYTES)
        files->bytes[kind] = MEDIUM_BYTES;
    write_text(files->path[kind], files->bytes[kind], &source, line_bytes);
    source_free(&source);
}

void files_pattern(const struct files *files, enum file_kind kind, uint64_t pattern_bytes,
                   char pattern[FILE_PATTERN_BYTES_MAX + 1])
{
    struct seeded seeded = {PATTERN_SEED + pattern_bytes};
    uint64_t places = files->bytes[kind] < WRITE_BYTES ? files->bytes[kind] : WRITE_BYTES;
    FILE *file = fopen(files->path[kind], "rb");

    if (file == NULL)
        fail("%s: %s", files->path[kind], strerror(errno));
    for (uint32_t i = 0; i < PATTERN_TRIES; i++) {
        long place = (long)seeded_below(&seeded, places - pattern_bytes);

        if (fseek(file, place, SEEK_SET) != 0 ||
            fread(pattern, 1, pattern_bytes, file) != pattern_bytes)
            fail("%s: could not be read", files->path[kind]);
        pattern[pattern_bytes] = '\0';
        if (strchr(pattern, '\n') == NULL && strlen(pattern) == pattern_bytes) {
            fclose(file);
            return;
        }
    }
    fail("%s: has no line of %u bytes", files->path[kind], (unsigned)pattern_bytes);
}

static const char *other_path(struct files *files, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%.60s", files->folder, name);
    for (uint32_t i = 0; i < files->other_count; i++)
        if (strcmp(files->other[i], path) == 0)
            return files->other[i];
    if (files->other_count == FILES_OTHER_MAX)
        fail("more than %d files", FILES_OTHER_MAX);
    memcpy(files->other[files->other_count], path, sizeof path);
    return files->other[files->other_count++];
}

const char *files_write(struct files *files, const char *name, const uint8_t *bytes,
                        uint64_t bytes_count)
{
    const char *path = other_path(files, name);
    FILE *file = fopen(path, "wb");

    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    if (fwrite(bytes, 1, bytes_count, file) != bytes_count || fflush(file) != 0 ||
        fdatasync(fileno(file)) != 0)
        fail("%s: %s", path, strerror(errno));
    fclose(file);
    return path;
}

/* The files of a run that ends early, by a signal or by fail(). */
static struct files *open_files;

static void close_at_exit(void)
{
    if (open_files != NULL)
        files_close(open_files);
}

/* A signal handler may do little: it has the folder removed by rm. */
static void close_at_signal(int number)
{
    static char rm[] = "rm", all[] = "-rf", end[] = "--";

    if (open_files != NULL) {
        char *const line[] = {rm, all, end, open_files->folder, NULL};
        pid_t child = fork();
        int status;

        if (child == 0) {
            execv("/bin/rm", line);
            _exit(127);
        }
        if (child > 0)
            (void)waitpid(child, &status, 0);
    }
    _exit(128 + number);
}

void files_open(struct files *files, const char *directory)
{
    char folder[sizeof files->folder];

    memset(files, 0, sizeof *files);
    if (snprintf(folder, sizeof folder, "%s/trawl-bench.XXXXXX", directory) >= (int)sizeof folder)
        fail("--directory: too long: %s", directory);
    if (mkdtemp(folder) == NULL)
        fail("%s: %s", directory, strerror(errno));
    memcpy(files->folder, folder, sizeof folder);
    open_files = files;
    atexit(close_at_exit);
    signal(SIGINT, close_at_signal);
    signal(SIGTERM, close_at_signal);
}

void files_close(struct files *files)
{
    tree_delete(&files->tree);
    for (uint32_t kind = 0; kind < FILE_TREE; kind++)
        if (files->path[kind][0] != '\0')
            unlink(files->path[kind]);
    for (uint32_t i = 0; i < files->other_count; i++)
        unlink(files->other[i]);
    rmdir(files->folder);
    open_files = NULL;
}
