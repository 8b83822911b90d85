/* calls: checks how many system and allocator calls the command makes for texts whose lines are
 * short, long or endless, and for a directory of small files, as fault_wrap.c counts them.
 * Redundant reads or allocations do not change the output, so no other test would notice them.
 *
 * usage: cli_calls TRAWL_WITH_FAULTS
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define TEXT_BYTES ((size_t)2 << 20)
#define FILES 400u
#define EXPRESSION "-E 'n[aeiou]+dle[0-9 ]*'"

enum text { SHORT, LONG, ENDLESS, MIXED, TREE, TEXTS };
static const char *const names[TEXTS] = {"short", "long", "endless", "mixed", "-r tree"};

static const struct {
    const char *arguments;
    unsigned calls[TEXTS]; /* today's numbers; an eighth more is allowed */
} rows[] = {
    {"-c needle", {63, 63, 62, 63, 1768}},
    {"-v needle", {86, 132, 65, 80, 2137}},
    {"-n needle", {68, 69, 141, 94, 1769}},
    {"-l needle", {31, 32, 63, 41, 1766}},
    {"-nw needle", {68, 69, 141, 94, 1769}},
    {"-C2 needle", {71, 75, 74, 74, 1785}},
    {"-o -b needle", {64, 64, 63, 64, 1769}},
    {"-nM100 needle", {68, 68, 102, 80, 1769}},
    {"-in NEEDLE", {69, 70, 142, 95, 1770}},
    {"--mmap -c needle", {32, 32, 31, 32, 1768}},
    {"--json needle", {75, 70, 142, 97, 1777}},
    {"--fasta -c needle", {104, 105, 104, 105, 6937}},
    {"--edits=1 -c needle", {147, 91, 89, 122, 1811}},
    {"--ignore -n needle", {82, 83, 155, 108, 1800}},
    {"--sort=path -n needle", {68, 69, 141, 94, 1769}},
    {"-e needle -e news -e lines --pattern-number", {96, 141, 147, 103, 2946}},
    {EXPRESSION " -c", {168, 168, 138, 160, 2208}},
    {EXPRESSION " -n", {171, 171, 145, 165, 2209}},
    {EXPRESSION " -o", {170, 170, 140, 162, 2210}},
    {EXPRESSION " --mmap -c", {137, 148, 138, 138, 2208}},
};

static char folder[] = "/tmp/trawl-calls-XXXXXX";

static void write_text(enum text text)
{
    size_t line = text == ENDLESS ? TEXT_BYTES : text == LONG ? 100000 : 50, count = 0;
    FILE *file = fopen(names[text], "w");

    if (file == NULL)
        exit(1);
    for (unsigned i = 0; count < TEXT_BYTES; i++) {
        size_t filled = text == MIXED ? (i == 0 ? TEXT_BYTES / 3 : i % 4 == 0 ? 3000 : 50) : line;

        count += (size_t)fprintf(file, "%*s%s %08u\n", (int)(filled - 16), "",
                                 i % 16 == 0 ? "needle" : "news", i);
    }
    (void)fclose(file);
}

static void write_tree(void)
{
    char path[64];

    (void)mkdir("tree", 0700);
    for (unsigned i = 0; i < FILES; i++) {
        FILE *file;

        (void)snprintf(path, sizeof path, "tree/%u", i / 20);
        (void)mkdir(path, 0700);
        (void)snprintf(path, sizeof path, "tree/%u/%u", i / 20, i);
        file = fopen(path, "w");
        if (file == NULL || fprintf(file, "a line\n%s\n", i % 50 == 0 ? "needle" : "news") < 0)
            exit(1);
        (void)fclose(file);
    }
}

/* Returns how many calls a command line makes; 0: the command failed. */
static unsigned calls_of(const char *program, const char *arguments, const char *text)
{
    char line[1024];
    unsigned calls = 0;
    FILE *file;

    (void)snprintf(line, sizeof line,
                   "TRAWL_FAULT_NTH=0 TRAWL_FAULT_REPORT=report "
                   "'%s' -j1 --chunk-bytes=65536 %s %s >output",
                   program, arguments, text);
    (void)remove("report");
    if (system(line) == -1 || (file = fopen("report", "r")) == NULL)
        return 0;
    if (fscanf(file, "%u", &calls) != 1)
        calls = 0;
    (void)fclose(file);
    return calls;
}

int main(int argument_count, char **arguments)
{
    test_begin("cli_calls");
    if (argument_count != 2 || mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    for (enum text text = SHORT; text < TREE; text++)
        write_text(text);
    write_tree();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned found[TEXTS];
        bool few = true;

        for (enum text text = SHORT; text < TEXTS; text++) {
            found[text] = calls_of(arguments[1], rows[i].arguments, names[text]);
            few = few && found[text] > 0 && found[text] <= rows[i].calls[text] * 9 / 8;
        }
        if (!TEST_CHECK(few))
            printf("  {\"%s\", {%u, %u, %u, %u, %u}},\n", rows[i].arguments, found[0], found[1],
                   found[2], found[3], found[4]);
    }
    return system("rm -r \"$PWD\"") != 0 || test_end();
}
