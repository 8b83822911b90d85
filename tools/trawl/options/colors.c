/* colors: reads GREP_COLORS and the specifications given with --colors, and makes the terminal's
 * escape sequences for colours (SGR). */
#include "trawl/options/colors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trawl/options/settings.h"

/* ---- --colors ------------------------------------------------------------------------- */

/* Reads a number ≤ 255, decimal, or hexadecimal after 0x. Returns the text after the number; NULL:
 * no such number. */
static const char *read_number(const char *text, unsigned *number)
{
    bool hex = text[0] == '0' && text[1] == 'x';
    char *end;
    unsigned long parsed;

    if (hex)
        text += 2;
    if (strchr("0123456789abcdefABCDEF", text[0]) == NULL || text[0] == '\0')
        return NULL;
    parsed = strtoul(text, &end, hex ? 16 : 10);
    if (end == text || parsed > 255)
        return NULL;
    *number = (unsigned)parsed;
    return end;
}

/* Writes what follows 3 (or 4) in the SGR code of a colour. False: unknown colour. */
static bool read_color(char color[16], const char *text)
{
    static const char names[][8] = {"black", "red",     "green", "yellow",
                                    "blue",  "magenta", "cyan",  "white"};
    unsigned parts[3] = {0};
    size_t count = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i]) == 0) {
            (void)snprintf(color, 16, "%zu", i);
            return true;
        }
    while (count < 3) {
        text = read_number(text, &parts[count++]);
        if (text == NULL || *text != ',')
            break;
        text++;
    }
    if (text == NULL || *text != '\0' || count == 2)
        return false;
    if (count == 1)
        (void)snprintf(color, 16, "8;5;%u", parts[0]);
    else
        (void)snprintf(color, 16, "8;2;%u;%u;%u", parts[0] & 255, parts[1] & 255, parts[2] & 255);
    return true;
}

/* Reads the value of the attribute `style`: bold, intense, italic, underline, or the same after
 * "no". False: another word. */
static bool read_style(struct color_spec *spec, const char *text)
{
    bool on = strncasecmp(text, "no", 2) != 0;

    text += on ? 0 : 2;
    if (strcasecmp(text, "bold") == 0)
        spec->bold = on;
    else if (strcasecmp(text, "intense") == 0)
        spec->intense = on;
    else if (strcasecmp(text, "italic") == 0)
        spec->italic = on;
    else if (strcasecmp(text, "underline") == 0)
        spec->underline = on;
    else
        return false;
    return true;
}

/* Sets the default look of a type, before the first specification changes it. */
static void begin_spec(struct color_spec *spec, enum color_type type)
{
    static const char colors[COLOR_TYPE_COUNT][2] = {"5", "2", "", "1", ""};

    if (spec->given)
        return;
    spec->given = true;
    spec->bold = type == COLOR_MATCH;
    strcpy(spec->foreground, colors[type]);
}

const char *color_spec_read(struct color_spec *specs, const char *text)
{
    static const char names[COLOR_TYPE_COUNT][10] = {"path", "line", "column", "match",
                                                     "highlight"};
    size_t type = 0, type_bytes = strcspn(text, ":");
    const char *attribute = text + type_bytes;
    const char *value;

    while (type < COLOR_TYPE_COUNT &&
           (strlen(names[type]) != type_bytes || strncasecmp(names[type], text, type_bytes) != 0))
        type++;
    if (type == COLOR_TYPE_COUNT)
        return "unknown type; the types are path, line, column, match, highlight";
    if (*attribute == ':')
        attribute++;
    value = strchr(attribute, ':');
    if (strcasecmp(attribute, "none") == 0) {
        memset(&specs[type], 0, sizeof specs[type]);
        specs[type].given = true;
        return NULL;
    }
    if (value == NULL)
        return "it is not of the form TYPE:ATTRIBUTE:VALUE or TYPE:none";
    value++;
    begin_spec(&specs[type], (enum color_type)type);
    if (strncasecmp(attribute, "fg:", 3) == 0 || strncasecmp(attribute, "bg:", 3) == 0)
        return read_color((*attribute | 0x20) == 'f' ? specs[type].foreground
                                                     : specs[type].background,
                          value)
                   ? NULL
                   : "unknown colour; the colours are black, red, green, yellow, blue, magenta, "
                     "cyan, "
                     "white, a number up to 255, or three numbers with commas";
    if (strncasecmp(attribute, "style:", 6) == 0)
        return read_style(&specs[type], value)
                   ? NULL
                   : "unknown style; the styles are bold, intense, italic, underline, each also "
                     "after 'no'";
    return "unknown attribute; the attributes are fg, bg, style";
}

