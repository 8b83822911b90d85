/* encoding: converts files in another encoding (--encoding).
 *
 * A thread reads the file, converts its bytes as WHATWG's decoders do (with iconv for encodings
 * that WHATWG does not have), and writes the converted bytes into a pipe, which is searched like
 * any stream. The converted text is UTF-8, or in the locale's encoding. Invalid characters become
 * U+FFFD in UTF-8, and ? in other encodings.
 */
#include "trawl/options/encoding.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <langinfo.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#include "trawl/options/guess.h"
#include "trawl/text/sizes.h"
#include "trawl/text/thread.h"
#include "trawl/text/calls.h"
#include "trawl/text/utf8.h"

/* ---- WHATWG's decoders ----------------------------------------------------------------------- */

#define DECODE_REPLACEMENT 0xfffdu

#define NO_CONVERTER ((iconv_t)-1) /* NOLINT: as POSIX has it */
#define ESCAPE 0x1b

enum form { ICONV, SINGLE, UTF_8, USER_DEFINED, GBK, BIG5, SHIFT_JIS, EUC_KR, EUC_JP, ISO_2022_JP };

static const struct encoding_row {
    enum form form;
    const char *name, *labels; /* labels: separated by blanks */
} encodings[] = {
#define ENCODING(form, name, labels) {form, name, labels},
#define OVER(name, ...)
#include "trawl/options/encodings.def"
#undef ENCODING
#undef OVER
};

static const struct {
    const char *name;
    uint32_t pairs[300]; /* bytes and their code point, alternately; 0: the end */
} overs[] = {
#define ENCODING(form, name, labels)
#define OVER(name, ...) {name, {__VA_ARGS__}},
#include "trawl/options/encodings.def"
#undef ENCODING
#undef OVER
};

struct decoder {
    enum form form;
    const char *name;
    iconv_t converter, other; /* `other`: JIS X 0212, for EUC_JP */
    uint8_t shift;            /* ISO_2022_JP: '$', 'B', 'J' or 'I' of the last escape */
    bool escaped;             /* ISO_2022_JP: nothing has followed the last escape */
    uint32_t known[];         /* code point of each byte or pair; 0: not looked up yet */
};

/* Names that Windows, Python and editors use, and neither WHATWG nor iconv knows. */
static const char *const others[][2] = {
    {"65001", "utf-8"},
    {"cp65001", "utf-8"},
    {"utf_8", "utf-8"},
    {"932", "shift_jis"},
    {"936", "gbk"},
    {"949", "euc-kr"},
    {"950", "big5"},
    {"euc_jp", "euc-jp"},
    {"euc_kr", "euc-kr"},
    {"latin-1", "latin1"},
    {"iso8859_1", "latin1"},
    {"iso8859_15", "iso8859-15"},
    {"macroman", "macintosh"},
    {"mac-roman", "macintosh"},
    {"mac_roman", "macintosh"},
    {"1250", "cp1250"},
    {"windows1250", "cp1250"},
    {"1251", "cp1251"},
    {"windows1251", "cp1251"},
    {"win1251", "cp1251"},
    {"1252", "cp1252"},
    {"windows1252", "cp1252"},
    {"win1252", "cp1252"},
    {"1253", "cp1253"},
    {"windows1253", "cp1253"},
    {"1254", "cp1254"},
    {"windows1254", "cp1254"},
    {"1255", "cp1255"},
    {"windows1255", "cp1255"},
    {"1256", "cp1256"},
    {"windows1256", "cp1256"},
    {"1257", "cp1257"},
    {"windows1257", "cp1257"},
    {"1258", "cp1258"},
    {"windows1258", "cp1258"},
};

static const struct encoding_row *find_label(const char *text)
{
    static const char spaces[] = "\t\n\f\r ";
    size_t count;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcasecmp(text, others[i][0]) == 0)
            text = others[i][1];
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

/* Returns the character to which iconv converts the bytes; DECODE_REPLACEMENT if there is none, or
 * several. */
static uint32_t convert_with_iconv(iconv_t converter, const uint8_t *bytes, size_t count)
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
    return convert_with_iconv(decoder->converter, bytes, count);
}

