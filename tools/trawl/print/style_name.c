/* style_name: prints a file's name in the forms of ripgrep's options, and links to the file. */
#include "trawl/print/style_name.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/options/hyperlink.h"

/* Returns the file's absolute path, which the caller frees. NULL: no path is known. */
static char *whole_path(const struct text_scan *scan)
{
    const char *directory = scan->settings->surroundings.directory;
    char *joined = NULL, *path;

    if (directory == NULL || scan->name[0] == '/')
        return realpath(scan->name, NULL);
    if (asprintf(&joined, "%s/%s", directory, scan->name) < 0)
        return NULL;
    path = realpath(joined, NULL);
    free(joined);
    return path;
}

bool style_begin_link(struct text_scan *scan, uint64_t line, uint64_t column)
{
    struct style_state *style = &scan->style;

    if (!scan->settings->style.links || style->link_open)
        return false;
    if (!style->link_sought)
        style->link_path = whole_path(scan); /* standard input has no path */
    style->link_sought = true;
    if (style->link_path == NULL)
        return false;
    hyperlink_begin(scan->output, scan->settings->style.hyperlink, style->link_path, line, column);
    style->link_open = true;
    return true;
}

void style_end_link(struct text_scan *scan)
{
    if (scan->style.link_open)
        hyperlink_end(scan->output);
    scan->style.link_open = false;
}

void style_name(struct text_scan *scan)
{
    const char *separator = scan->settings->style.path_separator;
    bool linked = style_begin_link(scan, 0, 0);

    for (const char *at = scan->name, *end; *at != '\0'; at = end) {
        end = at + strcspn(at, separator != NULL ? "/" : "");
        output_bytes(scan->output, at, (size_t)(end - at));
        if (*end == '/') {
            output_byte(scan->output, (uint8_t)*separator);
            end++;
        }
    }
    if (linked)
        style_end_link(scan);
}
