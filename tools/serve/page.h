/* page: the files that are built into the server: the web page and the description of the
 * interface. cmake/embed.cmake turns these files into C source. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct page_file {
    const char *path, *type; /* path of the URL; value of Content-Type */
    const char *tag;         /* value of ETag, with its quotes */
    const uint8_t *bytes;
    size_t bytes_count;
};

extern const struct page_file page_files[]; /* a file with path NULL ends the array */

#endif
