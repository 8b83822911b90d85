/* answer_fakes: the simplest collection and passes: the command's own walk, and a separate search
 * of each file. The working directory differs from the client's. The hash of a file's name decides
 * whether the file is held, so an answer meets held and unheld files side by side. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/pass.h"
#include "tests/serve/answer_fakes.h"
#include "tests/test.h"
#include "trawl/filter.h"

struct collection {
    const char *name;
    char *root;
};

const bool fake_is_real = false;
unsigned fake_held_share;
atomic_bool fake_pass_hangs;
static struct collection fake;
static struct state *made;

struct collection *fake_collection(const char *name, const char *root,
                                   struct trawl_runtime *runtime)
{
    (void)runtime;
    fake.name = name;
    fake.root = strdup(root);
    return &fake;
}

void fake_close(struct collection *collection)
{
    free(collection->root);
}

static unsigned hash(const char *path)
{
    unsigned sum = 0;

    while (*path != '\0')
        sum = sum * 31 + (uint8_t)*path++;
    return sum;
}

/* Half of the files without `bytes` stand for files that are not plain: a block has their unpacked
 * bytes. */
static int add_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
    const char *below = path + strlen(fake.root) + 1;
    struct served_file *file;
    struct served_block *block;
    int descriptor;

    (void)place;
    if (type != FTW_F || !S_ISREG(status->st_mode))
        return 0;
    file = calloc(1, sizeof *file + strlen(below) + 1);
    block = calloc(1, sizeof *block);
    strcpy(file->path, below);
    file->held.status = *status;
    file->held.bytes_count = (uint64_t)status->st_size;
    block->bytes_count = file->held.bytes_count + 1;
    block->bytes = malloc((size_t)block->bytes_count);
    descriptor = open(path, O_RDONLY);
    TEST_CHECK(read(descriptor, block->bytes, (size_t)status->st_size) == status->st_size);
    close(descriptor);
    block->bytes[status->st_size] = '\n';
    file->is_plain = hash(below) % 4 < fake_held_share;
    file->block = file->is_plain || hash(below) % 8 < 4 ? block : NULL;
    file->held.bytes = file->is_plain ? block->bytes : NULL;
    if (file->block == NULL) {
        free(block->bytes);
        free(block);
    }
    made->files = realloc(made->files, (made->file_count + 1) * sizeof *made->files);
    made->files[made->file_count++] = file;
    made->index_count = made->file_count;
    return 0;
}

struct state *collection_now(struct collection *collection, char *message)
{
    (void)message;
    made = calloc(1, sizeof *made);
    nftw(collection->root, add_file, 20, FTW_PHYS);
    return made;
}

void state_drop(struct state *state)
{
    for (uint32_t i = 0; i < state->file_count; i++) {
        if (state->files[i]->block != NULL)
            free(state->files[i]->block->bytes);
        free(state->files[i]->block);
        free(state->files[i]);
    }
    free(state->files);
    free(state);
}

static uint32_t find(const struct state *state, const char *name)
{
    char *path = realpath(name, NULL);
    bool is_below = strlen(path) > strlen(fake.root);
    uint32_t at = is_below ? 0 : state->file_count;

    while (at < state->file_count &&
           strcmp(state->files[at]->path, path + strlen(fake.root) + 1) != 0)
        at++;
    free(path);
    return at < state->file_count ? at : UINT32_MAX;
}

struct served_view *collection_view(struct collection *collection, struct state **state,
                                    struct command_job *job, const char *directory,
                                    const struct value_item *operands, size_t operand_count,
                                    bool *is_unable, char *message)
{
    struct command_job walker = *job;
    struct served_view *view = calloc(1, sizeof *view);
    struct walk walk;
    struct walk_item item;

    (void)collection;
    *is_unable = false;
    if (directory != NULL && strcmp(directory, fake.root) != 0) {
        snprintf(message, SETTINGS_ERROR_BYTES, "the fake is not in %s", directory);
        free(view);
        return NULL;
    }
    walker.held = NULL;
    walker.filter = NULL;
    TEST_CHECK(chdir(fake.root) == 0);
    if (job->filter != NULL)
        TEST_CHECK(filter_open(&walker.filter, job->settings, message));
    walk_open(&walk, &walker, operands, operand_count, 32);
    while (walk_next(&walk, &item)) {
        struct view_item *found;

        view->items = realloc(view->items, (size_t)(view->item_count + 1) * sizeof *view->items);
        found = &view->items[view->item_count++];
        *found = (struct view_item){strdup(item.name), UINT32_MAX, item.kind,
                                    item.os_code,      item.type,  item.is_operand};
        if (item.kind == WALK_FILE && access(item.name, F_OK) == 0) {
            found->file = find(*state, item.name);
        } else if (item.kind == WALK_FILE) {
            found->kind = WALK_ERROR;
            found->os_code = errno;
        }
    }
    if (walker.filter != NULL)
        filter_close(walker.filter);
    TEST_CHECK(chdir("/") == 0);
    view->files = malloc((size_t)(view->item_count + 1) * sizeof *view->files);
    for (uint64_t i = 0; i < view->item_count; i++)
        view->files[i] = view->items[i].is_operand ? UINT32_MAX : view->items[i].file;
    view->left_out = walker.left_out;
    view->show_names = walker.show_names;
    return view;
}

