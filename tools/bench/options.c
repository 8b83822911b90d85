/* options: what was typed after `trawl-bench cpu` and the other benchmarks' names. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options.h"
#include "bench/util.h"

#define TEXT_BYTES_UNIT 4096u
#define LINE_BYTES_MAX 1024u
#define MODES "cpu, commands, papers, roofline, sets, matrix, floods"

static const char help[] =
    "Usage: trawl-bench cpu [OPTION]...\n"
    "       trawl-bench commands [OPTION]...\n"
    "       trawl-bench papers [pss|bmh|swift|word|records] [OPTION]...\n"
    "       trawl-bench roofline [OPTION]...\n"
    "       trawl-bench sets [OPTION]...\n"
    "       trawl-bench matrix [OPTION]...\n"
    "       trawl-bench floods [OPTION]...\n"
    "cpu times, in one process and on one text in memory, a loop that only reads, the C library's\n"
    "memmem, and trawl with one thread and with all. commands times whole processes: trawl,\n"
    "grep -F, rg -F and ugrep -F. papers measures the tables and figures of the gallery's sources\n"
    "again, on a GPU too if there is one. roofline times each engine with each method and as\n"
    "chosen, against the speed of reading. sets and matrix search for many patterns, in one text\n"
    "and in many records, beside Hyperscan, aho-corasick, grep and rg where they are installed,\n"
    "memmem and the gallery. floods searches for sets in texts where they are dense, and on "
    "random\n"
    "letters. Every timed answer is checked; a wrong one of ours ends the run with\n"
    "exit status 1.\n\n"
    "  --bytes=SIZE           size of each text (1G; sets at most 64M, matrix 200 MB, floods "
    "32M);\n"
    "                         K, M and G are powers of 1024\n"
    "  --rounds=N             timed runs of each thing, interleaved; the median counts (5);\n"
    "                         papers: (10, or as many as the source has)\n"
    "  --threads=N            threads of the runs that use all (one per core)\n"
    "  --filter=TEXT          only rows whose name contains TEXT\n"
    "  --method=NAME          force a method, such as 'words'\n"
    "  --instruction-set=NAME force an instruction set, such as 'portable'\n"
    "  --sample               cpu, roofline: show the plan the first 64 KiB of the text\n"
    "  --text=FILE            English text (TRAWL_DATA/bible.txt, else generated)\n"
    "  --dna=FILE             DNA (TRAWL_DATA/ecoli-nc008253.txt, else generated)\n"
    "  --data=FOLDER          folder of texts: bible.txt, world192.txt, ecoli-nc008253.txt\n"
    "  --command=FILE         the command to time (trawl beside this program)\n"
    "  --directory=DIR        where files for commands are made (beside this program)\n"
    "  --largest=SIZE         papers: no text is larger (64M)\n"
    "  --seconds=N            papers, roofline: what is not begun by then is left out (480)\n"
    "  --cell-seconds=N       papers, roofline: fewer runs where they take longer in all (1;\n"
    "                         papers 5); sets, matrix: of slow ones that much work is measured\n"
    "  --small-runs=N         commands: runs on a file of 1 KiB (200)\n"
    "  --json=FILE            write all times\n"
    "  --csv=FILE             papers: write a line per figure\n"
    "  --svg=FILE             cpu: draw speed against pattern length; papers: the figures of one\n"
    "                         report, or of each in FILE with its name before the suffix\n"
    "  --markdown=FILE        write the tables as in docs/benchmarks.md and docs/papers.md\n"
    "  --from=FILE            papers: measure nothing, write --markdown and --csv from this JSON\n"
    "  --check                papers: has each sentence of the page docs/papers.md (--markdown)\n"
    "                         its figures in docs/measurements/papers.json (--from)?\n"
    "  --falsify              expect one too many: the run must end with exit status 1\n"
    "  --help                 this text\n"
    "Without --data texts are looked for in the folder TRAWL_DATA, else in ../shared/data.\n";

enum option_key {
    KEY_BYTES = 256,
    KEY_ROUNDS,
    KEY_THREADS,
    KEY_FILTER,
    KEY_METHOD,
    KEY_INSTRUCTION_SET,
    KEY_SAMPLE,
    KEY_TEXT,
    KEY_DNA,
    KEY_COMMAND,
    KEY_DIRECTORY,
    KEY_DATA,
    KEY_LARGEST,
    KEY_SECONDS,
    KEY_CELL_SECONDS,
    KEY_CSV,
    KEY_FROM,
    KEY_CHECK,
    KEY_SMALL_RUNS,
    KEY_JSON,
    KEY_SVG,
    KEY_MARKDOWN,
    KEY_FALSIFY,
    KEY_HELP
};

static const struct option long_options[] = {
    {"bytes", required_argument, NULL, KEY_BYTES},
    {"rounds", required_argument, NULL, KEY_ROUNDS},
    {"threads", required_argument, NULL, KEY_THREADS},
    {"filter", required_argument, NULL, KEY_FILTER},
    {"method", required_argument, NULL, KEY_METHOD},
    {"instruction-set", required_argument, NULL, KEY_INSTRUCTION_SET},
    {"sample", no_argument, NULL, KEY_SAMPLE},
    {"text", required_argument, NULL, KEY_TEXT},
    {"dna", required_argument, NULL, KEY_DNA},
    {"command", required_argument, NULL, KEY_COMMAND},
    {"directory", required_argument, NULL, KEY_DIRECTORY},
    {"data", required_argument, NULL, KEY_DATA},
    {"largest", required_argument, NULL, KEY_LARGEST},
    {"seconds", required_argument, NULL, KEY_SECONDS},
    {"cell-seconds", required_argument, NULL, KEY_CELL_SECONDS},
    {"csv", required_argument, NULL, KEY_CSV},
    {"from", required_argument, NULL, KEY_FROM},
    {"check", no_argument, NULL, KEY_CHECK},
    {"small-runs", required_argument, NULL, KEY_SMALL_RUNS},
    {"json", required_argument, NULL, KEY_JSON},
    {"svg", required_argument, NULL, KEY_SVG},
    {"markdown", required_argument, NULL, KEY_MARKDOWN},
    {"falsify", no_argument, NULL, KEY_FALSIFY},
    {"help", no_argument, NULL, KEY_HELP},
    {NULL, 0, NULL, 0},
};

/* A number with an optional K, M or G, in [least, most]. */
static uint64_t parse_number(const char *name, const char *text, uint64_t least, uint64_t most)
{
    static const char units[] = "KMG";
    char *end = NULL;
    unsigned long long number;
    const char *unit;

    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *text == '-')
        fail("--%s: not a number: %s", name, text);
    unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL && number <= most) {
        number <<= 10 * (unit - units + 1);
        end++;
    }
    if (*end != '\0' || number < least || number > most)
        fail("--%s: must be a number from %llu to %llu: %s", name, (unsigned long long)least,
             (unsigned long long)most, text);
    return number;
}

