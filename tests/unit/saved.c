/* saved: plans in files: the same answers after loading, nothing accepted that is damaged, nothing
 * left behind by a save that failed. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/mend.h"
#include "calls.h"

#define TEXT_BYTES 2500u
#define MANY 9000u /* enough for tables by classes of length */
#define GOLDEN_BODY 9274699441270511092ull
#define GOLDEN_HEADER 7554545126905122575ull

static char folder[] = "/tmp/trawl-saved-XXXXXX";
static struct trawl_searcher *searcher;

/* ---- Sets and texts -------------------------------------------------------------------------- */

struct set {
    struct trawl_pattern *patterns;
    uint64_t count;
    uint8_t *bytes;
    uint8_t text[TEXT_BYTES];
};

/* Patterns of least to most letters out of `letters`, now and then one twice, and a text of them.
 */
static void set_make(struct set *set, struct test_random *random, uint64_t count, uint64_t least,
                     uint64_t most, uint32_t letters)
{
    uint64_t at = 0;

    set->count = count;
    set->patterns = calloc(count + 1, sizeof *set->patterns);
    set->bytes = malloc(count * most + 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = least + test_random_below(random, most - least + 1);

        set->patterns[i] = (struct trawl_pattern){set->bytes + at, length};
        if (i > 0 && test_random_below(random, 20) == 0)
            set->patterns[i] = set->patterns[test_random_below(random, i)];
        for (uint64_t j = 0; j < length; j++)
            set->bytes[at++] =
                (uint8_t)("aAbBcCdDeEfFghij_ \n\xc3"[test_random_below(random, letters)]);
    }
    for (uint64_t i = 0; i < TEXT_BYTES;) {
        struct trawl_pattern pattern = {"\n", 1};

        if (count > 0 && test_random_below(random, 4) > 0)
            pattern = set->patterns[test_random_below(random, count)];
        for (uint64_t j = 0; j < pattern.bytes_count && i < TEXT_BYTES; j++)
            set->text[i++] = ((const uint8_t *)pattern.bytes)[j];
    }
}

static void set_free(struct set *set)
{
    free(set->patterns);
    free(set->bytes);
}

struct answer {
    uint64_t count, sum;
};

static int add_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct answer *answer = context;

    for (uint64_t i = 0; i < match_count; i++) {
        answer->count++;
        answer->sum =
            answer->sum * 31 + matches[i].begin * 7 + matches[i].end * 3 + matches[i].pattern_index;
    }
    return 0;
}

static struct answer answer_of(const struct trawl_plan *plan, const uint8_t *bytes)
{
    AUTO_TEXT text = must_text(bytes, TEXT_BYTES);
    struct answer answer = {0, 0};
    uint64_t lines = 0;

    MUST(trawl_positions(searcher, plan, text, add_matches, &answer, NULL));
    MUST(trawl_count_lines(searcher, plan, text, false, UINT64_MAX, &lines, NULL));
    answer.sum = answer.sum * 31 + lines;
    return answer;
}

static uint32_t variants(void *context, uint32_t code_point,
                         uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t lower = code_point | 32;

    found[0] = code_point;
    if (code_point >= 128 || lower < 'a' || lower > 'z')
        return 1;
    found[1] = code_point ^ 32;
    found[2] = 0x2c00 + lower;
    return context == NULL ? 3 : 2; /* another locale knows fewer */
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point >= 128;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[4][128];
    static unsigned next;

    next = (next + 1) % 4;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static uint8_t *read_file(const char *path, uint64_t *bytes_count)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        exit(1);
    *bytes_count = (uint64_t)ftell(file);
    rewind(file);
    bytes = malloc(*bytes_count + 64);
    if (bytes == NULL || fread(bytes, 1, *bytes_count, file) != *bytes_count)
        exit(1);
    (void)fclose(file);
    return bytes;
}

/* Into the file "set". */
static void save(const struct trawl_plan *plan)
{
    MUST(trawl_plan_save(plan, path_of("set"), NULL, NULL));
}

static void build_and_save(const struct trawl_pattern *patterns, uint64_t count,
                           const struct trawl_plan_options *options)
{
    AUTO_PLAN plan = must_plans(patterns, count, options);

    save(plan);
}

