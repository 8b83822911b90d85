/* papers: one report after another. The results are written after each, so that an interrupted run
 * leaves what it had. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/papers.h"

static const struct {
    const char *name;
    void (*run)(struct papers *papers);
    const char *title, *source, *hardware;
} reports[] = {
    {"pss", paper_pss, "Parallel String Search Algorithm on GPU",
     "B. Kutukcu, Parallel String Search Algorithm on GPU, tables I to VIII",
     "NVIDIA GeForce GTX 1050, Intel i5-7300HQ"},
    {"bmh", paper_bmh, "Boyer-Moore-Horspool in CUDA",
     "Y. Han, Accelerate String Searching Algorithm with GPU Using CUDA, table II",
     "NVIDIA GeForce GTX 880M"},
    {"word", paper_word, "Word search in CUDA",
     "tutorial on wordSearchSimple, a word search in CUDA, its plot of search times",
     "NVIDIA GeForce GTX 470, Intel Core i7-930"},
    {"records", paper_records, "String search in records",
     "C++ AMP string search sample: M patterns, N records", "NVIDIA GeForce GTX 580"},
    /* Last: child grids are what a device is most likely to choke on. */
    {"swift", paper_swift, "SWIFT",
     "S. S. Shenoy, S. Nayak U., B. Neelima, SWIFT: A Performance Accelerated Optimized String "
     "Matching Algorithm for Nvidia GPUs, figures 6 to 9",
     "NVIDIA Kepler, 2880 cores, compute capability 3.5"},
};
#define REPORTS (sizeof reports / sizeof reports[0])

struct paper *paper_open(const char *name)
{
    struct paper *paper = (struct paper *)calloc(1, sizeof *paper);
    size_t index = 0;

    if (paper == NULL)
        fail("no memory for a report");
    while (index < REPORTS && strcmp(reports[index].name, name) != 0)
        index++;
    if (index == REPORTS) {
        free(paper);
        return NULL;
    }
    paper->name = reports[index].name;
    paper->title = reports[index].title;
    paper->source = reports[index].source;
    paper->hardware = reports[index].hardware;
    return paper;
}

/* FILE for one report; else FILE with the report's name before its suffix. */
static void write_svg(const struct papers *papers, const struct paper *paper)
{
    const char *path = papers->options->svg_path, *dot;
    char own[PATH_MAX];
    FILE *file;

    if (path == NULL || paper->plot_count == 0)
        return;
    dot = strrchr(path, '.');
    if (dot == NULL || strchr(dot, '/') != NULL)
        dot = path + strlen(path);
    if (papers->options->paper != NULL)
        snprintf(own, sizeof own, "%s", path);
    else
        snprintf(own, sizeof own, "%.*s-%s%s", (int)(dot - path), path, paper->name, dot);
    file = result_open(own);
    papers_svg(papers, paper, file);
    result_close(file, own);
}

static void write_results(const struct papers *papers, struct paper *const *paper, uint32_t count)
{
    const struct options *options = papers->options;
    FILE *file;

    write_svg(papers, paper[count - 1]);
    if (options->json_path != NULL) {
        file = result_open(options->json_path);
        papers_json(papers, paper, count, file);
        result_close(file, options->json_path);
    }
    if (options->csv_path != NULL) {
        file = result_open(options->csv_path);
        papers_csv_head(file);
        for (uint32_t i = 0; i < count; i++)
            papers_csv(paper[i], file);
        result_close(file, options->csv_path);
    }
    if (options->markdown_path == NULL)
        return;
    file = result_open(options->markdown_path);
    papers_page(papers, paper, count, file);
    result_close(file, options->markdown_path);
}

static void print_head(const struct papers *papers)
{
    machine_print(&papers->machine, papers->options, stdout, "");
    printf("grep: %s\ntrawl command: %s\n",
           papers->grep_version[0] != '\0' ? papers->grep_version : "not installed",
           papers->command_version[0] != '\0' ? papers->command_version : "not there");
    printf("GPU: %s%s\n\n", papers->device[0] != '\0' ? papers->device : "no GPU: ",
           papers->device[0] != '\0' ? "" : papers->no_device);
}

static bool is_asked_for(const struct options *options, size_t index)
{
    return options->paper == NULL || strcmp(options->paper, reports[index].name) == 0;
}

static void need_report(const struct options *options)
{
    for (size_t i = 0; i < REPORTS; i++)
        if (is_asked_for(options, i))
            return;
    fail("there is no report '%s'; say one of: pss, bmh, swift, word, records", options->paper);
}

static void free_papers(struct paper *const *paper, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(paper[i]);
}

/* --from: the outputs once more, from the figures of a run. --check: are they what the page says?
 */
static int papers_again(const struct options *options)
{
    static struct papers papers;
    static struct options own;
    struct paper *paper[PAPERS_MAX];
    const char *path =
        options->from_path != NULL ? options->from_path : "docs/measurements/papers.json";
    uint32_t count, bad;

    own = *options;
    count = papers_load(path, &papers, &own, paper);
    if (count == 0) {
        printf("%s is of an older form: measure again\n", path);
        return 77;
    }
    if (!options->check) {
        own.svg_path = NULL; /* plots are drawn by the run itself */
        own.json_path = NULL;
        write_results(&papers, paper, count);
        free_papers(paper, count);
        return 0;
    }
    bad = papers_check(&papers, paper, count,
                       options->markdown_path != NULL ? options->markdown_path : "docs/papers.md");
    free_papers(paper, count);
    printf("%u sentences without their figures\n", bad);
    return bad == 0 ? 0 : 1;
}

int bench_papers(const struct options *options)
{
    static struct papers papers;
    struct paper *paper[REPORTS];
    uint32_t count = 0;

    if (options->check || options->from_path != NULL)
        return papers_again(options);
    need_report(options);
    if (trawl_algorithm(0, NULL) == NULL)
        fail("this library was built without the gallery (TRAWL_GALLERY): there is nothing to "
             "measure");
    papers.options = options;
    papers.begin_seconds = clock_seconds();
    papers_open(&papers);
    print_head(&papers);
    for (size_t i = 0; i < REPORTS; i++) {
        if (!is_asked_for(options, i))
            continue;
        papers.paper = paper[count++] = paper_open(reports[i].name);
        reports[i].run(&papers);
        if (getloadavg(&papers.paper->load_after, 1) != 1)
            papers.paper->load_after = -1;
        papers_print(&papers, papers.paper);
        write_results(&papers, paper, count);
    }
    papers_losses(paper, count, stdout);
    printf("\n%llu answers compared, %u wrong, %u failed, in %.0f s\n",
           (unsigned long long)papers.check_count, papers.wrong_count, papers.failed_count,
           clock_seconds() - papers.begin_seconds);
    free_papers(paper, count);
    papers_close(&papers);
    return papers.wrong_count + papers.failed_count == 0 ? 0 : 1;
}
