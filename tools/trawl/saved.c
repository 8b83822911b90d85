/* saved: sets of strings that --save-patterns wrote, for -f.
 *
 * The library's plan has each string once. The plan's note holds the rest: how the strings were
 * given, which were duplicates or empty, and whose letters decided.
 */
#include "trawl/saved.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/charset.h"
#include "trawl/patterns.h"

#define MAGIC_BYTES 8u
#define NOTE_KIND UINT64_C(0x31656e6e61676974)

enum note_flag {
    NOTE_ANY_BYTE = 1,
    NOTE_NONE_GIVEN = 2,
    NOTE_NEEDS_UTF8 = 4,
    NOTE_STRINGS = 8 /* the plan is of bytes, for its strings alone */
};

/* Followed by the columns, if any. */
struct note {
    uint64_t kind;
    uint64_t flags;
    uint64_t letters; /* of the locale */
    uint64_t column_count;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Of a locale whose plans cannot be saved: strings are, and are planned again. */
#define LETTERS_UNKNOWN UINT64_MAX

/* A number for the locale: whether its characters are UTF-8, its name, and what equals the letters
 * of ASCII, which decides whether bytes are enough for strings of those. */
static uint64_t letters_of_locale(enum charset charset)
{
    const char *name = setlocale(LC_CTYPE, NULL);
    uint64_t hash = 1;

    if (charset == CHARSET_BYTES)
        return 0;
    if (charset != CHARSET_UTF8)
        return LETTERS_UNKNOWN;
    for (; name != NULL && *name != '\0'; name++)
        hash = mix(hash, (uint8_t)*name);
    charset_prepare(true);
    for (uint32_t letter = 'A'; letter <= 'z'; letter++) {
        uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];
        uint32_t count = charset_variants(NULL, letter, variants);

        for (uint32_t i = 0; i < count; i++)
            hash = mix(hash, variants[i]);
    }
    return hash;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool is_plain(const struct patterns *patterns)
{
    return patterns->column_count == patterns->count; /* none twice, none empty */
}

bool saved_write(const struct patterns *patterns, const struct settings *settings, char *message)
{
    struct trawl_plan_save_options options = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    struct note note = {NOTE_KIND, 0, letters_of_locale(settings->surroundings.charset), 0};
    struct trawl_error error;
    enum trawl_status status;
    char *bytes;

    note.flags = (settings->any_byte ? NOTE_ANY_BYTE : 0u) |
                 (patterns->none_given ? NOTE_NONE_GIVEN : 0u) |
                 (patterns->needs_utf8 ? NOTE_NEEDS_UTF8 : 0u) |
                 (patterns->saves_strings ? NOTE_STRINGS : 0u);
    note.column_count = is_plain(patterns) ? 0 : patterns->column_count;
    options.note_bytes = sizeof note + note.column_count * sizeof *patterns->columns;
    bytes = malloc((size_t)options.note_bytes);
    if (bytes == NULL) {
        strcpy(message, "memory exhausted");
        return false;
    }
    memcpy(bytes, &note, sizeof note);
    if (note.column_count > 0)
        memcpy(bytes + sizeof note, patterns->columns,
               (size_t)note.column_count * sizeof *patterns->columns);
    options.note = bytes;
    status = trawl_plan_save(patterns->plan, settings->save_patterns, &options, &error);
    free(bytes);
    if (status != TRAWL_OK)
        snprintf(message, SETTINGS_ERROR_BYTES, "--save-patterns: %s", error.message);
    return status == TRAWL_OK;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Is this file of -f a saved set? Pipes are not looked at, since that would take the bytes away,
 * nor opened, since their writers would notice. */
static bool is_saved(const char *name)
{
    bool is_input = strcmp(name, "-") == 0;
    char bytes[MAGIC_BYTES];
    struct stat facts;
    int descriptor;
    bool found;

    if ((is_input ? fstat(STDIN_FILENO, &facts) : stat(name, &facts)) != 0 ||
        !S_ISREG(facts.st_mode))
        return false;
    descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    found = (!is_input || lseek(descriptor, 0, SEEK_CUR) == 0) &&
            pread(descriptor, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes &&
            trawl_plan_is_saved(bytes, sizeof bytes);
    if (!is_input)
        close(descriptor);
    return found;
}

static bool load_plan(struct saved_set *set, const struct settings *settings, char *message)
{
    struct trawl_plan_load_options options = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct trawl_utf8 utf8 = {NULL, charset_variants, charset_is_word};
    const char *name = settings->patterns.items[set->item].text;
    struct trawl_error error;

    options.utf8 = &utf8;
    options.line_end_set = 1;
    options.line_end = settings->line_end;
    options.line_end_also_set = settings->count_ends_at_null; /* NUL */
    trawl_plan_free(set->plan);
    set->plan = NULL;
    if (trawl_plan_load(strcmp(name, "-") == 0 ? "/dev/stdin" : name, &options, &set->plan,
                        &error) == TRAWL_OK)
        return true;
    snprintf(message, SETTINGS_ERROR_BYTES, "-f: %s", error.message);
    return false;
}

/* Anybody may have written it. */
static bool read_note(struct saved_set *set, uint64_t letters)
{
    struct trawl_pattern bytes = trawl_plan_note(set->plan);
    uint64_t pattern_count = trawl_plan_pattern_count(set->plan), *columns;
    struct note note;

    set->has_note = false;
    if (bytes.bytes_count < sizeof note)
        return true;
    memcpy(&note, bytes.bytes, sizeof note);
    if (note.kind != NOTE_KIND)
        return true;
    if ((bytes.bytes_count - sizeof note) / sizeof *columns != note.column_count)
        return false;
    columns = (uint64_t *)((uintptr_t)bytes.bytes + sizeof note);
    for (uint64_t i = 0; i < note.column_count; i++)
        if (columns[i] >= pattern_count && columns[i] != PATTERN_EMPTY)
            return false;
    set->has_note = true;
    set->any_byte = (note.flags & NOTE_ANY_BYTE) != 0;
    set->none_given = (note.flags & NOTE_NONE_GIVEN) != 0;
    set->needs_utf8 = (note.flags & NOTE_NEEDS_UTF8) != 0;
    set->has_strings = (note.flags & NOTE_STRINGS) != 0;
    set->same_letters = note.letters == letters && letters != LETTERS_UNKNOWN;
    set->columns = note.column_count > 0 ? columns : NULL;
    set->column_count = note.column_count > 0 ? note.column_count : pattern_count;
    return true;
}

/* Of a plan without a note: what its bytes say. */
static void guess(struct saved_set *set)
{
    uint64_t count = trawl_plan_pattern_count(set->plan);

    set->columns = NULL;
    set->column_count = count;
    for (uint64_t i = 0; i < count && !set->any_byte; i++) {
        struct trawl_pattern pattern = trawl_plan_pattern(set->plan, i);

        set->any_byte = memchr(pattern.bytes, '\0', (size_t)pattern.bytes_count) != NULL ||
                        memchr(pattern.bytes, '\n', (size_t)pattern.bytes_count) != NULL;
    }
}

static bool load(struct saved_set *set, const struct settings *settings, uint64_t letters,
                 char *message)
{
    if (!load_plan(set, settings, message))
        return false;
    if (trawl_plan_errors(set->plan, NULL, NULL, NULL)) {
        snprintf(
            message, SETTINGS_ERROR_BYTES,
            "-f: %.300s: the set was saved with errors allowed: give strings and options instead",
            value_shown(&settings->patterns.items[set->item]));
        return false;
    }
    if (!read_note(set, letters)) {
        snprintf(message, SETTINGS_ERROR_BYTES, "-f: %.300s: the saved set contradicts itself",
                 value_shown(&settings->patterns.items[set->item]));
        return false;
    }
    if (!set->has_note)
        guess(set);
    return true;
}

bool saved_load(struct patterns *patterns, struct settings *settings, char *message)
{
    uint64_t letters = 0;

    for (size_t i = 0; i < settings->patterns.count; i++) {
        const struct value_item *item = &settings->patterns.items[i];
        struct saved_set *sets;
        uint32_t flags;

        if (item->kind != VALUE_FILE || !is_saved(item->text))
            continue;
        if (patterns->saved_count == 0)
            letters = letters_of_locale(settings->surroundings.charset);
        sets = realloc(patterns->saved, (patterns->saved_count + 1) * sizeof *sets);
        if (sets == NULL) {
            strcpy(message, "memory exhausted");
            return false;
        }
        patterns->saved = sets;
        sets += patterns->saved_count++;
        memset(sets, 0, sizeof *sets);
        sets->item = i;
        if (!load(sets, settings, letters, message))
            return false;
        flags = trawl_plan_flags(sets->plan);
        settings->ignore_case |= (flags & TRAWL_IGNORE_CASE) != 0;
        settings->words |= (flags & TRAWL_WHOLE_WORD) != 0;
        settings->whole_lines |= (flags & TRAWL_WHOLE_LINE) != 0;
        settings->saved_any_byte |= sets->any_byte;
    }
    return true;
}

bool saved_load_again(struct patterns *patterns, const struct settings *settings, char *message)
{
    uint64_t letters = letters_of_locale(settings->surroundings.charset);

    for (size_t i = 0; i < patterns->saved_count; i++)
        if (!load(&patterns->saved[i], settings, letters, message))
            return false;
    return true;
}

void saved_free(struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->saved_count; i++)
        trawl_plan_free(patterns->saved[i].plan);
    free(patterns->saved);
}