/* Writes the SGR code of the foreground or background. An intense colour that has a name is one of
 * the colours 8 to 15 of the 256. */
static size_t write_side(char *sequence, size_t room, const char *before, char side,
                         const char *color, bool intense)
{
    if (*color == '\0')
        return 0;
    if (intense && color[1] == '\0')
        return (size_t)snprintf(sequence, room, "%s%c8;5;%d", before, side, color[0] - '0' + 8);
    return (size_t)snprintf(sequence, room, "%s%c%s", before, side, color);
}

/* Writes the SGR codes of a specification; for tg, code 0 comes first. "": nothing is set. */
static void write_sequence(const struct color_spec *spec, bool of_tg,
                           char sequence[COLOR_SEQUENCE_BYTES])
{
    const char *between = of_tg ? "m\33[" : ";", *styles[] = {"1", "3", "4"};
    const bool on[] = {spec->bold, spec->italic, spec->underline};
    size_t used = (size_t)snprintf(sequence, COLOR_SEQUENCE_BYTES, "%s", of_tg ? "0" : "");

    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        if (on[i])
            used += (size_t)snprintf(sequence + used, COLOR_SEQUENCE_BYTES - used, "%s%s",
                                     used > 0 ? between : "", styles[i]);
    used += write_side(sequence + used, COLOR_SEQUENCE_BYTES - used, used > 0 ? between : "", '3',
                       spec->foreground, spec->intense);
    (void)write_side(sequence + used, COLOR_SEQUENCE_BYTES - used, used > 0 ? between : "", '4',
                     spec->background, spec->intense);
}

/* Returns true if a specification gives the text no colour or style. */
static bool is_none(const struct color_spec *spec)
{
    return !spec->bold && !spec->intense && !spec->italic && !spec->underline &&
           *spec->foreground == '\0' && *spec->background == '\0';
}

/* Writes the --colors sequences to `text`, COLOR_SEQUENCE_BYTES for each type. */
static void apply_specs(struct colors *colors, const struct settings *settings, char *text)
{
    static const enum color_type all[] = {COLOR_PATH, COLOR_LINE, COLOR_COLUMN, COLOR_MATCH};
    struct color_spec specs[COLOR_TYPE_COUNT];

    memset(specs, 0, sizeof specs);
    for (size_t i = 0; settings->is_tg && i < sizeof all / sizeof *all; i++)
        begin_spec(&specs[all[i]], all[i]);
    for (size_t i = 0; i < settings->asked.color_specs.count; i++)
        (void)color_spec_read(specs, settings->asked.color_specs.items[i].text);
    for (size_t i = 0; i < COLOR_TYPE_COUNT; i++, text += COLOR_SEQUENCE_BYTES) {
        if (!specs[i].given)
            continue;
        write_sequence(&specs[i], settings->is_tg, text);
        if (i >= COLOR_MATCH && settings->is_tg && is_none(&specs[i]))
            *text = '\0';
        if (i == COLOR_PATH)
            colors->file_name = text;
        else if (i == COLOR_LINE)
            colors->line_number = text;
        else if (i == COLOR_COLUMN)
            colors->column = text;
        else if (i == COLOR_HIGHLIGHT)
            colors->highlight = text;
        else
            colors->selected_match = colors->context_match = text;
    }
}