static void decode_close(struct decoder *decoder)
{
    const int error = errno;

    if (decoder->converter != NO_CONVERTER)
        (void)iconv_close(decoder->converter);
    if (decoder->other != NO_CONVERTER)
        (void)iconv_close(decoder->other);
    free(decoder);
    errno = error;
}

/* Returns a decoder for an encoding whose form is not ICONV. NULL: errno says why. */
static struct decoder *decode_open(const struct encoding_row *found)
{
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

static uint32_t pair_character(struct decoder *decoder, uint8_t lead, uint8_t trail)
{
    const uint8_t bytes[2] = {lead, trail};
    uint32_t *known = &decoder->known[lead << 8 | trail];

    if (*known == 0)
        *known = look_up(decoder, bytes, 2);
    return *known;
}

/* Returns the character of JIS X 0208 with these bytes in EUC-JP, by converting its bytes in
 * Shift_JIS. */
static uint32_t jis_pair(struct decoder *decoder, uint8_t lead, uint8_t trail)
{
    const int row = lead - 0xa1, cell = trail - 0xa1;

    if (row < 0 || row > 93 || cell < 0 || cell > 93)
        return DECODE_REPLACEMENT;
    return pair_character(decoder, (uint8_t)(row / 2 + (row < 62 ? 0x81 : 0xc1)),
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
        const uint8_t min = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const uint8_t max = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

        if (i == count)
            return end ? i : 0;
        if (bytes[i] < min || bytes[i] > max)
            return i;
    }
    return length;
}

/* Reads an escape of ISO-2022-JP. The second of two escapes in a row is invalid. */
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
            *points = convert_with_iconv(decoder->other, bytes, 3);
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
        *points = pair_character(decoder, lead, trail);
    else if (lead > 0xa0)
        *points = jis_pair(decoder, lead, trail);
    else if (lead == 0x8e && trail > 0xa0 && trail < 0xe0)
        *points = 0xff61u - 0xa1u + trail;
    return *points == DECODE_REPLACEMENT && trail < 0x80 ? 1 : 2;
}

/* Decodes the character at bytes[0]. If `end`, no more bytes follow. Writes 0 to 2 code points.
 * Returns how many bytes were read; 0 if more bytes are needed. */
