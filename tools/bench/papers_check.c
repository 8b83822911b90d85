/* papers_check: does the page say what the figures say?
 *
 * What lies between the page's markers must be what this program makes of the figures, byte for
 * byte. Outside of them no sentence may order or compare, unless it stands between
 * <!-- published --> and <!-- end published -->, where the page tells what a source says. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

/* Words that order or compare; a blank stands for any end of a word. */
static const char *const comparing[] = {
    " faster ",    " fastest ",  " slower ",   " slowest ",     " quicker ",      " better ",
    " best ",      " worse ",    " worst ",    " beats ",       " beat ",         " ahead ",
    " wins ",      " win ",      " loses ",    " lose ",        " outruns ",      " outperforms ",
    " speedup ",   " speed-up ", " times as ", " twice ",       " thrice ",       " half as ",
    " gain ",      " gains ",    " per cent ", " longer than ", " shorter than ", " less time ",
    " more time ", " pays ",     " cheaper ",  " overtakes ",
};

/* A number in front of one of these is a figure. */
static const char *const units[] = {"%", "ms", "us", "ns", "GB/s", "GiB/s", "x", "times"};

static bool has_figure(const char *text)
{
    for (; *text != '\0'; text++) {
        const char *at = text;

        if (!isdigit((unsigned char)*at))
            continue;
        while (isdigit((unsigned char)*at) || *at == '.' || *at == ',')
            at++;
        at += *at == ' ';
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
            size_t bytes = strlen(units[i]);

            if (strncmp(at, units[i], bytes) == 0 &&
                (!isalnum((unsigned char)at[bytes]) || units[i][0] == '%'))
                return true;
        }
        text = at - 1;
    }
    return false;
}

static bool is_comparing(const char *sentence)
{
    char *words = (char *)allocate(strlen(sentence) + 3);
    size_t used = 0;
    bool is_so = false;

    words[used++] = ' ';
    for (const char *at = sentence; *at != '\0'; at++)
        words[used++] =
            isalnum((unsigned char)*at) || *at == '-' ? (char)tolower((unsigned char)*at) : ' ';
    words[used++] = ' ';
    words[used] = '\0';
    for (size_t i = 0; i < sizeof comparing / sizeof comparing[0] && !is_so; i++)
        is_so = strstr(words, comparing[i]) != NULL;
    free(words);
    return is_so || strstr(sentence, "<=") != NULL || strstr(sentence, ">=") != NULL ||
           has_figure(sentence);
}

/* A line of its own, from `page` on; NULL: there is none. */
static char *find_line(char *page, const char *line)
{
    size_t bytes = strlen(line);

    for (char *at = page; (at = strstr(at, line)) != NULL; at += bytes)
        if ((at == page || at[-1] == '\n') && (at[bytes] == '\n' || at[bytes] == '\0'))
            return at;
    return NULL;
}

/* Sentences of [text, end) one after the other; a blank line, a table's row and a code block end
 * one too. */
static uint32_t check_prose(char *text, const char *end)
{
    static char sentence[1 << 14];
    size_t used = 0;
    uint32_t bad = 0;
    bool code = false;

    for (char *at = text; at <= end; at++) {
        bool line = at < end && *at == '\n';
        bool ends = at == end || (line && (at + 1 == end || strchr("\n#|-<`", at[1]) != NULL)) ||
                    (strchr(".;:?", *at) != NULL && at + 1 < end && isspace((unsigned char)at[1]));

        if (at < end && strncmp(at, "```", 3) == 0 && (at == text || at[-1] == '\n'))
            code = !code;
        if (at < end && used + 1 < sizeof sentence && !code &&
            (used > 0 || !isspace((unsigned char)*at)))
            sentence[used++] = line ? ' ' : *at;
        if (!ends)
            continue;
        sentence[used] = '\0';
        used = 0;
        if (is_comparing(sentence)) {
            printf("no figures: %s\n", sentence);
            bad++;
        }
    }
    return bad;
}

/* The first line in which two texts differ. */
static uint32_t check_equal(const char *name, char *page, char *made)
{
    char *page_rest = NULL, *made_rest = NULL, *said, *made_line;
    uint32_t bad = 0;

    said = strtok_r(page, "\n", &page_rest);
    made_line = strtok_r(made, "\n", &made_rest);
    while (said != NULL || made_line != NULL) {
        bool alike = said != NULL && made_line != NULL && strcmp(said, made_line) == 0;

        if (!alike) {
            printf("%s: the page says: %s\n%s: the figures: %s\n", name,
                   said != NULL ? said : "(nothing)", name,
                   made_line != NULL ? made_line : "(nothing)");
            bad++;
        }
        said = said != NULL ? strtok_r(NULL, "\n", &page_rest) : NULL;
        made_line = made_line != NULL ? strtok_r(NULL, "\n", &made_rest) : NULL;
    }
    return bad;
}

/* Cut what lies between two marker lines out of the page; NULL: the markers are not there. */
static char *cut(char *page, const char *begin, const char *end)
{
    char *from = find_line(page, begin), *to, *inside;

    if (from == NULL || (to = find_line(from, end)) == NULL)
        return NULL;
    inside = (char *)allocate((uint64_t)(to - from) + 1);
    memcpy(inside, from + strlen(begin), (size_t)(to - from) - strlen(begin));
    inside[(size_t)(to - from) - strlen(begin)] = '\0';
    memmove(from, to + strlen(end), strlen(to + strlen(end)) + 1);
    return inside;
}

static char *made_text(const struct papers *papers, struct paper *const *paper,
                       uint32_t paper_count, uint32_t index)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    if (file == NULL)
        fail("no memory for a report");
    if (index < paper_count)
        papers_markdown(papers, paper[index], file);
    else
        papers_losses(paper, paper_count, file);
    fclose(file);
    /* The first line only parts the reports of the Markdown file. */
    if (index < paper_count)
        memmove(text, strchr(text, '\n') + 1, strlen(strchr(text, '\n') + 1) + 1);
    return text;
}

uint32_t papers_check(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                      const char *page_path)
{
    char *page = file_text(page_path), *inside;
    uint32_t bad = 0;

    for (uint32_t i = 0; i <= paper_count; i++) {
        const char *name = i < paper_count ? paper[i]->name : "losses";
        char begin[NAME_BYTES], end[NAME_BYTES], *made;

        snprintf(begin, sizeof begin, "<!-- begin %s -->", name);
        snprintf(end, sizeof end, "<!-- end %s -->", name);
        inside = cut(page, begin, end);
        if (inside == NULL)
            fail("%s has no markers for '%s'", page_path, name);
        made = made_text(papers, paper, paper_count, i);
        bad += check_equal(name, inside, made);
        free(made);
        free(inside);
    }
    while ((inside = cut(page, "<!-- published -->", "<!-- end published -->")) != NULL)
        free(inside);
    bad += check_prose(page, page + strlen(page));
    free(page);
    return bad;
}
