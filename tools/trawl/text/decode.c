/* decode: reads bytes as the decoders of WHATWG's standard do. Most characters beyond ASCII come
 * from iconv or from encodings.def. Those of UTF-8, x-user-defined and half-width katakana are
 * computed. An ASCII byte that cannot continue a character is read again, as the start of the next
 * character. In UTF-8 every byte that cannot continue a character is read again, in ISO-2022-JP
 * only the byte ESCAPE. */
#include "trawl/text/decode.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trawl/text/utf8.h"

#define NO_CONVERTER ((iconv_t)-1) /* NOLINT: as POSIX has it */
#define ESCAPE 0x1b

enum form { ICONV, SINGLE, UTF_8, USER_DEFINED, GBK, BIG5, SHIFT_JIS, EUC_KR, EUC_JP, ISO_2022_JP };

static const struct encoding_row {
    enum form form;
    const char *name, *labels; /* labels: separated by blanks */
} encodings[] = {
#define ENCODING(form, name, labels) {form, name, labels},
#define OVER(name, ...)
#include "trawl/text/encodings.def"
#undef ENCODING
#undef OVER
};

static const struct {
    const char *name;
    uint32_t pairs[300]; /* bytes and their code point, in turn; 0: the end */
} overs[] = {
#define ENCODING(form, name, labels)
#define OVER(name, ...) {name, {__VA_ARGS__}},
#include "trawl/text/encodings.def"
#undef ENCODING
#undef OVER
};

struct decoder {
    enum form form;
    const char *name;
    iconv_t converter, other; /* `other`: JIS X 0212, for EUC_JP */
    uint8_t shift;            /* ISO_2022_JP: '$', 'B', 'J' or 'I' of the last escape */
    bool escaped;             /* ISO_2022_JP: nothing came since the last escape */
    uint32_t known[];         /* code point of each byte or pair; 0: not looked up yet */
};

static const struct encoding_row *find_label(const char *text)
{
    static const char spaces[] = "\t\n\f\r ";
    size_t count;

    text += strspn(text, spaces);
    count = strlen(text);
    while (count > 0 && strchr(spaces, text[count - 1]) != NULL)
        count--;
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        for (const char *at = encodings[i].labels; *at != '\0'; at += strspn(at, " ")) {
            const size_t label_bytes = strcspn(at, " ");

            if (label_bytes == count && strncasecmp(at, text, count) == 0)
                return &encodings[i];
            at += label_bytes;
        }
    return NULL;
}

bool decode_has(const char *label, const char **by_iconv)
{
    const struct encoding_row *found = find_label(label);

    *by_iconv = found != NULL && found->form == ICONV ? found->name : NULL;
    return found != NULL;
}

/* Returns the character to which iconv converts the bytes; DECODE_REPLACEMENT if there is none, or
 * several. */
static uint32_t ask(iconv_t converter, const uint8_t *bytes, size_t count)
{
    char in[4], text[16], *from = in, *to = text;
    size_t left = count, room = sizeof text;
    uint32_t code_point;

    memcpy(in, bytes, count);
    (void)iconv(converter, NULL, NULL, NULL, NULL);
    if (iconv(converter, &from, &left, &to, &room) == (size_t)-1 || left > 0 ||
        iconv(converter, NULL, NULL, &to, &room) == (size_t)-1)
        return DECODE_REPLACEMENT;
    count = sizeof text - room;
    return count > 0 && utf8_character((const uint8_t *)text, count, &code_point) == count
               ? code_point
               : DECODE_REPLACEMENT;
}

static uint32_t look_up(const struct decoder *decoder, const uint8_t *bytes, size_t count)
{
    uint32_t key = 0;

    for (size_t i = 0; i < count; i++)
        key = key << 8 | bytes[i];
    for (size_t i = 0; i < sizeof overs / sizeof overs[0]; i++)
        for (const uint32_t *at = overs[i].pairs; *at != 0; at += 2)
            if (*at == key && strcmp(overs[i].name, decoder->name) == 0)
                return at[1];
    return ask(decoder->converter, bytes, count);
}

struct decoder *decode_open(const char *label)
{
    const struct encoding_row *found = find_label(label);
    const size_t known = found->form == SINGLE ? 256 : found->form >= GBK ? 65536 : 0;
    struct decoder *decoder = calloc(1, sizeof *decoder + known * sizeof decoder->known[0]);