static size_t decode_next(struct decoder *decoder, const uint8_t *bytes, size_t count, bool end,
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

#define READ_SIZES 64u << 10, 100u /* maximum number of bytes that a read returns */
#define READ_BYTES SIZE_OR_SMALL(READ_SIZES)
#define TEXT_BYTES (256u << 10) /* room for the converted READ_BYTES */
#define LEFT_BYTES_MAX 16u /* bytes of an incomplete character that are kept for the next read */
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

#define UTF16_LE "UTF-16LE"
#define UTF16_BE "UTF-16BE"

struct encoding {
    int from, to, reader; /* the file; the pipe's ends for writing and for reading */
    const char *label;    /* the encoding's name, as given by the user, or `guess` */
    char guess[GUESS_BYTES];
    bool to_utf8;            /* the converted text is UTF-8 */
    struct decoder *decoder; /* NULL: iconv converts */
    iconv_t converter;       /* NO_CONVERTER, without a decoder: the bytes are not converted */
    size_t unit;             /* bytes skipped as one invalid character */
    pthread_t thread;        /* converts, while other threads search the text from the pipe */
    int os_code;
    bool begun; /* the first bytes were examined */
    uint8_t bytes[SIZE_ROOM(READ_SIZES) + LEFT_BYTES_MAX];
    size_t bytes_count; /* bytes that have not been converted yet */
    uint8_t text[TEXT_BYTES];
    size_t text_count; /* bytes of converted text that have not been written yet */
};

static bool locale_is_utf8(void)
{
    const char *name = nl_langinfo(CODESET);

    return strcmp(name, "ANSI_X3.4-1968") == 0 || strcasecmp(name, "UTF-8") == 0;
}

static iconv_t open_converter(const char *name)
{
    return iconv_open(locale_is_utf8() ? "UTF-8" : nl_langinfo(CODESET), name);
}

bool encoding_is_known(const char *name)
{
    const struct encoding_row *found = find_label(name);
    struct decoder *decoder;
    iconv_t converter;

    if (strcmp(name, "auto") == 0 || strcmp(name, "none") == 0)
        return true;
    if (strcmp(name, "guess") == 0)
        return guess_is_there();
    if (*name == '\0') /* which iconv takes for the locale's encoding */
        return false;
    if (found != NULL && found->form != ICONV) {
        decoder = decode_open(found);
        if (decoder != NULL)
            decode_close(decoder);
        return decoder != NULL;
    }
    converter = iconv_open("UTF-8", found != NULL ? found->name : name);
    if (converter == NO_CONVERTER)
        return false;
    (void)iconv_close(converter);
    return true;
}

/* Returns the length of the byte order mark at the start of the bytes. *name is the encoding of the
 * mark; NULL: the mark of UTF-8, or no mark. */
static size_t mark_bytes(const uint8_t *bytes, size_t bytes_count, const char **name)
{
    *name = NULL;
    if (bytes_count >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe)
        *name = UTF16_LE;
    else if (bytes_count >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff)
        *name = UTF16_BE;
    else
        return bytes_count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return 2;
}

bool encoding_converts(const char *name, const uint8_t *bytes, uint64_t bytes_count)
{
    const char *marked;

    return strcmp(name, "none") != 0 &&
           (strcmp(name, "auto") != 0 || mark_bytes(bytes, (size_t)bytes_count, &marked) > 0);
}

bool encoding_applies(const char *name, int descriptor, const struct stat *status)
{
    uint8_t bytes[3];
    off_t at;
    ssize_t got;

    if (name == NULL || strcmp(name, "none") == 0 || S_ISDIR(status->st_mode))
        return false;
    if (strcmp(name, "auto") != 0 || !S_ISREG(status->st_mode))
        return true;
    at = lseek(descriptor, 0, SEEK_CUR);
    got = at < 0 ? -1 : pread(descriptor, bytes, sizeof bytes, at);
    /* if pread fails, the thread will report the error */
    return got < 0 || encoding_converts(name, bytes, (uint64_t)got);
}

const char *encoding_hint(const char *name, bool is_unpacked)
{
    const char *marked = NULL;
    struct stat status;
    uint8_t bytes[512];
    ssize_t got = 0;
    int descriptor = stat(name, &status) == 0 && S_ISREG(status.st_mode)
                         ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                         : -1;

    if (descriptor >= 0) {
        got = pread(descriptor, bytes, sizeof bytes, 0);
        (void)close(descriptor);
    }
    if (got >= 2)
        (void)mark_bytes(bytes, 2, &marked);
    if (marked != NULL)
        return "in UTF-16: see --encoding";
    return !is_unpacked && got > 0 && packed_state_of(bytes, (uint64_t)got) == PACKED_YES
               ? "compressed: see --search-zip"
               : NULL;
}

/* ---- In the thread -------------------------------------------------------------------- */

/* Writes the converted text into the pipe. Returns false if the reader is gone or the write fails
 * (os_code then says why). */
static bool flush(struct encoding *encoding)
{
    size_t at = 0;

    while (at < encoding->text_count) {
        ssize_t written = write(encoding->to, encoding->text + at, encoding->text_count - at);

        if (written < 0 && errno != EPIPE)
            encoding->os_code = errno;
        if (written < 0)
            return false;
        at += (size_t)written;
    }
    encoding->text_count = 0;
    return true;
}

static void put(struct encoding *encoding, const void *bytes, size_t bytes_count)
{
    memcpy(encoding->text + encoding->text_count, bytes, bytes_count);
    encoding->text_count += bytes_count;
}

/* Converts the bytes with the decoder. *used: the number of bytes converted. False: flush
 * failed. */
static bool by_decoder(struct encoding *encoding, bool end, size_t *used)
{
    const bool ascii = encoding->decoder->form != ISO_2022_JP;
    size_t at = 0, read, count;
    uint32_t points[2];
    mbstate_t state;

    for (*used = 0; at < encoding->bytes_count; *used = at += read) {
        if (encoding->text_count > sizeof encoding->text / 2 && !flush(encoding))
            return false;
        for (read = 0; ascii && at + read < encoding->bytes_count; read++) {
            if (encoding->bytes[at + read] >= 0x80)
                break;
            encoding->text[encoding->text_count++] = encoding->bytes[at + read];
        }
        if (read > 0)
            continue;
        read = decode_next(encoding->decoder, encoding->bytes + at, encoding->bytes_count - at, end,
                           points, &count);
        if (read == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            uint8_t *to = encoding->text + encoding->text_count;
            size_t length;

            if (encoding->to_utf8) {
                encoding->text_count += utf8_write(points[i], to);
                continue;
            }
            memset(&state, 0, sizeof state);
            length = wcrtomb((char *)to, (wchar_t)points[i], &state);
            if (length == (size_t)-1)
                put(encoding, "?", 1);
            else
                encoding->text_count += length;
        }
    }
    return true;
}

/* Converts the bytes with iconv. *used: the number of bytes converted. False: flush failed. */
static bool by_iconv(struct encoding *encoding, bool end, size_t *used)
{
    char *from = (char *)encoding->bytes;
    size_t left = encoding->bytes_count, unit = encoding->unit;
    bool ended = !end;

    while (left > 0 || !ended) {
        char *to;
        size_t room, result;
        int error;

        if (encoding->text_count > sizeof encoding->text / 2 && !flush(encoding))
            return false;
        to = (char *)encoding->text + encoding->text_count;
        room = sizeof encoding->text - encoding->text_count - 4;
        /* At the end of the file, iconv writes a letter that it held back, because an accent might
         * have followed. */
        ended = ended || left == 0;
        result = iconv(encoding->converter, left == 0 ? NULL : &from, &left, &to, &room);
        error = errno;
        encoding->text_count = (size_t)(to - (char *)encoding->text);
        if (result != (size_t)-1)
            continue;
        if (error == E2BIG) {
            if (!flush(encoding))
                return false;
            continue;
        }
        if (error == EINVAL && !end && left <= LEFT_BYTES_MAX)
            break;
        put(encoding, encoding->to_utf8 ? REPLACEMENT : "?", encoding->to_utf8 ? 3 : 1);
        from += left < unit ? left : unit;
        left -= left < unit ? left : unit;
    }
    *used = encoding->bytes_count - left;
    return true;
}

/* Returns how many bytes a digit takes in the encoding, for example 4 in UTF-32. 0: iconv lacks the
 * encoding; errno says why. */
static size_t bytes_of_digit(const char *name)
{
    iconv_t converter = iconv_open(name, "ASCII");
    char digits[] = "00", bytes[32], *from = digits, *to = bytes, *second = bytes;
    size_t room = sizeof bytes;

    if (converter == NO_CONVERTER)
        return 0;
    for (size_t i = 0; i < 2; i++) { /* a byte order mark may come before the first digit */
        size_t left = 1;

        second = to;
        (void)iconv(converter, &from, &left, &to, &room);
    }
    (void)iconv_close(converter);
    return to > second ? (size_t)(to - second) : 1;
}

static bool guesses(const struct encoding *encoding)
{
    return strcmp(encoding->label, "guess") == 0;
}

/* Chooses the encoding from the first bytes. Returns the length of the byte order mark to skip. As
 * in ripgrep, a UTF-16 mark wins over a label, and a UTF-8 mark is only skipped. If only iconv
 * knows the label, marks are iconv's to handle, and none is skipped here. */
static size_t choose_encoding(struct encoding *encoding, bool end)
{
    const char *marked, *name;
    const struct encoding_row *found;
    size_t mark = mark_bytes(encoding->bytes, encoding->bytes_count, &marked);
    bool is_automatic;

    if (guesses(encoding)) {
        if (mark == 0)
            guess_encoding(encoding->bytes, encoding->bytes_count, end, encoding->guess);
        if (!encoding_is_known(encoding->guess))
            *encoding->guess = '\0';
        encoding->label = *encoding->guess != '\0' ? encoding->guess : "auto";
    }
    is_automatic = strcmp(encoding->label, "auto") == 0;
    found = find_label(encoding->label);
    name = found != NULL && found->form == ICONV ? found->name : NULL;
    encoding->begun = true;
    if (found == NULL &&
        !is_automatic) { /* iconv skips marks, and UTF-32's may begin like UTF-16's */
        mark = 0;
        name = encoding->label;
    } else if (mark > 0 && marked != NULL) {
        name = marked;
    }
    if (found != NULL && name == NULL) {
        encoding->decoder = decode_open(found);
        encoding->os_code = encoding->decoder == NULL ? errno : 0;
    } else if (name != NULL) {
        encoding->unit = bytes_of_digit(name);
        encoding->converter = encoding->unit == 0 ? NO_CONVERTER : open_converter(name);
        encoding->os_code = encoding->converter == NO_CONVERTER ? errno : 0;
    }
    return mark;
}

/* Converts the bytes read so far. False: flush failed. */
static bool convert(struct encoding *encoding, bool end)
{
    size_t used = 0;

    if (!encoding->begun) {
        if (encoding->bytes_count < (guesses(encoding) ? READ_BYTES : 3u) && !end)
            return true;
        used = choose_encoding(encoding, end);
        encoding->bytes_count -= used;
        memmove(encoding->bytes, encoding->bytes + used, encoding->bytes_count);
    }
    used = encoding->bytes_count;
    if (encoding->decoder != NULL && !by_decoder(encoding, end, &used))
        return false;
    if (encoding->decoder == NULL && encoding->converter == NO_CONVERTER)
        put(encoding, encoding->bytes, used);
    if (encoding->converter != NO_CONVERTER && !by_iconv(encoding, end, &used))
        return false;
    encoding->bytes_count -= used;
    memmove(encoding->bytes, encoding->bytes + used, encoding->bytes_count);
    return flush(encoding);
}

/* Waits for input. False: the reader closed the pipe. */
static bool wait_for_input(const struct encoding *encoding)
{
    struct pollfd both[2] = {{encoding->from, POLLIN, 0}, {encoding->to, 0, 0}};

    return poll(both, 2, -1) < 0 || (both[1].revents & (POLLERR | POLLHUP)) == 0;
}

/* The thread that converts: reads, converts and writes until the file ends, an error occurs, or
 * the reader closes the pipe. */
static void *convert_main(void *context)
{
    struct encoding *encoding = context;
    ssize_t got = 1;

    while (got > 0 && wait_for_input(encoding)) {
        got = read(encoding->from, encoding->bytes + encoding->bytes_count,
                   READ_BYTES - (encoding->begun ? 0 : encoding->bytes_count));
        if (got < 0)
            encoding->os_code = errno;
        else
            encoding->bytes_count += (size_t)got;
        if (!convert(encoding, got <= 0))
            break;
    }
    (void)close(encoding->to);
    return NULL;
}

/* ---- Outside the thread ------------------------------------------------------------ */

int encoding_begin(struct encoding **encoding, const char *name, int descriptor)
{
    struct encoding *made = malloc(sizeof *made);
    int ends[2], error;

    *encoding = NULL;
    if (made == NULL)
        return -1;
    memset(made, 0, offsetof(struct encoding, bytes));
    made->bytes_count = made->text_count = 0;
    made->from = descriptor;
    made->converter = NO_CONVERTER;
    made->label = name;
    made->to_utf8 = locale_is_utf8();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(made);
        return -1;
    }
    made->reader = ends[0];
    made->to = ends[1];
    error = thread_start_blocking(&made->thread, convert_main, made);
    if (error == 0) {
        *encoding = made;
        return made->reader;
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    free(made);
    errno = error;
    return -1;
}

int encoding_end(struct encoding *encoding, char *guess)
{
    int os_code;

    (void)close(encoding->reader); /* the thread notices the closed pipe */
    (void)pthread_join(encoding->thread, NULL);
    os_code = encoding->os_code;
    memcpy(guess, encoding->guess, sizeof encoding->guess);
    if (encoding->converter != NO_CONVERTER)
        (void)iconv_close(encoding->converter);
    if (encoding->decoder != NULL)
        decode_close(encoding->decoder);
    free(encoding);
    return os_code;
}