static enum trawl_method parse_method(const char *text)
{
#define METHOD_CASE(name, number, word) \
    if (strcmp(text, word) == 0)        \
        return TRAWL_METHOD_##name;
    TRAWL_METHOD_LIST(METHOD_CASE)
#undef METHOD_CASE
    fail("--method: there is no method '%s'", text);
}

static const char *parse_instruction_set(const char *text)
{
    const char *name;

    for (uint32_t i = 0; (name = trawl_instruction_set(i)) != NULL; i++)
        if (strcmp(name, text) == 0)
            return name;
    fail("--instruction-set: not available here: %s", text);
}

static void take_number(int key, const char *value, struct options *options)
{
    switch (key) {
    case KEY_BYTES:
        options->text_bytes = parse_number("bytes", value, 1u << 20, 1ull << 40);
        options->text_bytes -= options->text_bytes % TEXT_BYTES_UNIT;
        break;
    case KEY_ROUNDS:
        options->rounds = (uint32_t)parse_number("rounds", value, 1, SAMPLES_MAX);
        break;
    case KEY_THREADS:
        options->threads = (uint32_t)parse_number("threads", value, 1, 1024);
        break;
    case KEY_LARGEST:
        options->largest_bytes = parse_number("largest", value, 1024, 1ull << 32);
        break;
    case KEY_SECONDS:
        options->seconds_max = (uint32_t)parse_number("seconds", value, 0, 1u << 24);
        break;
    case KEY_CELL_SECONDS:
        options->cell_seconds = (double)parse_number("cell-seconds", value, 0, 1u << 24);
        break;
    default:
        options->small_runs = (uint32_t)parse_number("small-runs", value, 1, SAMPLES_MAX);
        break;
    }
}