    if (decoder == NULL)
        return NULL;
    decoder->form = found->form;
    decoder->name = found->name;
    decoder->converter = decoder->other = NO_CONVERTER;
    decoder->shift = 'B';
    if (known > 0)
        decoder->converter = iconv_open("UTF-8", found->name);
    if (found->form == EUC_JP)
        decoder->other = iconv_open("UTF-8", "EUC-JP");
    if ((known > 0 && decoder->converter == NO_CONVERTER) ||
        (found->form == EUC_JP && decoder->other == NO_CONVERTER)) {
        decode_close(decoder);
        return NULL;
    }
    for (uint32_t byte = 0; byte < 256 && found->form == SINGLE; byte++) {
        const uint8_t bytes[1] = {(uint8_t)byte};
        const uint32_t code_point = byte < 0x80 ? byte : look_up(decoder, bytes, 1);

        /* Bytes up to 0x9f without a character are controls. */
        decoder->known[byte] = code_point == DECODE_REPLACEMENT && byte < 0xa0 ? byte : code_point;
    }
    return decoder;
}

bool decode_has_ascii(const struct decoder *decoder)
{
    return decoder->form != ISO_2022_JP;
}

void decode_close(struct decoder *decoder)
{
    const int error = errno;

    if (decoder->converter != NO_CONVERTER)
        (void)iconv_close(decoder->converter);
    if (decoder->other != NO_CONVERTER)
        (void)iconv_close(decoder->other);
    free(decoder);
    errno = error;
}

static uint32_t pair(struct decoder *decoder, uint8_t lead, uint8_t trail)
{
    const uint8_t bytes[2] = {lead, trail};
    uint32_t *known = &decoder->known[lead << 8 | trail];

    if (*known == 0)
        *known = look_up(decoder, bytes, 2);
    return *known;
}

/* Returns the character of JIS X 0208 that has these bytes in EUC-JP. Looks the character up by its
 * bytes in Shift_JIS. */
static uint32_t jis_pair(struct decoder *decoder, uint8_t lead, uint8_t trail)
{
    const int row = lead - 0xa1, cell = trail - 0xa1;

    if (row < 0 || row > 93 || cell < 0 || cell > 93)
        return DECODE_REPLACEMENT;
    return pair(decoder, (uint8_t)(row / 2 + (row < 62 ? 0x81 : 0xc1)),
                (uint8_t)(row % 2 != 0 ? cell + 0x9f : cell + (cell < 63 ? 0x40 : 0x41)));
}

static size_t next_utf8(const uint8_t *bytes, size_t count, bool end, uint32_t *point)
{
    const uint8_t lead = bytes[0];
    size_t length = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (utf8_character(bytes, count, point) > 0)
        return length;
    *point = DECODE_REPLACEMENT;
    for (size_t i = 1; i < length; i++) {
        const uint8_t least = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const uint8_t most = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

        if (i == count)
            return end ? i : 0;
        if (bytes[i] < least || bytes[i] > most)
            return i;
    }
    return length;
}

/* Reads an escape of ISO-2022-JP. Of two escapes in a row, the second is a mistake. */
static size_t next_escape(struct decoder *decoder, const uint8_t *bytes, size_t count, bool end,
                          uint32_t *point, size_t *point_count)
{
    const bool twice = decoder->escaped;

    *point = DECODE_REPLACEMENT;
    decoder->escaped = false;
    if (count < 3 && !end) {
        decoder->escaped = twice;
        return 0;
    }
    if (count < 3 ||
        !((bytes[1] == '(' && (bytes[2] == 'B' || bytes[2] == 'J' || bytes[2] == 'I')) ||
          (bytes[1] == '$' && (bytes[2] == '@' || bytes[2] == 'B'))))
        return 1;
    decoder->shift = bytes[1] == '$' ? '$' : bytes[2];
    decoder->escaped = true;
    *point_count = twice;
    return 3;
}

