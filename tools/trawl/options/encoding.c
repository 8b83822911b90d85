/* encoding: converts files in another encoding (--encoding).
 *
 * A thread reads the file, converts its bytes with decode.c, or with iconv if decode.c lacks the
 * encoding, and writes the converted bytes into a pipe, which is searched like any stream. The
 * converted text is UTF-8, or in the locale's encoding. Invalid characters become U+FFFD in UTF-8,
 * and ? in other encodings.
 */
#include "trawl/options/encoding.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <langinfo.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#include "trawl/text/decode.h"
#include "trawl/text/sizes.h"
#include "trawl/text/utf8.h"

#define READ_BYTES SIZE_OR_SMALL(64u << 10, 100u) /* most bytes of a read */
#define TEXT_BYTES (256u << 10)                   /* room for the converted READ_BYTES */
#define LEFT_BYTES_MAX 16u         /* of an incomplete character, kept for the next read */
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

#define NO_CONVERTER ((iconv_t)-1) /* NOLINT: as POSIX has it */
#define UTF16_LE "UTF-16LE"
#define UTF16_BE "UTF-16BE"

struct encoding {
    int from, to, reader;    /* the file; the pipe's ends for writing and for reading */
    const char *label;       /* the encoding's name, as given by the user */
    bool to_utf8;            /* the converted text is UTF-8 */
    struct decoder *decoder; /* NULL: iconv converts */
    iconv_t converter;       /* NO_CONVERTER, without a decoder: the bytes are not converted */
    size_t unit;             /* bytes skipped as one invalid character */
    pthread_t thread;        /* converts, while other threads search the text from the pipe */
    int os_code;
    bool begun; /* the first bytes were examined */
    uint8_t bytes[READ_BYTES + LEFT_BYTES_MAX];
    size_t bytes_count; /* bytes that wait to be converted */
    uint8_t text[TEXT_BYTES];
    size_t text_count; /* bytes of converted text that wait to be written */
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
    iconv_t converter;
    const char *by_iconv;

    if (strcmp(name, "auto") == 0 || strcmp(name, "none") == 0)
        return true;
    if (decode_has(name, &by_iconv) && by_iconv == NULL) {
        struct decoder *decoder = decode_open(name);

        if (decoder != NULL)
            decode_close(decoder);
        return decoder != NULL;
    }
    name = by_iconv != NULL ? by_iconv : name;
    converter = iconv_open("UTF-8", name);
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

/* Converts the bytes by the decoder. *used: the number of bytes converted. False: flush
 * failed. */
static bool by_decoder(struct encoding *encoding, bool end, size_t *used)
{
    const bool ascii = decode_has_ascii(encoding->decoder);
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

/* Converts the bytes by iconv. *used: the number of bytes converted. False: flush failed. */
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
        /* At the end of the file, iconv writes a letter that it kept because an accent might
         * follow. */
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

/* Chooses the encoding by the first bytes. Returns the length of the byte order mark to skip. As in
 * ripgrep, a mark of UTF-16 wins over a label; a mark of UTF-8 is only skipped. No mark of an
 * encoding that only iconv has is skipped here. */
static size_t choose_encoding(struct encoding *encoding)
{
    const bool is_automatic = strcmp(encoding->label, "auto") == 0;
    const char *marked, *name;
    size_t mark = mark_bytes(encoding->bytes, encoding->bytes_count, &marked);
    bool has = decode_has(encoding->label, &name);

    encoding->begun = true;
    if (!has && !is_automatic) { /* iconv skips marks, and UTF-32's may begin like UTF-16's */
        mark = 0;
        name = encoding->label;
    } else if (mark > 0 && marked != NULL) {
        has = true;
        name = marked;
    }
    if (has && name == NULL) {
        encoding->decoder = decode_open(encoding->label);
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
        if (encoding->bytes_count < 3 && !end)
            return true;
        used = choose_encoding(encoding);
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
static void *work(void *context)
{
    struct encoding *encoding = context;
    ssize_t got = 1;

    while (got > 0 && wait_for_input(encoding)) {
        got = read(encoding->from, encoding->bytes + encoding->bytes_count, READ_BYTES);
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

/* ---- Outside of the thread ------------------------------------------------------------ */

/* Starts a thread that blocks all signals, so that writing into a pipe without a reader is an
 * error, not SIGPIPE, and no signal interrupts a call. Returns 0 or an errno. */
static int start_thread(struct encoding *encoding)
{
    sigset_t all, old;
    int error;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&encoding->thread, NULL, work, encoding);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

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
    error = start_thread(made);
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

int encoding_end(struct encoding *encoding)
{
    int os_code;

    (void)close(encoding->reader); /* the thread notices the closed pipe */
    (void)pthread_join(encoding->thread, NULL);
    os_code = encoding->os_code;
    if (encoding->converter != NO_CONVERTER)
        (void)iconv_close(encoding->converter);
    if (encoding->decoder != NULL)
        decode_close(encoding->decoder);
    free(encoding);
    return os_code;
}
