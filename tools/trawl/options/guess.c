/* guess: guesses a text's encoding with uchardet. */
#include "trawl/options/guess.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "trawl/text/utf8.h"

/* The functions of uchardet; without `create`, it is not there. */
static struct {
    void *(*create)(void);
    int (*read)(void *guesser, const char *bytes, size_t bytes_count);
    void (*end)(void *guesser);
    const char *(*name)(void *guesser);
    void (*free)(void *guesser);
} uchardet;

static void load_uchardet(void)
{
    void *library = dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);

    if (library == NULL)
        return;
    *(void **)(void *)&uchardet.read = dlsym(library, "uchardet_handle_data");
    *(void **)(void *)&uchardet.end = dlsym(library, "uchardet_data_end");
    *(void **)(void *)&uchardet.name = dlsym(library, "uchardet_get_charset");
    *(void **)(void *)&uchardet.free = dlsym(library, "uchardet_delete");
    if (uchardet.read != NULL && uchardet.end != NULL && uchardet.name != NULL &&
        uchardet.free != NULL)
        *(void **)(void *)&uchardet.create = dlsym(library, "uchardet_new");
}

bool guess_is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    return pthread_once(&once, load_uchardet) == 0 && uchardet.create != NULL;
}

/* Returns true for UTF-8, also if it ends inside a character. ASCII with an escape may be ISO-2022;
 * of a whole text, ASCII whose last bytes are none may be any. */
static bool is_utf8(const uint8_t *bytes, size_t bytes_count, bool is_whole)
{
    const bool escapes = memchr(bytes, '\x1b', bytes_count) != NULL;
    uint32_t code_point;
    size_t at = 0, count = 1, wide = 0;

    for (; at < bytes_count && count > 0; at += count) {
        count = utf8_character(bytes + at, bytes_count - at, &code_point);
        wide += count > 1;
    }
    if (count == 0 && (bytes_count - at >= UTF8_BYTES_MAX || (is_whole && wide == 0)))
        return false;
    return wide > 0 || !escapes;
}

void guess_encoding(const uint8_t *bytes, size_t bytes_count, bool is_whole, char *guess)
{
    void *guesser =
        is_utf8(bytes, bytes_count, is_whole) || !guess_is_there() ? NULL : uchardet.create();

    *guess = '\0';
    if (guesser == NULL)
        return;
    if (uchardet.read(guesser, (const char *)bytes, bytes_count) == 0) {
        uchardet.end(guesser);
        (void)snprintf(guess, GUESS_BYTES, "%s", uchardet.name(guesser));
    }
    uchardet.free(guesser);
    if (strcasecmp(guess, "ASCII") == 0 || strcasecmp(guess, "UTF-8") == 0)
        *guess = '\0';
}