static void take(int key, const char *value, struct options *options)
{
    switch (key) {
    case KEY_FILTER:
        options->filter = value;
        break;
    case KEY_METHOD:
        options->method = parse_method(value);
        options->method_name = value;
        break;
    case KEY_INSTRUCTION_SET:
        options->instruction_set = parse_instruction_set(value);
        break;
    case KEY_SAMPLE:
        options->sample = true;
        break;
    case KEY_TEXT:
        options->english_path = value;
        break;
    case KEY_DNA:
        options->dna_path = value;
        break;
    case KEY_COMMAND:
        options->command_path = value;
        break;
    case KEY_DIRECTORY:
        options->directory = value;
        break;
    case KEY_DATA:
        options->data_folder = value;
        break;
    case KEY_CSV:
        options->csv_path = value;
        break;
    case KEY_FROM:
        options->from_path = value;
        break;
    case KEY_CHECK:
        options->check = true;
        break;
    case KEY_JSON:
        options->json_path = value;
        break;
    case KEY_SVG:
        options->svg_path = value;
        break;
    case KEY_MARKDOWN:
        options->markdown_path = value;
        break;
    case KEY_FALSIFY:
        options->falsify = true;
        break;
    default:
        take_number(key, value, options);
        break;
    }
}

/* The command line in one string, without the folder of the program. */
static const char *whole_line(int argc, char **argv)
{
    static char line[LINE_BYTES_MAX];
    const char *slash = strrchr(argv[0], '/');
    size_t used = (size_t)snprintf(line, sizeof line, "%s", slash != NULL ? slash + 1 : argv[0]);

    for (int i = 1; i < argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", argv[i]);
    return line;
}

/* What comes after the options: a benchmark, and of papers a report. */
static void take_words(int count, char **words, struct options *options)
{
    static const char *const modes[] = {"cpu",  "commands", "papers", "roofline",
                                        "sets", "matrix",   "floods"};

    if (count < 1)
        fail("say one of: " MODES " (--help tells more)");
    for (uint32_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(words[0], modes[i]) == 0)
            options->mode = modes[i];
    if (options->mode == NULL)
        fail("there is no benchmark '%s'; say one of: " MODES, words[0]);
    if (count > (strcmp(options->mode, "papers") == 0 ? 2 : 1))
        fail("one word too many: %s", words[count - 1]);
    options->paper = count == 2 ? words[1] : NULL;
}

void options_parse(int argc, char **argv, struct options *options)
{
    int key;

    memset(options, 0, sizeof *options);
    options->program = argv[0];
    options->line = whole_line(argc, argv);
    options->text_bytes = 1ull << 30;
    options->largest_bytes = 64ull << 20;
    options->seconds_max = 480;
    options->cell_seconds = -1; /* not said */
    options->small_runs = 200;
    options->method = TRAWL_METHOD_AUTO;
    options->method_name = "auto";
    while ((key = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (key == KEY_HELP) {
            fputs(help, stdout);
            exit(0);
        }
        if (key == '?')
            exit(2);
        take(key, optarg, options);
    }
    take_words(argc - optind, argv + optind, options);
    if (options->cell_seconds < 0)
        options->cell_seconds = strcmp(options->mode, "papers") == 0 ? 5 : 1;
    if (options->rounds == 0)
        options->rounds = strcmp(options->mode, "papers") == 0 ? 10 : 5;
}

bool options_wants(const struct options *options, const char *row_name)
{
    return options->filter == NULL || strstr(row_name, options->filter) != NULL;
}