void view_drop(struct served_view *view)
{
    for (uint64_t i = 0; i < view->item_count; i++)
        free((void *)(uintptr_t)view->items[i].name);
    free(view->items);
    free(view->files);
    free(view);
}

int collection_open_file(const struct collection *collection, const struct served_file *file)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", collection->root, file != NULL ? file->path : "");
    return open(path, O_RDONLY);
}

bool collection_has(const struct collection *collection, const char *directory, const char *operand)
{
    const char *path = operand[0] == '/' ? operand : directory;
    size_t bytes = strlen(collection->root);

    return strncmp(path, collection->root, bytes) == 0 && (path[bytes] == '/' || path[bytes] == 0);
}

void collection_facts(struct collection *collection, struct collection_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    facts->name = collection->name;
    facts->root = collection->root;
}

/* ---- Passes -----------------------------------------------------------------------------------
 */

struct passes {
    struct trawl_searcher *searcher;
};

bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    (void)message;
    *passes = malloc(sizeof **passes);
    options.runtime = runtime;
    return trawl_searcher_open(&options, &(*passes)->searcher, NULL) == TRAWL_OK;
}

void passes_close(struct passes *passes)
{
    trawl_searcher_close(passes->searcher);
    free(passes);
}

struct finding {
    struct pass_request *request;
    uint32_t file;
    uint64_t file_occurrences;
};

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct finding *finding = context;
    struct pass_request *request = finding->request;

    for (uint64_t i = 0; i < match_count; i++) {
        finding->file_occurrences++;
        request->occurrence_count++;
        if (request->wants_counts)
            request->pattern_counts[matches[i].pattern_index]++;
        if (!request->wants_positions || request->position_count == request->positions_max)
            continue;
        request->positions[request->position_count++] = (struct pass_position){
            matches[i].begin, finding->file, (uint32_t)matches[i].pattern_index};
    }
    return 0;
}

/* Searches every file separately, and reads the file again. */
bool pass_run(struct passes *passes, struct pass_request *request)
{
    const struct state *state = request->state;
    size_t room = (size_t)request->positions_max + 1;

    while (fake_pass_hangs)
        if (request->cancelled)
            return false;
    request->files = calloc(state->file_count / 8 + 1, 1);
    request->pattern_counts =
        calloc((size_t)trawl_plan_facts(request->plan).pattern_count + 1, sizeof(uint64_t));
    request->positions = calloc(room, sizeof *request->positions);
    request->shared_count = 1;
    for (uint64_t i = 0; i < request->view->item_count; i++) {
        struct finding finding = {request, request->view->items[i].file, 0};
        const struct served_file *file;
        struct trawl_text *text;
        int descriptor;

        if (finding.file == UINT32_MAX)
            continue;
        file = state->files[finding.file];
        descriptor = collection_open_file(&fake, file);
        if (trawl_text_from_descriptor(descriptor, "", &text, NULL) != TRAWL_OK ||
            trawl_positions(passes->searcher, request->plan, text, take, &finding, NULL) !=
                TRAWL_OK)
            return false;
        trawl_text_close(text);
        close(descriptor);
        request->file_count += finding.file_occurrences > 0;
        request->searched_bytes += file->held.bytes_count;
        if (finding.file_occurrences > 0 || file->block == NULL)
            request->files[finding.file / 8] |= (uint8_t)(1u << finding.file % 8);
    }
    return true;
}

void pass_cancel(struct passes *passes, struct pass_request *request)
{
    (void)passes;
    request->cancelled = true;
}

bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan)
{
    (void)passes;
    (void)state;
    (void)plan;
    return false;
}