static struct trawl_plan *load(const struct trawl_plan_load_options *options)
{
    struct trawl_plan *plan = NULL;

    MUST(trawl_plan_load(path_of("set"), options, &plan, NULL));
    return plan;
}

static uint64_t files_in_folder(void)
{
    char command[160];
    FILE *list;
    uint64_t count = 0;

    (void)snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    list = popen(command, "r");
    if (list == NULL || fscanf(list, "%" SCNu64, &count) != 1)
        exit(1);
    (void)pclose(list);
    return count;
}

/* ---- The same answers ------------------------------------------------------------------------ */

static void check_patterns(const struct trawl_plan *plan, const struct set *set)
{
    uint64_t wrong = 0;

    TEST_CHECK_U64(trawl_plan_pattern_count(plan), set->count);
    for (uint64_t i = 0; i < set->count; i++) {
        struct trawl_pattern got = trawl_plan_pattern(plan, i);

        wrong += got.bytes_count != set->patterns[i].bytes_count ||
                 memcmp(got.bytes, set->patterns[i].bytes, got.bytes_count) != 0;
    }
    TEST_CHECK_U64(wrong, 0);
}

static void check_loaded(struct trawl_plan *plan, const struct set *set, struct answer expected,
                         uint32_t flags)
{
    struct answer got = answer_of(plan, set->text);

    TEST_CHECK_U64(got.count, expected.count);
    TEST_CHECK_U64(got.sum, expected.sum);
    TEST_CHECK_U64(trawl_plan_flags(plan), flags);
    check_patterns(plan, set);
    trawl_plan_free(plan);
}

/* Save, then load in each way. */
static void round_trip(const struct set *set, const struct trawl_plan_options *options)
{
    struct trawl_plan_load_options loading = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    AUTO_PLAN plan = must_plans(set->patterns, set->count, options);
    struct answer expected = answer_of(plan, set->text);
    struct trawl_plan *loaded;
    uint8_t *bytes, *again;
    uint64_t bytes_count, again_count;

    save(plan);
    loading.utf8 = options->utf8;
    loaded = load(&loading);
    TEST_CHECK_U64(loaded->method, plan->method);
    /* A loaded plan can be saved again, and is the same. */
    MUST(trawl_plan_save(loaded, path_of("again"), NULL, NULL));
    check_loaded(loaded, set, expected, options->flags);
    bytes = read_file(path_of("set"), &bytes_count);
    again = read_file(path_of("again"), &again_count);
    TEST_CHECK(again_count == bytes_count && memcmp(again, bytes, bytes_count) == 0);
    memmove(again + 1, bytes, bytes_count); /* at any address; it may change afterwards */
    MUST(trawl_plan_load_memory(again + 1, bytes_count, &loading, &loaded, NULL));
    memset(again, 0, bytes_count + 1);
    check_loaded(loaded, set, expected, options->flags);
    free(bytes);
    free(again);
}

static void answers(void)
{
    static const struct {
        uint64_t count, least, most;
        uint32_t letters;
    } shapes[] = {{0, 1, 1, 4},      {1, 1, 1, 3},     {1, 9, 9, 12},    {1, 40, 40, 12},
                  {1, 900, 900, 17}, {2, 1, 3, 3},     {30, 1, 6, 6},    {200, 2, 9, 18},
                  {300, 1, 3, 19},   {60, 13, 30, 12}, {1000, 5, 9, 19}, {MANY, 4, 20, 17},
                  {MANY, 1, 12, 19}, {MANY, 16, 24, 4}};
    struct test_random random = test_random_begin("answers");
    struct trawl_utf8 utf8 = {NULL, variants, is_word};

    for (uint32_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
        for (uint32_t flags = 0; flags < 8; flags++) {
            struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
            struct set set;

            if (shapes[shape].count >= MANY && flags > 1)
                break;
            if (TEST_SANITIZED && !test_is_long() && (shape + flags) % 2 != 0)
                continue;
            set_make(&set, &random, shapes[shape].count, shapes[shape].least, shapes[shape].most,
                     shapes[shape].letters);
            options.flags = flags;
            if (test_random_below(&random, 2) == 0)
                options.utf8 = &utf8;
            if (test_random_below(&random, 4) == 0) {
                options.sample = set.text;
                options.sample_bytes = 500;
            }
            if (test_random_below(&random, 4) == 0)
                options.method = TRAWL_METHOD_SET;
            round_trip(&set, &options);
            set_free(&set);
        }
}

static void methods(void)
{
    static const enum trawl_method all[] = {TRAWL_METHOD_EVERY, TRAWL_METHOD_GRAMS,
                                            TRAWL_METHOD_SAMPLED, TRAWL_METHOD_SET};
    struct test_random random = test_random_begin("methods");

    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct set set;

        set_make(&set, &random, 1, 40, 40, 16);
        round_trip(&set, PLAN_WITH(.method = all[i]));
        set_free(&set);
    }
}