/* ---- GREP_COLORS ---------------------------------------------------------------------- */

static bool color_wanted(const struct settings *settings)
{
    if (settings->asked.color != COLOR_AUTO)
        return settings->asked.color == COLOR_ALWAYS;
    return settings->surroundings.output_is_terminal && settings->surroundings.colors_suit;
}

/* Applies a name or name=value of GREP_COLORS. */
static void set_color(struct colors *colors, bool invert, const char *name, const char *value)
{
    const struct {
        char name[3];
        const char **color;
    } rows[] = {
        {"mt", &colors->selected_match}, {"mt", &colors->context_match},
        {"ms", &colors->selected_match}, {"mc", &colors->context_match},
        {"sl", &colors->selected_line},  {"cx", &colors->context_line},
        {"fn", &colors->file_name},      {"ln", &colors->line_number},
        {"bn", &colors->byte_offset},    {"se", &colors->separator},
    };

    for (size_t i = 0; value != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0)
            *rows[i].color = value;
    if (strcmp(name, "rv") == 0)
        colors->reverse = invert;
    else if (strcmp(name, "ne") == 0)
        colors->no_erase = true;
}

/* Reads GREP_COLORS as grep does, up to the first mistake: two-letter names separated by colons,
 * with values of digits and semicolons. */
static void read_colors(struct colors *colors, bool invert)
{
    char *name = colors->storage;

    while (*name != '\0') {
        char *end = name + strcspn(name, ":");
        char *equals = memchr(name, '=', (size_t)(end - name));
        bool more = *end == ':';

        *end = '\0';
        if (equals != NULL) {
            *equals = '\0';
            if (equals == name || equals[1 + strspn(equals + 1, "0123456789;")] != '\0')
                return;
        }
        set_color(colors, invert, name, equals != NULL ? equals + 1 : NULL);
        if (!more)
            return;
        name = end + 1;
    }
}

bool colors_build(struct colors *colors, const struct settings *settings)
{
    const char *variable = settings->is_tg ? NULL : settings->surroundings.grep_colors;
    const char *old = settings->is_tg ? NULL : settings->surroundings.grep_color;
    size_t variable_bytes;

    colors->on = color_wanted(settings);
    if (!colors->on)
        return true;
    colors->selected_match = colors->context_match =
        old != NULL && *old != '\0' && old[strspn(old, "0123456789;")] == '\0' ? old : "01;31";
    colors->selected_line = colors->context_line = "";
    colors->file_name = "35";
    colors->line_number = colors->byte_offset = "32";
    colors->column = "";
    colors->separator = settings->is_tg ? "" : "36";
    colors->highlight = "";
    colors->no_erase = colors->of_tg = settings->is_tg;
    free(colors->storage); /* from an earlier call */
    variable_bytes = variable != NULL ? strlen(variable) + 1 : 1;
    colors->storage = calloc(1, variable_bytes + COLOR_TYPE_COUNT * COLOR_SEQUENCE_BYTES);
    if (colors->storage == NULL)
        return false;
    if (variable != NULL)
        memcpy(colors->storage, variable, variable_bytes);
    read_colors(colors, settings->invert);
    apply_specs(colors, settings, colors->storage + variable_bytes);
    if (settings->is_tg)
        colors->byte_offset = colors->column;
    return true;
}

void colors_begin(const struct colors *colors, struct output *output, const char *color)
{
    if (!colors->on || *color == '\0')
        return;
    output_bytes(output, "\33[", 2);
    output_text(output, color);
    output_bytes(output, "m\33[K", colors->no_erase ? 1 : 4);
}

void colors_end(const struct colors *colors, struct output *output, const char *color)
{
    if (colors->on && *color != '\0')
        output_bytes(output, colors->of_tg ? "\33[0m" : "\33[m\33[K",
                     colors->of_tg      ? 4
                     : colors->no_erase ? 3
                                        : 6);
}
