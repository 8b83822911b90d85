/* place: opens the text of a test in memory, as a file, or as a pipe (place.h). */
#include "diff/place.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

#define PAGE_BYTES ((uint64_t)4096)
#define PIPE_BYTES ((uint64_t)65536) /* capacity of a new pipe on Linux */
#define PIECE_BYTES_MAX ((uint64_t)20000)
/* A long text arrives in about this number of small pieces; each piece wakes a thread. */
#define PIECES_SMALL ((uint64_t)64)
#define TINY_TEXT_MAX ((uint64_t)400) /* a shorter text may arrive in pieces of 1 to 3 bytes */

static void must(bool worked, const char *what)
{
    if (!worked) {
        perror(what);
        exit(1);
    }
}

const char *place_name(enum place_kind kind)
{
    static const char *const names[PLACE_KINDS] = {"memory, page ends behind it",
                                                   "memory, page begins at it",
                                                   "memory, aligned",
                                                   "memory, with a filter",
                                                   "file",
                                                   "descriptor",
                                                   "pipe",
                                                   "pipe in pieces"};
    return names[kind];
}

bool place_is_stream(enum place_kind kind)
{
    return kind == PLACE_PIPE || kind == PLACE_PIPE_PIECES;
}

static uint8_t *guarded_map(uint64_t bytes)
{
    uint8_t *map = mmap(NULL, (size_t)(bytes + 2 * PAGE_BYTES), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    must(map != MAP_FAILED, "mmap");
    must(mprotect(map + PAGE_BYTES, (size_t)bytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
    return map + PAGE_BYTES;
}

/* Returns the memory for all texts. Only its ends are next to unreadable pages, so a guarded text
 * is at its start or end. */
static uint8_t *arena(void)
{
    static uint8_t *bytes;

    if (bytes == NULL)
        bytes = guarded_map(PLACE_TEXT_BYTES_MAX);
    return bytes;
}

/* Fills the bytes after the text so that a search that reads too far finds an occurrence across the
 * text's end: writes the rest of the first pattern after the longest of its prefixes with which the
 * text ends. */
static void lure_behind(const struct diff_input *input, uint8_t *behind, uint64_t room)
{
    struct naive_bytes pattern;
    uint64_t part;

    memset(behind, 'a', (size_t)room);
    if (input->pattern_count == 0)
        return;
    pattern = input->patterns[0];
    part =
        pattern.bytes_count - 1 < input->text_bytes ? pattern.bytes_count - 1 : input->text_bytes;
    while (part > 0 && memcmp(input->text + input->text_bytes - part, pattern.bytes, part) != 0)
        part--;
    for (uint64_t i = 0; i < room; i++)
        behind[i] = pattern.bytes[(part + i) % pattern.bytes_count];
}

static void lure_before(const struct diff_input *input, uint8_t *text, uint64_t room)
{
    struct naive_bytes pattern;

    if (input->pattern_count == 0)
        return;
    pattern = input->patterns[0];
    for (uint64_t i = 0; i < room; i++)
        text[-1 - (int64_t)i] = pattern.bytes[pattern.bytes_count - 1 - i % pattern.bytes_count];
}

static const uint8_t *lay_in_memory(const struct diff_input *input, enum place_kind kind,
                                    uint64_t offset)
{
    uint8_t *begin = arena();
    uint64_t room;

    must(input->text_bytes + 4 * PAGE_BYTES <= PLACE_TEXT_BYTES_MAX, "the test's text is too long");
    if (kind == PLACE_END_GUARDED)
        begin += PLACE_TEXT_BYTES_MAX - input->text_bytes;
    else if (kind == PLACE_ALIGNED)
        begin += PAGE_BYTES + offset % PLACE_CACHE_LINE;
    memcpy(begin, input->text, (size_t)input->text_bytes);
    room = kind == PLACE_END_GUARDED ? 0 : PAGE_BYTES;
    lure_behind(input, begin + input->text_bytes, room);
    lure_before(input, begin, kind == PLACE_BEGIN_GUARDED ? 0 : PAGE_BYTES);
    return begin;
}

static void write_all(int descriptor, const uint8_t *bytes, uint64_t count)
{
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, (size_t)count);
        if (written <= 0)
            return; /* the search stopped early and closed the pipe */
        bytes += written;
        count -= (uint64_t)written;
    }
}

static void *write_pieces(void *context)
{
    struct place *place = context;
    struct test_random random = {place->seed};
    uint64_t piece_max = PIECE_BYTES_MAX;

    if (test_random_one_in(&random, 2))
        piece_max = 100 + place->input->text_bytes / (PIECES_SMALL / 2);
    if (place->input->text_bytes <= TINY_TEXT_MAX && test_random_one_in(&random, 2))
        piece_max = 3;
    for (uint64_t done = 0; done < place->input->text_bytes;) {
        uint64_t left = place->input->text_bytes - done;
        uint64_t piece = test_random_between(&random, 1, piece_max);
        piece = piece < left ? piece : left;
        write_all(place->write_end, place->input->text + done, piece);
        done += piece;
        if (test_random_one_in(&random, 4))
            (void)sched_yield();
    }
    close(place->write_end);
    return NULL;
}

static void pipe_fill(struct place *place)
{
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    must(pipe2(ends, O_CLOEXEC) == 0, "pipe2");
    place->read_end = ends[0];
    place->write_end = ends[1];
    if (place->kind == PLACE_PIPE && place->input->text_bytes <= PIPE_BYTES) {
        write_all(ends[1], place->input->text, place->input->text_bytes);
        close(ends[1]);
        return;
    }
    must(pthread_create(&place->writer, NULL, write_pieces, place) == 0, "pthread_create");
    place->writer_started = true;
}

/* Writes the text, after `before` bytes, to the file in memory that all texts share. Returns the
 * descriptor. */
static int file_fill(const struct diff_input *input, uint64_t before)
{
    static int file = -1;
    uint8_t front[PLACE_CACHE_LINE];

    if (file < 0)
        file = memfd_create("text", MFD_CLOEXEC);
    must(file >= 0, "memfd_create");
    must(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "ftruncate");
    memset(front, 'a', sizeof front);
    write_all(file, front, before);
    write_all(file, input->text, input->text_bytes);
    must(lseek(file, (off_t)before, SEEK_SET) == (off_t)before, "lseek");
    return file;
}

bool place_open(const struct diff_input *input, enum place_kind kind, uint64_t offset,
                struct place *place, struct trawl_error *error)
{
    enum trawl_status status;
    const uint8_t *bytes;
    char path[64];

    memset(place, 0, sizeof *place);
    place->kind = kind;
    place->input = input;
    place->seed = offset;
    place->read_end = -1;
    if (place_is_stream(kind)) {
        pipe_fill(place);
        status = call_descriptor(place->read_end, "pipe", 0, &place->text, error);
    } else if (kind == PLACE_DESCRIPTOR) {
        status = call_descriptor(file_fill(input, offset % PLACE_CACHE_LINE), NULL, 0, &place->text,
                                 error);
    } else if (kind == PLACE_FILE) {
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file_fill(input, 0));
        status = call_file(path, 0, &place->text, error);
    } else if (kind == PLACE_FILTERED) {
        struct trawl_text_options options = TRAWL_TEXT_MEMORY(input->text, input->text_bytes);

        options.flags = TRAWL_TEXT_FILTER;
        status = trawl_text_open(NULL, &options, &place->text, error);
    } else {
        bytes = lay_in_memory(input, kind, offset);
        place->address_offset = (uintptr_t)bytes % PLACE_CACHE_LINE;
        status = call_memory(bytes, input->text_bytes, &place->text, error);
    }
    return status == TRAWL_OK;
}

void place_close(struct place *place)
{
    trawl_text_close(place->text);
    if (place->read_end >= 0)
        close(place->read_end);
    if (place->writer_started)
        pthread_join(place->writer, NULL);
}