/* A sample is not saved: what it chose is. */
static void samples(void)
{
    AUTO_PLAN plain = must_plan("qzxjqzxj");
    AUTO_PLAN plan = NULL;
    AUTO_PLAN loaded = NULL;
    static char sample[8192];

    TEST_CHECK_U64(plain->method, TRAWL_METHOD_GRAMS); /* letters that are rare elsewhere */
    for (uint32_t i = 0; i < sizeof sample; i++)
        sample[i] = "qzxj"[i % 4];
    plan = must_plan_with("qzxjqzxj", PLAN_WITH(.sample = sample, .sample_bytes = sizeof sample));
    save(plan);
    loaded = load(NULL);
    TEST_CHECK_U64(plan->method, TRAWL_METHOD_EVERY);
    TEST_CHECK_U64(loaded->method, TRAWL_METHOD_EVERY);
}

/* The bytes of one fixed plan. Where this fails, PLAN_SAVED_VERSION has to grow, for an older file
 * would be taken for what it is not. */
static void form(void)
{
    static const uint8_t head[48] = {
        0xb7, 't',  'r', 'a', 'w', 'l', '\r', '\n', /* magic */
        8,    0,    0,   0,   5,   0,   0,    0,    /* version, flags */
        ';',  '\n', 0,   4,   0,   0,   0,    0,    /* ends, method, errors */
        0,    0,    0,   0,   2,   0,   0,    0,    /* exact parts, patterns */
        3,    0,    0,   0,   0,   0,   0,    0,    /* their bytes */
        4,    0,    0,   0,   0,   0,   0,    0};   /* the note's */
    static const uint8_t body[] = {2, 0, 0, 0, 0,   0,   0,   0,   3,   0,   0,  0,
                                   0, 0, 0, 0, 'a', 'B', 'c', 'n', 'o', 't', 'e'};
    struct trawl_pattern patterns[] = {{"aB", 2}, {"c", 1}};
    const struct trawl_plan_save_options noted = {sizeof noted, "note", 4};
    AUTO_PLAN plan =
        must_plans(patterns, 2,
                   PLAN_WITH(.flags = TRAWL_IGNORE_CASE | TRAWL_WHOLE_LINE,
                             .method = TRAWL_METHOD_SET, .line_end_set = 1, .line_end_also_set = 1,
                             .line_end = ';', .line_end_also = '\n'));
    struct plan_saved_header header;
    uint64_t bytes_count;
    uint8_t *bytes;

    MUST(trawl_plan_save(plan, path_of("set"), &noted, NULL));
    bytes = read_file(path_of("set"), &bytes_count);
    TEST_CHECK_U64(bytes_count, 64 + sizeof body);
    TEST_CHECK(memcmp(bytes, head, sizeof head) == 0);
    TEST_CHECK(memcmp(bytes + 64, body, sizeof body) == 0);
    memcpy(&header, bytes, sizeof header);
    TEST_CHECK_U64(header.body_checksum, GOLDEN_BODY);
    TEST_CHECK_U64(header.checksum, GOLDEN_HEADER);
    free(bytes);
}

