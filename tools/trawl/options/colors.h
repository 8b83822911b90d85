/* colors: reads GREP_COLORS and the specifications given with --colors, and prints the escape
 * sequences. */
#ifndef TRAWL_COLORS_H
#define TRAWL_COLORS_H

#include "trawl/options/flags.h"
#include "trawl/text/output.h"

#define COLOR_SEQUENCE_BYTES 80 /* room for a sequence made from --colors */

/* SGR sequences; "": no colour. For tg, a sequence begins with "0", and each attribute is a
 * separate sequence. */
struct colors {
    const char *selected_match, *context_match, *selected_line, *context_line;
    const char *file_name, *line_number, *column, *byte_offset, *separator, *highlight;
    char *storage; /* memory that the sequences lie in; to be freed */
    bool on;       /* colours are printed; if not, the other members are not set */
    bool reverse;  /* rv of GREP_COLORS with -v: selected lines and context swap colours */
    bool no_erase; /* ne of GREP_COLORS, or tg: no "\33[K" follows a sequence */
    bool of_tg;    /* sequences are those of ripgrep */
};

enum color_type {
    COLOR_PATH,
    COLOR_LINE,
    COLOR_COLUMN,
    COLOR_MATCH,
    COLOR_HIGHLIGHT, /* the rest of a line with a match */
    COLOR_TYPE_COUNT
};

/* What --colors says about a type of output: path, line, column, match or highlight. */
struct color_spec {
    bool given; /* --colors names this type */
    bool bold, intense, italic, underline;
    char foreground[16], background[16]; /* what follows 3 or 4 in an SGR code; "": no colour */
};

/* Stores TYPE:ATTRIBUTE:VALUE or TYPE:none in specs[COLOR_TYPE_COUNT]. Returns what is wrong with
 * the text; NULL: the text is correct. */
const char *color_spec_read(struct color_spec *specs, const char *text);

/* Computes the sequences. False: no memory. */
bool colors_build(struct colors *colors, const struct settings *settings);
/* Print the sequences before and after coloured text; print nothing for the colour "". */
void colors_begin(const struct colors *colors, struct output *output, const char *color);
void colors_end(const struct colors *colors, struct output *output, const char *color);

#endif