static size_t next_iso_2022_jp(struct decoder *decoder, const uint8_t *bytes, size_t count,
                               bool end, uint32_t *point, size_t *point_count)
{
    const uint8_t byte = bytes[0];

    if (byte == ESCAPE)
        return next_escape(decoder, bytes, count, end, point, point_count);
    *point = DECODE_REPLACEMENT;
    if (decoder->shift == '$') {
        if (byte < 0x21 || byte > 0x7e)
            decoder->escaped = false;
        else if (count < 2)
            return end ? 1 : 0;
        else if (bytes[1] != ESCAPE)
            *point = jis_pair(decoder, byte ^ 0x80, bytes[1] ^ 0x80);
        decoder->escaped = false;
        return byte < 0x21 || byte > 0x7e || bytes[1] == ESCAPE ? 1 : 2;
    }
    decoder->escaped = false;
    if (decoder->shift == 'I')
        *point = byte >= 0x21 && byte <= 0x5f ? 0xff61u - 0x21u + byte : DECODE_REPLACEMENT;
    else if (byte < 0x80 && byte != 0x0e && byte != 0x0f)
        *point = decoder->shift != 'J' ? byte : byte == 0x5c ? 0xa5 : byte == 0x7e ? 0x203e : byte;
    return 1;
}

/* Reads a character beyond ASCII of GBK, Big5, Shift_JIS, EUC-KR or EUC-JP. */
static size_t next_of_pairs(struct decoder *decoder, const uint8_t *bytes, size_t count, bool end,
                            uint32_t points[2], size_t *point_count)
{
    const uint8_t lead = bytes[0], trail = count > 1 ? bytes[1] : 0;
    const enum form form = decoder->form;

    *points = DECODE_REPLACEMENT;
    if (form == SHIFT_JIS && (lead == 0x80 || (lead > 0xa0 && lead < 0xe0))) {
        *points = lead == 0x80 ? 0x80 : 0xff61u - 0xa1u + lead;
        return 1;
    }
    if (form == GBK && lead == 0x80)
        *points = 0x20ac;
    if (lead == 0x80 || lead == 0xff || (form == SHIFT_JIS && (lead == 0xa0 || lead > 0xfc)) ||
        (form == EUC_JP && lead < 0xa1 && lead != 0x8e && lead != 0x8f))
        return 1;
    if (count < 2)
        return end ? 1 : 0;
    if (form == GBK && trail >= '0' && trail <= '9') {
        if (count < 4 && (count < 3 || (bytes[2] > 0x80 && bytes[2] < 0xff)))
            return end ? count : 0;
        if (bytes[2] < 0x81 || bytes[2] > 0xfe || bytes[3] < '0' || bytes[3] > '9')
            return 1;
        *points = look_up(decoder, bytes, 4);
        return 4;
    }
    if (form == EUC_JP && lead == 0x8f && trail > 0xa0 && trail < 0xff) {
        if (count < 3)
            return end ? 2 : 0;
        if (bytes[2] > 0xa0 && bytes[2] < 0xff)
            *points = ask(decoder->other, bytes, 3);
        return *points == DECODE_REPLACEMENT && bytes[2] < 0x80 ? 2 : 3;
    }
    if (form == BIG5 && lead == 0x88 &&
        (trail == 0x62 || trail == 0x64 || trail == 0xa3 || trail == 0xa5)) {
        points[0] = trail < 0x80 ? 0xca : 0xea;
        points[1] = trail == 0x62 || trail == 0xa3 ? 0x304 : 0x30c;
        *point_count = 2;
        return 2;
    }
    if (form != EUC_JP)
        *points = pair(decoder, lead, trail);
    else if (lead > 0xa0)
        *points = jis_pair(decoder, lead, trail);
    else if (lead == 0x8e && trail > 0xa0 && trail < 0xe0)
        *points = 0xff61u - 0xa1u + trail;
    return *points == DECODE_REPLACEMENT && trail < 0x80 ? 1 : 2;
}

size_t decode_next(struct decoder *decoder, const uint8_t *bytes, size_t count, bool end,
                   uint32_t points[2], size_t *point_count)
{
    *point_count = 1;
    *points = bytes[0];
    if (decoder->form == ISO_2022_JP)
        return next_iso_2022_jp(decoder, bytes, count, end, points, point_count);
    if (bytes[0] < 0x80)
        return 1;
    if (decoder->form == UTF_8)
        return next_utf8(bytes, count, end, points);
    if (decoder->form >= GBK)
        return next_of_pairs(decoder, bytes, count, end, points, point_count);
    *points = decoder->form == SINGLE ? decoder->known[bytes[0]] : 0xf700u + bytes[0];
    return 1;
}