/* Letters that have other variants when the plan is loaded: as if it were built then. */
static void other_letters(void)
{
    struct trawl_plan_load_options loading = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct test_random random = test_random_begin("other_letters");
    struct trawl_utf8 utf8 = {NULL, variants, is_word}, other = {&random, variants, is_word};
    struct trawl_plan *loaded = NULL;
    AUTO_PLAN plan = NULL;
    struct set set;

    set_make(&set, &random, 100, 2, 5, 16);
    memcpy(set.text, "\xe2\xb1\xa1", 3); /* U+2C61, a variant of a */
    plan =
        must_plans(set.patterns, set.count, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .utf8 = &other));
    build_and_save(set.patterns, set.count, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .utf8 = &utf8));
    CHECK_REFUSED(trawl_plan_load(path_of("set"), &loading, &loaded, error));
    loading.utf8 = &other;
    check_loaded(load(&loading), &set, answer_of(plan, set.text), TRAWL_IGNORE_CASE);
    set_free(&set);
}

static void count_loaded(const struct trawl_plan_load_options *options, uint64_t expected)
{
    AUTO_TEXT text = must_string("a;ba;a\n");
    AUTO_PLAN plan = load(options);

    TEST_CHECK_U64(must_count(searcher, plan, text), expected);
}

/* Lines may end elsewhere than when it was saved. */
static void line_ends(void)
{
    struct trawl_plan_load_options loading = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    AUTO_PLAN plan = must_plan_with("a", PLAN_WITH(.flags = TRAWL_WHOLE_LINE));

    save(plan);
    count_loaded(NULL, 0);
    loading.line_end_set = 1;
    loading.line_end = ';';
    count_loaded(&loading, 1);
    loading.line_end_also_set = 1;
    loading.line_end_also = '\n';
    count_loaded(&loading, 2);
}

static void notes(void)
{
    static const char note[] = "made on a Monday";
    const struct trawl_plan_save_options noted = {sizeof noted, note, sizeof note - 1};
    AUTO_PLAN plan = must_plan("note");
    AUTO_PLAN loaded = NULL;
    AUTO_PLAN again = NULL;

    TEST_CHECK(trawl_plan_note(plan).bytes == NULL && trawl_plan_note(NULL).bytes == NULL);
    save(plan);
    loaded = load(NULL);
    TEST_CHECK(trawl_plan_note(loaded).bytes == NULL && trawl_plan_note(loaded).bytes_count == 0);
    MUST(trawl_plan_save(plan, path_of("set"), &noted, NULL));
    again = load(NULL);
    TEST_CHECK_U64(trawl_plan_note(again).bytes_count, 16);
    TEST_CHECK(memcmp(trawl_plan_note(again).bytes, note, 16) == 0);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static uint8_t *save_small(uint64_t *bytes_count, uint32_t flags, struct set *set,
                           struct test_random *random, uint64_t count)
{
    set_make(set, random, count, 1, 9, 16);
    build_and_save(set->patterns, set->count, PLAN_WITH(.flags = flags));
    return read_file(path_of("set"), bytes_count);
}

/* One byte that is not as it was, anywhere; a file cut off anywhere, or with more after it. */
static void damage(void)
{
    struct test_random random = test_random_begin("damage");
    struct trawl_plan *plan = NULL;
    struct set set;
    uint64_t bytes_count, accepted = 0;
    uint8_t *bytes = save_small(&bytes_count, 0, &set, &random, 3);

    for (uint64_t i = 0; i < bytes_count; i++) {
        uint8_t was = bytes[i];

        bytes[i] ^= (uint8_t)(1u << test_random_below(&random, 8));
        accepted += trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, NULL) != TRAWL_FORMAT;
        bytes[i] = (uint8_t)~was;
        accepted += trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, NULL) != TRAWL_FORMAT;
        bytes[i] = was;
    }
    TEST_CHECK_U64(accepted, 0);
    for (uint64_t i = 0; i < bytes_count; i++) {
        uint8_t *cut = malloc(i + 1); /* its own memory: a sanitizer sees what is read behind it */

        memcpy(cut + 1, bytes, i);
        accepted += trawl_plan_load_memory(cut + 1, i, NULL, &plan, NULL) != TRAWL_FORMAT;
        free(cut);
    }
    memset(bytes + bytes_count, 0, 64);
    for (uint64_t more = 1; more <= 64; more++)
        accepted +=
            trawl_plan_load_memory(bytes, bytes_count + more, NULL, &plan, NULL) != TRAWL_FORMAT;
    TEST_CHECK_U64(accepted, 0);
    MUST(trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, NULL));
    check_patterns(plan, &set);
    trawl_plan_free(plan);
    free(bytes);
    set_free(&set);
}

