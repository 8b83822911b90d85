/* views: keeps views for requests that name the same files again, finds equal operands, and makes
 * an operand an absolute path. */
#include "serve/inside.h"
#include "trawl/grow.h"

/* Kept views may take 1 / KEPT_SHARE of the memory limit of all requests, in addition. */
#define KEPT_SHARE 8u

void view_drop(struct served_view *view)
{
    if (view == NULL ||
        atomic_fetch_sub_explicit(&view->holder_count, 1, memory_order_acq_rel) != 1)
        return;
    free(view->items);
    free(view->files);
    free(view->storage);
    free(view->seen);
    free(view->key);
    free(view);
}

void view_key_add(struct view_key *key, const void *bytes, size_t count)
{
    char *larger =
        key->failed ? NULL : grown(key->bytes, &key->capacity, 512, key->count + count, 1);

    key->failed = larger == NULL;
    if (key->failed)
        return;
    key->bytes = larger;
    memcpy(larger + key->count, bytes, count);
    key->count += count;
}

void view_key_add_list(struct view_key *key, const struct value_item *items, size_t count)
{
    view_key_add(key, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        view_key_add(key, &items[i].kind, sizeof items[i].kind);
        view_key_add(key, items[i].text, strlen(items[i].text) + 1);
    }
}

/* Moves a view to the front of the kept views and adds a hold on it. The caller holds
 * collection->lock. */
static void put_first(struct collection *collection, size_t at, struct served_view *view)
{
    for (; at > 0; at--)
        collection->views[at] = collection->views[at - 1];
    collection->views[0] = view;
    atomic_fetch_add_explicit(&view->holder_count, 1, memory_order_relaxed);
}

struct served_view *views_find(struct collection *collection, const struct view_key *key,
                               uint64_t names)
{
    struct served_view *found = NULL;

    pthread_mutex_lock(&collection->lock);
    for (size_t i = 0; i < VIEWS_MAX && !key->failed && found == NULL; i++) {
        struct served_view *view = collection->views[i];

        if (view == NULL || view->names != names || view->key_bytes != key->count ||
            memcmp(view->key, key->bytes, key->count) != 0)
            continue;
        found = view;
        put_first(collection, i, view);
    }
    pthread_mutex_unlock(&collection->lock);
    return found;
}

void views_keep(struct collection *collection, struct view_key *key, struct served_view *view,
                const struct guard *all)
{
    uint64_t most = all != NULL && all->bytes_max > 0 ? all->bytes_max / KEPT_SHARE : UINT64_MAX;
    struct served_view *gone[VIEWS_MAX] = {0};

    if (view->bytes > most)
        return;
    view->key = key->bytes;
    view->key_bytes = key->count;
    key->bytes = NULL;
    pthread_mutex_lock(&collection->lock);
    for (size_t i = VIEWS_MAX; i-- > 0;) {
        struct served_view *last = collection->views[i];

        if (last == NULL || (i + 1 < VIEWS_MAX && collection->view_bytes <= most - view->bytes))
            continue;
        collection->view_bytes -= last->bytes;
        collection->views[i] = NULL;
        gone[i] = last;
    }
    collection->view_bytes += view->bytes;
    put_first(collection, VIEWS_MAX - 1, view);
    pthread_mutex_unlock(&collection->lock);
    for (size_t i = 0; i < VIEWS_MAX; i++)
        view_drop(gone[i]);
}

static int by_text(const void *left, const void *right, void *context)
{
    const size_t *one = left, *other = right;
    const struct value_item *operands = context;
    int order = strcmp(operands[*one].text, operands[*other].text);

    return order != 0 ? order : *one < *other ? -1 : *one > *other;
}

size_t *operand_firsts(const struct value_item *operands, size_t count)
{
    size_t *sorted = calloc(count + 1, sizeof *sorted), *firsts = calloc(count + 1, sizeof *firsts);

    for (size_t i = 0; sorted != NULL && i < count; i++)
        sorted[i] = i;
    if (sorted != NULL && firsts != NULL && count > 0)
        qsort_r(sorted, count, sizeof *sorted, by_text, (void *)(uintptr_t)operands);
    for (size_t i = 0; sorted != NULL && firsts != NULL && i < count; i++) {
        bool is_first =
            i == 0 || strcmp(operands[sorted[i]].text, operands[sorted[i - 1]].text) != 0;

        firsts[sorted[i]] = is_first ? sorted[i] : firsts[sorted[i - 1]];
    }
    if (sorted == NULL) {
        free(firsts);
        firsts = NULL;
    }
    free(sorted);
    return firsts;
}

bool path_normalize(const char *directory, const char *operand, char *path, bool *is_folder)
{
    const char *parts[2] = {operand[0] == '/' ? "" : directory, operand};
    char *end = path;

    for (size_t i = 0; i < 2; i++)
        for (const char *at = parts[i]; *at != '\0';) {
            size_t bytes = strcspn(at, "/");

            *is_folder = bytes == 0 || (bytes == 1 && at[0] == '.') || at[bytes] == '/';
            if (bytes == 2 && at[0] == '.' && at[1] == '.')
                return false;
            if (bytes > 0 && !(bytes == 1 && at[0] == '.')) {
                *end++ = '/';
                memcpy(end, at, bytes);
                end += bytes;
            }
            at += bytes + (at[bytes] == '/');
        }
    if (end == path)
        *end++ = '/';
    *end = '\0';
    return true;
}
