/* tree: the tree of small files that `trawl-bench commands` searches, with ignore files in it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/tree.h"
#include "bench/util.h"

#define FILES_A_FOLDER 40u
#define FOLDERS_A_TOP 32u
#define TREE_SEED 29u
#define FILE_BYTES_LEAST 1024u

/* Every tenth file is an object file; every eighth folder of a top is one for build results. */
static const char *const file_ends[10] = {"c", "h", "c", "py", "c", "h", "rs", "c", "txt", "o"};

static const char *const root_rules = "# made by the benchmark\n*.o\nbuild-*/\n/top-1/*.txt\n";
static const char *const top_rules = "!keep.o\n**/old/*.rs\n*.tmp\n";

static void top_path(const struct tree *tree, uint32_t top, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/top-%u", tree->folder, top);
}

static void folder_path(const struct tree *tree, uint32_t folder, char path[PATH_MAX])
{
    uint32_t within = folder % FOLDERS_A_TOP;

    snprintf(path, PATH_MAX, "%s/top-%u/%s-%u", tree->folder, folder / FOLDERS_A_TOP,
             within % 8 == 7 ? "build" : "part", within);
}

static void file_path(const struct tree *tree, uint32_t number, char path[PATH_MAX])
{
    char folder[PATH_MAX];

    folder_path(tree, number / FILES_A_FOLDER, folder);
    snprintf(path, PATH_MAX, "%.*s/file-%u.%s", (int)(PATH_MAX - 32), folder, number,
             file_ends[number % 10]);
}

static void rules_path(const struct tree *tree, const char *folder, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/.ignore", (int)(PATH_MAX - 32),
             folder != NULL ? folder : tree->folder);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0700) != 0)
        fail("%s: %s", path, strerror(errno));
}

static void write_whole(const char *path, const void *bytes, uint64_t count)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    if (fwrite(bytes, 1, count, file) != count || fclose(file) != 0)
        fail("%s: could not be written", path);
}

/* Whole lines of the source: from after a line end on, up to after another. */
static uint64_t write_lines(const struct tree *tree, const struct source *source,
                            struct seeded *seeded)
{
    uint64_t bytes =
        FILE_BYTES_LEAST + seeded_below(seeded, 2 * (TREE_FILE_BYTES_MEAN - FILE_BYTES_LEAST));
    uint64_t begin, end;
    char path[PATH_MAX];

    if (bytes > source->bytes_count)
        bytes = source->bytes_count;
    begin = seeded_below(seeded, source->bytes_count - bytes + 1);
    end = begin + bytes;
    while (begin > 0 && source->bytes[begin - 1] != '\n')
        begin--;
    while (end > begin + 1 && source->bytes[end - 1] != '\n')
        end--;
    file_path(tree, tree->files_count, path);
    write_whole(path, source->bytes + begin, end - begin);
    return end - begin;
}

void tree_write(struct tree *tree, const char *folder, uint64_t bytes, const struct source *source)
{
    struct seeded seeded = {TREE_SEED};
    char path[PATH_MAX], rules[PATH_MAX];

    snprintf(tree->folder, sizeof tree->folder, "%s", folder);
    make_folder(folder);
    rules_path(tree, NULL, rules);
    write_whole(rules, root_rules, strlen(root_rules));
    while (tree->bytes < bytes) {
        if (tree->files_count % (FILES_A_FOLDER * FOLDERS_A_TOP) == 0) {
            top_path(tree, tree->files_count / (FILES_A_FOLDER * FOLDERS_A_TOP), path);
            make_folder(path);
            rules_path(tree, path, rules);
            write_whole(rules, top_rules, strlen(top_rules));
        }
        if (tree->files_count % FILES_A_FOLDER == 0) {
            folder_path(tree, tree->files_count / FILES_A_FOLDER, path);
            make_folder(path);
        }
        tree->bytes += write_lines(tree, source, &seeded);
        tree->files_count++;
    }
    sync(); /* a writer in the background is a contender for the machine */
}

void tree_delete(const struct tree *tree)
{
    uint32_t folders = tree->files_count / FILES_A_FOLDER + 1, tops = folders / FOLDERS_A_TOP + 1;
    char path[PATH_MAX], rules[PATH_MAX];

    if (tree->folder[0] == '\0')
        return;
    for (uint32_t i = 0; i <= tree->files_count; i++) { /* the last may be half written */
        file_path(tree, i, path);
        unlink(path);
    }
    for (uint32_t i = 0; i < folders; i++) {
        folder_path(tree, i, path);
        rmdir(path);
    }
    for (uint32_t i = 0; i < tops; i++) {
        top_path(tree, i, path);
        rules_path(tree, path, rules);
        unlink(rules);
        rmdir(path);
    }
    rules_path(tree, NULL, rules);
    unlink(rules);
    rmdir(tree->folder);
}