static void check_reason(const uint8_t *bytes, uint64_t bytes_count, const char *reason)
{
    struct trawl_error error = calls_error();
    struct trawl_plan *plan = NULL;

    CHECK_STATUS(trawl_plan_load_memory(bytes, bytes_count, NULL, &plan, &error), TRAWL_FORMAT);
    if (!TEST_CHECK(strstr(error.message, reason) != NULL))
        printf("  %s, expected: %s\n", error.message, reason);
}

/* What is refused says why. */
static void reasons(void)
{
    struct test_random random = test_random_begin("reasons");
    struct set set;
    uint64_t bytes_count;
    uint8_t *bytes = save_small(&bytes_count, 0, &set, &random, 3);
    struct plan_saved_header *header = (struct plan_saved_header *)(void *)bytes;

    check_reason(bytes, bytes_count - 1, "the bytes given: it is cut off");
    check_reason(bytes, 8, "cut off");
    bytes[bytes_count] = 0;
    check_reason(bytes, bytes_count + 1, "behind its end");
    header->version++;
    check_reason(bytes, bytes_count, "another version of trawl");
    header->version--;
    header->pattern_count++;
    check_reason(bytes, bytes_count, "damaged");
    header->pattern_count--;
    bytes[bytes_count - 1] ^= 1;
    check_reason(bytes, bytes_count, "damaged");
    header->method = TRAWL_METHOD_EVERY;
    saved_mend(bytes, bytes_count);
    check_reason(bytes, bytes_count, "every takes one pattern");
    header->method = TRAWL_METHOD_AUTO;
    header->flags = 1u << 31;
    saved_mend(bytes, bytes_count);
    check_reason(bytes, bytes_count, "flags 0x80000000");
    header->flags = 0;
    header->utf8_is_set = 2;
    saved_mend(bytes, bytes_count);
    check_reason(bytes, bytes_count, "contradicts itself");
    bytes[0] = 'x';
    check_reason(bytes, bytes_count, "no saved plan");
    TEST_CHECK(!trawl_plan_is_saved(bytes, bytes_count) && !trawl_plan_is_saved(NULL, 0));
    bytes[0] = 0xb7; /* eight bytes tell */
    TEST_CHECK(trawl_plan_is_saved(bytes, 8) && !trawl_plan_is_saved(bytes, 7));
    free(bytes);
    set_free(&set);
}

/* A file of the versions that saved tables: a mark of the byte order, version 6, the machine. */
static void older(void)
{
    static const uint8_t old[4096] = "\xb7trawl\r\n\4\3\2\1\6\0\0\0x86_64";
    struct trawl_error error = calls_error();
    struct trawl_plan *plan = NULL;
    FILE *file = fopen(path_of("older"), "wb");

    if (file == NULL || fwrite(old, 1, sizeof old, file) != sizeof old || fclose(file) != 0)
        exit(1);
    CHECK_STATUS(trawl_plan_load(path_of("older"), NULL, &plan, &error), TRAWL_FORMAT);
    TEST_CHECK(strstr(error.message, "/older: another version of trawl saved it: save it again") !=
               NULL);
    (void)unlink(path_of("older"));
}

/* ---- Files that cannot be written -------------------------------------------------------------
 */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        exit(1);
}

