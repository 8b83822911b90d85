/* ignore_test: globs and rules for files to be left out, against cases written by hand. Random
 * trees are compared with git and ripgrep (tests/grep). */
#include "test.h"
#include "trawl/ignore.h"

/* ---- One glob -------------------------------------------------------------------------------- */

static bool fits(const char *pattern, const char *name, unsigned flags)
{
    struct glob glob;
    bool found;

    if (glob_compile(&glob, pattern, strlen(pattern), flags) != GLOB_GOOD)
        return false;
    found = glob_matches(&glob, name, strlen(name));
    glob_free(&glob);
    return found;
}

static void check_globs(void)
{
    static const struct {
        const char *pattern, *name;
        bool fits;
    } rows[] = {
        {"a", "a", true},
        {"a", "b", false},
        {"a", "ab", false},
        {"", "", true},
        {"*", "", true},
        {"*", "a/b", false},
        {"**", "a/b", true},
        {"a/**", "a/b/c", true},
        {"a/**", "ab/c", false},
        {"**/a", "a", true},
        {"**/a", "b/c/a", true},
        {"**/a", "ba", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/c/d/b", true},
        {"a/**/b", "a/cb", false},
        {"a**b", "axb", true},
        {"a**b", "a/b", false},
        {"?", "/", false},
        {"a?", "ab", true},
        {"?a", "ba", true},
        {"*a?b", "xaxb", true},
        {"*a?b*c", "aabaxbc", true},
        {"a/?*", "a/", false},
        {"[!a]", "/", false},
        {"[!a]", "b", true},
        {"[]a]", "]", true},
        {"[a-c]x", "bx", true},
        {"[a-]", "-", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"*.c", ".c", true},
        {"*.c", "a.c.h", false},
        {"a*", "a", true},
        {"*a*b*c", "xaybzc", true},
        {"*a*b*c", "xaybzcd", false},
        {"[[:digit:]]", "7", true},
        {"[[:digit:]]", "x", false},
        {"{a,b}", "{a,b}", true},
        {"**/x*/**/y", "q/xa/b/c/y", true},
        {"**/x*/**/y", "q/xa/yb", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_check(fits(rows[i].pattern, rows[i].name, 0) == rows[i].fits, rows[i].pattern,
                   __FILE__, __LINE__);
    TEST_CHECK(fits("A*[B-C]", "aXb", GLOB_ANY_CASE) && !fits("A*[B-C]", "aXb", 0));
    TEST_CHECK(!fits("[!a]", "A", GLOB_ANY_CASE));
    TEST_CHECK(fits("[b-a]", "b", GLOB_BACKWARDS) && !fits("[b-a]", "a", GLOB_BACKWARDS));
}

static void check_faults(void)
{
    static const struct {
        const char *pattern;
        enum glob_status status;
    } rows[] = {{"[a", GLOB_UNCLOSED_CLASS},
                {"[", GLOB_UNCLOSED_CLASS},
                {"[]", GLOB_UNCLOSED_CLASS},
                {"[b-a]", GLOB_BAD_RANGE},
                {"a\\", GLOB_DANGLING_ESCAPE}};
    struct glob glob;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_check(glob_compile(&glob, rows[i].pattern, strlen(rows[i].pattern), 0) ==
                           rows[i].status &&
                       glob_status_text(rows[i].status)[0] != '\0',
                   rows[i].pattern, __FILE__, __LINE__);
}

/* A glob of many stars must not take long: this one would outlast every test by trying all ways. */
static void check_many_stars(void)
{
    char pattern[201], name[4001];

    for (size_t i = 0; i < 100; i++)
        memcpy(pattern + 2 * i, "*a", 2);
    pattern[199] = 'b';
    pattern[200] = '\0';
    memset(name, 'a', 4000);
    name[4000] = '\0';
    TEST_CHECK(!fits(pattern, name, 0));
    name[3999] = 'b';
    TEST_CHECK(fits(pattern, name, 0));
}

/* ---- Braces ---------------------------------------------------------------------------------- */

struct collected {
    char text[256];
};

static enum glob_status collect(void *context, const char *pattern, size_t bytes)
{
    struct collected *collected = context;
    size_t used = strlen(collected->text);

    snprintf(collected->text + used, sizeof collected->text - used, "%s%.*s", used > 0 ? " " : "",
             (int)bytes, pattern);
    return GLOB_GOOD;
}

static void check_braces(void)
{
    static const struct {
        const char *pattern, *expanded;
    } rows[] = {{"a", "a"},
                {"*.{c,h}", "*.c *.h"},
                {"{a,b}{1,2}", "a1 a2 b1 b2"},
                {"{a{b,c},d}", "ab ac d"},
                {"a{,b}", "ab"},
                {"a{}", "a"},
                {"\\{a,b}", "\\{a,b}"},
                {"[{]a", "[{]a"},
                {"a}", "a}"},
                {"{a\\,b}", "a\\,b"}};
    static const char tens[] = "{1,2,3,4,5,6,7,8,9,0}";
    struct collected collected;
    char many[6 * sizeof tens] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        collected.text[0] = '\0';
        TEST_CHECK(glob_expand(rows[i].pattern, strlen(rows[i].pattern), collect, &collected) ==
                   GLOB_GOOD);
        test_check(strcmp(collected.text, rows[i].expanded) == 0, rows[i].pattern, __FILE__,
                   __LINE__);
    }
    TEST_CHECK(glob_expand("{a", 2, collect, &collected) == GLOB_UNCLOSED_BRACE);
    for (size_t i = 0; i < 5; i++)
        memcpy(many + i * (sizeof tens - 1), tens, sizeof tens - 1);
    TEST_CHECK(glob_expand(many, strlen(many), collect, &collected) == GLOB_TOO_MANY);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* '-': no rule; else s(kipped) or k(ept), and the line. */
static void check_found(const struct ignore_list *list, const char *path, bool is_directory,
                        char what, uint32_t line)
{
    const char *slash = strrchr(path, '/');
    const struct ignore_rule *rule = ignore_find(
        list, path, strlen(path), slash == NULL ? 0 : (size_t)(slash - path) + 1, is_directory);

    test_check((rule == NULL ? '-' : rule->keeps ? 'k' : 's') == what, path, __FILE__, __LINE__);
    if (rule != NULL)
        TEST_CHECK_U64(rule->line_number, line);
}

static void check_list(void)
{
    static const char text[] = "# objects\n*.o\n!keep.o\nbuild/\n/top\na/b\n\nx*y\n*.o.bak\r\n"
                               "trailing  \n\\#odd\n[\n!*.log\n*.log\nlog.log/\n";
    struct ignore_list *list = ignore_open("list", 0, NULL);
    char *copy = strdup(text);

    if (!TEST_CHECK(list != NULL && copy != NULL && ignore_add_text(list, copy, strlen(text)) &&
                    ignore_seal(list))) {
        ignore_close(list);
        return;
    }
    check_found(list, "q.o", false, 's', 2);
    check_found(list, "d/q.o", true, 's', 2);
    check_found(list, "d/keep.o", false, 'k', 3);
    check_found(list, "d/build", true, 's', 4);
    check_found(list, "d/build", false, '-', 0);
    check_found(list, "top", false, 's', 5);
    check_found(list, "d/top", false, '-', 0);
    check_found(list, "a/b", false, 's', 6);
    check_found(list, "c/a/b", false, '-', 0);
    check_found(list, "xay", false, 's', 8);
    check_found(list, "q.o.bak", false, 's', 9);
    check_found(list, "trailing", false, 's', 10);
    check_found(list, "#odd", false, 's', 11);
    check_found(list, "[", false, '-', 0);
    check_found(list, "a.log", false, 's', 14);
    check_found(list, "log.log", true, 's', 15);
    check_found(list, "log.log", false, 's', 14);
    ignore_close(list);
}

int main(void)
{
    test_begin("ignore");
    check_globs();
    check_faults();
    check_many_stars();
    check_braces();
    check_list();
    return test_end();
}