static void files(void)
{
    struct trawl_plan *plan = must_plan("file"), *loaded = NULL;
    uint64_t before = files_in_folder();
    struct stat facts;
    int ends[2];

    (void)umask(027);
    MUST(trawl_plan_save(plan, path_of("mode"), NULL, NULL));
    TEST_CHECK(stat(path_of("mode"), &facts) == 0 && (facts.st_mode & 0777) == 0640);
    (void)umask(022);
    /* A file is replaced, a link stays. */
    write_text(path_of("old"), "old\n");
    TEST_CHECK(symlink("old", path_of("link")) == 0);
    MUST(trawl_plan_save(plan, path_of("link"), NULL, NULL));
    TEST_CHECK(lstat(path_of("link"), &facts) == 0 && S_ISLNK(facts.st_mode));
    MUST(trawl_plan_load(path_of("old"), NULL, &loaded, NULL));
    trawl_plan_free(loaded);
    TEST_CHECK_U64(files_in_folder(), before + 3);
    CHECK_ERROR(trawl_plan_save(plan, path_of("missing/set"), NULL, error), TRAWL_OPEN);
    CHECK_ERROR(trawl_plan_save(plan, folder, NULL, error), TRAWL_OPEN);
    CHECK_ERROR(trawl_plan_load(folder, NULL, &loaded, error), TRAWL_READ);
    CHECK_ERROR(trawl_plan_load(path_of("missing"), NULL, &loaded, error), TRAWL_OPEN);
    write_text(path_of("old"), "");
    CHECK_ERROR(trawl_plan_load(path_of("old"), NULL, &loaded, error), TRAWL_FORMAT);
    if (access("/dev/full", W_OK) == 0) {
        struct trawl_error error = calls_error();

        CHECK_STATUS(trawl_plan_save(plan, "/dev/full", NULL, &error), TRAWL_WRITE);
        TEST_CHECK_U64((uint64_t)error.os_code, ENOSPC);
    }
    /* A pipe takes it as it comes, and gives it so. */
    if (pipe(ends) == 0) {
        char name[64];

        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
        MUST(trawl_plan_save(plan, name, NULL, NULL));
        close(ends[1]);
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
        MUST(trawl_plan_load(name, NULL, &loaded, NULL));
        TEST_CHECK_U64(trawl_plan_pattern_count(loaded), 1);
        trawl_plan_free(loaded);
        close(ends[0]);
    }
    TEST_CHECK_U64(files_in_folder(), before + 3);
    trawl_plan_free(plan);
}

static void arguments(void)
{
    const struct trawl_plan_save_options no_note = {sizeof no_note, NULL, 1};
    struct trawl_plan_load_options loading = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct trawl_utf8 half = {NULL, variants, NULL};
    AUTO_PLAN plan = must_plan("x");
    struct trawl_plan *none = NULL;

    CHECK_REFUSED(trawl_plan_save(NULL, "x", NULL, error));
    CHECK_REFUSED(trawl_plan_save(plan, NULL, NULL, error));
    CHECK_REFUSED(trawl_plan_save(plan, path_of("x"), &no_note, error));
    CHECK_REFUSED(trawl_plan_load(NULL, NULL, &none, error));
    CHECK_REFUSED(trawl_plan_load("x", NULL, NULL, error));
    CHECK_REFUSED(trawl_plan_load_memory(NULL, 0, NULL, &none, error));
    CHECK_ERROR(trawl_plan_load_memory("", 0, NULL, &none, error), TRAWL_FORMAT);
    CHECK_REFUSED(trawl_plan_load_memory("x", 1, NULL, NULL, error));
    loading.reserved = 1;
    CHECK_REFUSED(trawl_plan_load("x", &loading, &none, error));
    loading.reserved = 0;
    loading.utf8 = &half;
    CHECK_REFUSED(trawl_plan_load("x", &loading, &none, error));
    TEST_CHECK(none == NULL && trawl_plan_flags(NULL) == 0);
    TEST_CHECK(trawl_plan_line_end(NULL) == '\n');
    if (trawl_algorithm(0, NULL) != NULL) {
        AUTO_PLAN naive = must_plan_with("abc", PLAN_WITH(.algorithm = "naive"));

        CHECK_ERROR(trawl_plan_save(naive, path_of("x"), NULL, error), TRAWL_UNSUPPORTED);
    }
}

int main(void)
{
    char command[64];

    test_begin("saved");
    if (mkdtemp(folder) == NULL)
        return 1;
    searcher = must_searcher(2, 4096);
    answers();
    methods();
    samples();
    form();
    other_letters();
    line_ends();
    notes();
    damage();
    reasons();
    older();
    files();
    arguments();
    trawl_searcher_close(searcher);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    TEST_CHECK(system(command) == 0);
    return test_end();
}
