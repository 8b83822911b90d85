/* trawl: exact search for one or many strings in texts of any length.
 *
 * A text is a sequence of bytes; a pattern is a sequence of one or more bytes of any value.
 * An occurrence is a pair (begin, pattern): the text holds the pattern's bytes at begin.
 * Occurrences may overlap, and every one of them counts. All answers are exact, and the
 * engines (host cores, NVIDIA GPUs) give byte for byte the same ones.
 *
 * Three objects, and a fourth for programs with many threads (struct trawl_runtime):
 *   plan      one or many patterns, compiled. Immutable: share it between threads freely.
 *   text      memory, a file, or a descriptor that is read to its end.
 *   searcher  one calling thread's way to search. One call at a time; its threads and devices are
 *             its own, or those of a runtime that it shares with other searchers.
 *
 * The shortest complete use:
 *
 *     struct trawl_pattern pattern = {"needle", 6};
 *     struct trawl_plan *plan = NULL;
 *     struct trawl_searcher *searcher = NULL;
 *     struct trawl_text *text = NULL;
 *     uint64_t count = 0;
 *     if (trawl_plan_build(&pattern, 1, NULL, &plan, NULL) == TRAWL_OK &&
 *         trawl_searcher_open(NULL, &searcher, NULL) == TRAWL_OK &&
 *         trawl_text_open_file("big.log", &text, NULL) == TRAWL_OK &&
 *         trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK)
 *         printf("%" PRIu64 "\n", count);
 *     trawl_text_close(text);
 *     trawl_searcher_close(searcher);
 *     trawl_plan_free(plan);
 *
 * Conventions of every function below:
 *   - It returns a status; results go to out-parameters, which are set on success only,
 *     unless its comment says more.
 *   - A struct trawl_error pointer may be NULL. On failure it is filled once, by whoever found
 *     the fault; on success it is not touched.
 *   - Option structs begin with `size`: set it to sizeof the struct, zero the rest, then set
 *     what you need (TRAWL_*_OPTIONS_INIT does the first two). A NULL options pointer means
 *     all defaults. Zero is the default of every field. A larger struct from a later version
 *     is accepted while the fields this version does not know are zero.
 *   - Offsets, sizes and counts are 64-bit, in bytes unless the name says otherwise, 0-based.
 *   - free and close functions accept NULL.
 *   - The library never prints, exits, installs signal handlers or reads the environment.
 */
#ifndef TRAWL_H
#define TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRAWL_VERSION_MAJOR 0
#define TRAWL_VERSION_MINOR 1
#define TRAWL_VERSION_PATCH 0
#define TRAWL_VERSION "0.1.0"

#if defined(__GNUC__)
#define TRAWL_API __attribute__((visibility("default")))
#define TRAWL_CHECKED __attribute__((warn_unused_result))
#else
#define TRAWL_API
#define TRAWL_CHECKED
#endif

/* ---- Status and error ------------------------------------------------------------------ */

/* 0 is success, 1 to 9 a normal early end, 10 and up a failure. Numbers are never reused. */
#define TRAWL_STATUS_LIST(X)                                                      \
    X(OK, 0, "success")                                                           \
    X(STOPPED, 1, "a sink stopped the search, or it was cancelled")               \
    X(ARGUMENT, 10, "an argument breaks the function's contract")                 \
    X(BUSY, 11, "the searcher is already inside a call")                          \
    X(MEMORY, 12, "out of memory")                                                \
    X(THREAD, 13, "a thread could not be started")                                \
    X(LIMIT, 14, "a size or a count exceeds what this build or machine can hold") \
    X(OPEN, 20, "a file could not be opened")                                     \
    X(READ, 21, "reading the text failed")                                        \
    X(WRITE, 22, "a file could not be written")                                   \
    X(FORMAT, 23, "a saved plan is damaged, or not for this build")               \
    X(ENGINE, 30, "the engine asked for is not available")                        \
    X(DEVICE, 31, "the device or its driver failed")                              \
    X(UNSUPPORTED, 32, "this engine or build does not support the request")

enum trawl_status {
#define TRAWL_STATUS_ENUM(name, number, message) TRAWL_##name = (number),
    TRAWL_STATUS_LIST(TRAWL_STATUS_ENUM)
#undef TRAWL_STATUS_ENUM
};

#define TRAWL_ERROR_MESSAGE_BYTES 256

/* What went wrong. The caller's, usually on the stack; never holds a pointer. */
struct trawl_error {
    enum trawl_status status;
    int32_t os_code;        /* errno of the failed system call, 0 if none */
    int32_t driver_code;    /* the GPU driver's code, 0 if none */
    uint64_t pattern_index; /* the pattern at fault, UINT64_MAX if none */
    uint64_t text_offset;   /* where in the text, UINT64_MAX if nowhere */
    char
        message[TRAWL_ERROR_MESSAGE_BYTES]; /* one line without newline, names the thing at fault */
};

/* The run-time version, "major.minor.patch". Static text. */
TRAWL_API const char *trawl_version(void);

/* A status in words: static text for any number, "unknown status" for one that is none. */
TRAWL_API const char *trawl_status_message(enum trawl_status status);

/* ---- Plan ------------------------------------------------------------------------------ */

struct trawl_plan;

/* Borrowed until trawl_plan_build returns, which copies the bytes. bytes_count >= 1. */
struct trawl_pattern {
    const void *bytes;
    uint64_t bytes_count;
};

enum trawl_plan_flag {
    TRAWL_IGNORE_CASE = 1, /* A-Z equal a-z; with `utf8`, its variants too */
    TRAWL_WHOLE_WORD = 2,  /* neither neighbour is a word character: [0-9A-Za-z_],
                              with `utf8` also what is_word says */
    TRAWL_WHOLE_LINE = 4,  /* the occurrence is a line: between line ends or text ends */
};

/* How the text is looked at (docs/design.md names sources). AUTO lets the plan choose; a method
 * that does not fit the patterns is refused with ARGUMENT. Every method gives the same answer. */
#define TRAWL_METHOD_LIST(X) \
    X(AUTO, 0, "auto")       \
    X(EVERY, 1, "every")     \
    X(WORDS, 2, "words")     \
    X(SAMPLED, 3, "sampled") \
    X(SET, 4, "set")         \
    X(GRAMS, 5, "grams")

enum trawl_method {
#define TRAWL_METHOD_ENUM(name, number, text) TRAWL_METHOD_##name = (number),
    TRAWL_METHOD_LIST(TRAWL_METHOD_ENUM)
#undef TRAWL_METHOD_ENUM
};

#define TRAWL_UTF8_VARIANTS_MAX 8

/* What UTF-8 text needs beyond ASCII; the library holds no Unicode tables. Functions must be
 * pure: the same answer each time, callable from any thread. They live as long as the plan. */
struct trawl_utf8 {
    void *context;
    /* All code points that equal `code_point` when case is ignored, itself included, into
     * variants; returns how many, 1 to TRAWL_UTF8_VARIANTS_MAX. Called by trawl_plan_build. */
    uint32_t (*variants)(void *context, uint32_t code_point,
                         uint32_t variants[TRAWL_UTF8_VARIANTS_MAX]);
    /* Is this code point (>= 128) a word character? Called during searches. */
    bool (*is_word)(void *context, uint32_t code_point);
};

/* The encoding of patterns and texts where that is not UTF-8: characters of 1 to 4 bytes, ASCII
 * among them. The functions are as those of struct trawl_utf8. Where a character may have several
 * bytes, the library cannot tell from the bytes before a place whether a character begins there. So
 * an occurrence may begin inside a character, bytes of characters that differ by the case of an
 * ASCII letter alone are taken for equal under TRAWL_IGNORE_CASE, and TRAWL_WHOLE_WORD looks at the
 * character behind the occurrence alone. The caller, who knows where the line begins, must leave
 * out what is none. */
struct trawl_encoding {
    void *context;
    uint32_t bytes_max; /* of a character, 1 to 4 */
    /* The character that begins at bytes[0]: its code point. Returns its length, 0 if there is
     * none. */
    uint32_t (*decode)(void *context, const uint8_t *bytes, uint64_t bytes_count,
                       uint32_t *code_point);
    /* The bytes of a code point; returns how many, 0 if the encoding lacks it. */
    uint32_t (*encode)(void *context, uint32_t code_point, uint8_t bytes[4]);
};

struct trawl_plan_options {
    uint64_t size;            /* sizeof(struct trawl_plan_options) */
    uint32_t flags;           /* enum trawl_plan_flag, or-ed */
    enum trawl_method method; /* AUTO unless a method must be forced */
    uint32_t line_end_set;    /* 0: lines end in '\n'; 1: in `line_end` */
    uint8_t line_end;         /* for WHOLE_LINE and for the line calls */
    uint8_t
        line_end_also_set; /* 1: `line_end_also` ends lines as well (grep in binary files: NUL) */
    uint8_t line_end_also;
    uint8_t reserved;
    const struct trawl_utf8 *utf8; /* NULL: bytes are characters. Copied. */
    const void *sample;            /* bytes like those of the texts to come, or NULL: how often */
    uint64_t sample_bytes; /* each byte occurs there steers the choice. Read during build. */
    const char *algorithm; /* NULL: trawl's own methods. Else a name of trawl_algorithm's, with
                              options behind it (docs/gallery.md) or without, and method AUTO.
                              Borrowed until trawl_plan_build returns. */
    const struct trawl_encoding *encoding; /* NULL: UTF-8. Needs `utf8`, whose code points it
                                              makes. Copied. Such a plan cannot be saved. */
};
#define TRAWL_PLAN_OPTIONS_INIT                                                                \
    {                                                                                          \
        sizeof(struct trawl_plan_options), 0, TRAWL_METHOD_AUTO, 0, 0, 0, 0, 0, NULL, NULL, 0, \
            NULL, NULL                                                                         \
    }

/* Name the algorithms of the gallery: published ones, kept as published, for comparison. Each gives
 * the same answer as trawl's own methods through every call, on one core or on all; none is picked
 * unless it is asked for, and none promises time linear in the text. "rabin-karp-matrix" and
 * "rabin-karp-matrix-sample" are for trawl_matrix alone. The names in order, NULL after the last;
 * *summary (unless summary is NULL) gets one line about it and is untouched where the name is NULL.
 * Static text. A build may have no gallery: then there is no name. Behind a name may follow options
 * for a device, as docs/gallery.md says; such a plan is for the CUDA engine alone. */
TRAWL_API const char *trawl_algorithm(uint32_t index, const char **summary);

/* The engines that have an algorithm: bits 1u << enum trawl_engine (CPU and CUDA); 0 beyond the
 * last. On another engine a search ends with UNSUPPORTED. */
TRAWL_API uint32_t trawl_algorithm_engines(uint32_t index);

/* Compile patterns into a plan.
 *
 * Shape      patterns[pattern_count]; duplicates and prefixes of each other are allowed and
 *            reported each under its own index. pattern_count 0 is a plan that finds nothing.
 * Ownership  patterns and their bytes are copied; *plan is the caller's, free with
 *            trawl_plan_free.
 * Errors     ARGUMENT  a NULL where one is not allowed; an empty pattern (error->pattern_index);
 *                      a flag, method or algorithm that is unknown or does not fit the
 *                      patterns
 *            UNSUPPORTED  an algorithm, in a build without the gallery
 *            MEMORY, LIMIT
 * Threads    any; the plan is immutable and may be shared.
 * Cost       time and memory linear in the patterns' total bytes. Of large sets up to some 64 bytes
 *            per pattern beside the patterns' bytes, two thirds of which the first search makes.
 */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_plan_build(const struct trawl_pattern *patterns,
                                                           uint64_t pattern_count,
                                                           const struct trawl_plan_options *options,
                                                           struct trawl_plan **plan,
                                                           struct trawl_error *error);
TRAWL_API void trawl_plan_free(struct trawl_plan *plan);

/* The engines that can run the plan: bits 1u << enum trawl_engine (CPU and CUDA); 0 for NULL. */
TRAWL_API uint32_t trawl_plan_engines(const struct trawl_plan *plan);

/* ---- Saved plans: a plan's tables in a file, used where they are mapped. ---- */

struct trawl_plan_save_options {
    uint64_t size;    /* sizeof(struct trawl_plan_save_options) */
    const void *note; /* bytes of the caller's, saved with the plan; see trawl_plan_note */
    uint64_t note_bytes;
};
#define TRAWL_PLAN_SAVE_OPTIONS_INIT                    \
    {                                                   \
        sizeof(struct trawl_plan_save_options), NULL, 0 \
    }

/* Save a plan: patterns, options, and the tables that the CPU searches with. Tables for devices are
 * not saved: a device makes them at first use, as it does for a plan that was built.
 *
 * The file appears whole or not at all: another one beside it is written and put in its place by
 * renaming, with the permissions of a new file. What `path` names stays as it is on failure. If it
 * is no regular file (a pipe, a terminal) it is written to.
 * Errors: ARGUMENT, MEMORY; UNSUPPORTED (a plan of an algorithm); OPEN, WRITE (with os_code).
 * Cost: tables that no search has needed yet are made first; then each byte is read twice. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_plan_save(
    const struct trawl_plan *plan, const char *path, const struct trawl_plan_save_options *options,
    struct trawl_error *error);

struct trawl_plan_load_options {
    uint64_t size;                 /* sizeof(struct trawl_plan_load_options) */
    const struct trawl_utf8 *utf8; /* as in struct trawl_plan_options: functions are not saved. Used
                                      for plans that were built with it, ARGUMENT if they lack it.
                                      Copied. */
    uint32_t line_end_set;         /* these four as in struct trawl_plan_options; 0: as saved */
    uint8_t line_end;
    uint8_t line_end_also_set;
    uint8_t line_end_also;
    uint8_t copy; /* 1: read the file into memory instead of mapping it */
};
#define TRAWL_PLAN_LOAD_OPTIONS_INIT                                \
    {                                                               \
        sizeof(struct trawl_plan_load_options), NULL, 0, 0, 0, 0, 0 \
    }

/* Load a saved plan. It gives the same answers as the one that was saved.
 *
 * The file is mapped, and its large tables are used in place: patterns, and of a set the bitmaps,
 * buckets and entries. Made anew are the tables of a single pattern and, with case ignored, the
 * patterns' bytes in lower case. With `utf8` and TRAWL_IGNORE_CASE the letters'
 * variants are asked for again, and if they differ from those of then the tables are made anew.
 * While a mapped plan lives its file must not be changed, only replaced by renaming, as
 * trawl_plan_save does.
 * Everything is checked before it is used: a file that is damaged, cut off, or was saved by another
 * version or on a machine of the other byte order is refused. The bytes may come from anywhere: no
 * file makes the library read or write where it must not. Answers are right for files made by
 * trawl_plan_save.
 * Errors: ARGUMENT, MEMORY, OPEN, READ (with os_code), FORMAT.
 * Cost: reads the file once or twice; time linear in it. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_plan_load(
    const char *path, const struct trawl_plan_load_options *options, struct trawl_plan **plan,
    struct trawl_error *error);

/* Load a saved plan from memory. The bytes are borrowed until the plan is freed, unless they do not
 * begin at a multiple of 64 or `copy` is set: then they are copied. Else as trawl_plan_load. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_plan_load_memory(
    const void *bytes, uint64_t bytes_count, const struct trawl_plan_load_options *options,
    struct trawl_plan **plan, struct trawl_error *error);

/* Tell whether bytes begin as a saved plan does. Eight are enough. */
TRAWL_API bool trawl_plan_is_saved(const void *bytes, uint64_t bytes_count);

/* The note that was saved with a loaded plan: borrowed until the plan is freed; NULL bytes and
 * count 0 if there is none. */
TRAWL_API struct trawl_pattern trawl_plan_note(const struct trawl_plan *plan);

/* The flags the plan was built with (enum trawl_plan_flag); 0 for NULL. */
TRAWL_API uint32_t trawl_plan_flags(const struct trawl_plan *plan);

/* How many patterns were given to trawl_plan_build. */
TRAWL_API uint64_t trawl_plan_pattern_count(const struct trawl_plan *plan);

/* The bytes of pattern `pattern_index` as given; borrowed until the plan is freed. NULL bytes and
 * count 0 when the index is out of range. */
TRAWL_API struct trawl_pattern trawl_plan_pattern(const struct trawl_plan *plan,
                                                  uint64_t pattern_index);

/* Explain a plan. The text is lines of "name: value": method, q, stride, table bytes, and why; or
 * the algorithm, its source and its engines.
 *
 * Shape      writes at most buffer_bytes including the closing NUL; *needed_bytes is what the
 *            whole text needs including the NUL, so a first call may pass NULL and 0.
 * Errors     ARGUMENT
 */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_plan_explain(const struct trawl_plan *plan,
                                                             char *buffer, uint64_t buffer_bytes,
                                                             uint64_t *needed_bytes,
                                                             struct trawl_error *error);

/* ---- Text ------------------------------------------------------------------------------ */

struct trawl_text;

/* Open a text in memory; the bytes are borrowed until trawl_text_close. bytes may be NULL if count
 * 0. They may be written between two searches; their pages stay what they are: not mapped anew, not
 * discarded (madvise), not of a file that is truncated. From its second search by GPUs on, a text
 * of 64 MiB or more is pinned: its pages stay in memory, and GPUs fetch them without help from the
 * CPU's cores, until the text or the runtime is closed, which then takes 11 ms for each GiB (to
 * pin, 22 ms, is done while the second search goes on). All runtimes together pin no more than half
 * of the machine's memory; one with host_memory_bytes pins none. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_memory(const void *bytes,
                                                                 uint64_t bytes_count,
                                                                 struct trawl_text **text,
                                                                 struct trawl_error *error);

/* Open a file as a text. Errors: ARGUMENT, MEMORY, OPEN (with os_code). */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_file(const char *path,
                                                               struct trawl_text **text,
                                                               struct trawl_error *error);

/* Open a descriptor as a text: a regular file is searched from its current offset to its end (which
 * is looked for by reading, so a file may grow or report size 0), anything else is read in order
 * until its end. The descriptor is borrowed until trawl_text_close. Its offset is left wherever
 * it is for a regular file, at the end for a stream. Offsets in results count from the first
 * byte searched. A stream can be searched once. A pipe is asked to hold 1 MiB, so that its writer
 * waits less (1 GiB through `cat` in 0.2 s instead of 0.7).
 * name: for error messages, copied; NULL for "descriptor N".
 */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_descriptor(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);

/* Open what may be compressed by gzip, xz, bzip2, zstd or lz4: a file, or a descriptor. The first
 * bytes tell, not the name. A compressed text is a stream of the bytes it unpacks to: offsets count
 * those, it can be searched once, and a part of it is in memory at a time, its window of up to 256
 * MiB included. Members, streams and frames one behind the other are one text. What is not
 * compressed is searched as by the functions above; a pipe is asked by its first read. Errors
 * besides those: READ, os_code 0, where data is damaged, ends too early or is followed by something
 * else (the message names the byte of the file; what came before was searched); UNSUPPORTED where
 * the format's library is not there: it is loaded when its first text comes. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_compressed(const char *path,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_compressed(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
/* Name the format of compressed bytes: "gzip", ...; NULL if it is none of these. 10 bytes are
 * enough. */
TRAWL_API const char *trawl_compression(const void *bytes, uint64_t bytes_count);

/* Close a text: gives back what it holds; what was borrowed stays the caller's. NULL is fine. */
TRAWL_API void trawl_text_close(struct trawl_text *text);

/* Tell whether trawl_text_read works at any offset: true for memory and regular files. */
TRAWL_API bool trawl_text_is_seekable(const struct trawl_text *text);

/* The size of a text as known now: memory's size, a regular file's size less the offset where the
 * search begins; false, and *text_bytes untouched, for a stream or where the size is not known. */
TRAWL_API bool trawl_text_bytes(const struct trawl_text *text, uint64_t *text_bytes);

/* Read up to buffer_bytes from `offset`; *read_bytes is less only at the text's end.
 * Errors: ARGUMENT, READ, UNSUPPORTED (a stream). Threads: any, also from inside a sink. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_read(const struct trawl_text *text,
                                                          uint64_t offset, void *buffer,
                                                          uint64_t buffer_bytes,
                                                          uint64_t *read_bytes,
                                                          struct trawl_error *error);

/* ---- Runtime ---------------------------------------------------------------------------- */

struct trawl_runtime;

enum trawl_engine {
    TRAWL_ENGINE_AUTO = 0, /* the CPU, joined by GPUs where it pays */
    TRAWL_ENGINE_CPU = 1,
    TRAWL_ENGINE_CUDA = 2, /* ENGINE if there is no usable device */
};

struct trawl_runtime_options {
    uint64_t size; /* sizeof(struct trawl_runtime_options) */
    enum trawl_engine engine;
    uint32_t threads;             /* 1 to 1024 search, a caller's included; 0: one per core. Where
                                     there are more GPUs than that, one waits for each of them. */
    const char *instruction_set;  /* as in struct trawl_searcher_options */
    uint64_t device_memory_bytes; /* of each device, that searching may use; 0: no limit */
    uint64_t host_memory_bytes;   /* for the chunks that texts are read into; 0: no limit. A search
                                     for which others leave nothing waits up to a second for some,
                                     then it ends with MEMORY. With a limit,
                                     no text is pinned (trawl_text_from_memory). */
};
#define TRAWL_RUNTIME_OPTIONS_INIT                                             \
    {                                                                          \
        sizeof(struct trawl_runtime_options), TRAWL_ENGINE_AUTO, 0, NULL, 0, 0 \
    }

/* Open a runtime, which searchers share: worker threads, devices, loaded texts, memory. Any number
 * of searchers may use it at the same time, each from a thread of its own: their searches share the
 * workers. A searcher without one opens one for itself.
 * Errors: ARGUMENT, MEMORY, ENGINE (with the reason), DEVICE.
 * Threads start when a text is large enough to need them, and stay. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_runtime_open(
    const struct trawl_runtime_options *options, struct trawl_runtime **runtime,
    struct trawl_error *error);
/* Close a runtime. Errors: BUSY while searchers of it are open; it then stays as it is. */
TRAWL_API enum trawl_status trawl_runtime_close(struct trawl_runtime *runtime,
                                                struct trawl_error *error);

/* ---- Searcher -------------------------------------------------------------------------- */

struct trawl_searcher;

struct trawl_searcher_options {
    uint64_t size; /* sizeof(struct trawl_searcher_options) */
    enum trawl_engine engine;
    uint32_t threads;            /* 1 to 1024 search, the caller's included; 0: one per core */
    uint64_t chunk_bytes;        /* text per unit of work; 0: chosen. Small values are for tests. */
    const char *instruction_set; /* NULL: the best here. Else one of trawl_instruction_set().
                                    Borrowed until trawl_searcher_open returns. */
    uint64_t device_memory_bytes;  /* of each device, that searching may use; 0: no limit */
    struct trawl_runtime *runtime; /* NULL: one of its own. Else engine, threads, instruction_set
                                      and device_memory_bytes are the runtime's, and 0 here. It
                                      stays open until the searcher is closed. */
};
#define TRAWL_SEARCHER_OPTIONS_INIT                                                   \
    {                                                                                 \
        sizeof(struct trawl_searcher_options), TRAWL_ENGINE_AUTO, 0, 0, NULL, 0, NULL \
    }

/* The instruction sets this build can use on this machine: best first, NULL after the last;
 * "portable" is always among them. Static text. */
TRAWL_API const char *trawl_instruction_set(uint32_t index);

/* Open a searcher.
 * Errors: ARGUMENT, MEMORY, ENGINE (with the reason), DEVICE.
 * Cost: with a runtime, some memory; without one, that of trawl_runtime_open. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_searcher_open(
    const struct trawl_searcher_options *options, struct trawl_searcher **searcher,
    struct trawl_error *error);
TRAWL_API void trawl_searcher_close(struct trawl_searcher *searcher);

/* What a call is bound by: of reading the text, copying it for devices, searching it on the host,
 * on devices (with the copies there), and the caller's sink, that which kept its threads longest,
 * divided by how many did it. NONE: no text was searched in chunks, or it took no time. */
enum trawl_bound {
    TRAWL_BOUND_NONE = 0,
    TRAWL_BOUND_SOURCE = 1,
    TRAWL_BOUND_COPIES = 2,
    TRAWL_BOUND_SEARCH = 3,
    TRAWL_BOUND_DEVICES = 4,
    TRAWL_BOUND_OUTPUT = 5
};

/* The fields of trawl_searcher_stats; zeros before the first call. */
struct trawl_stats {
    uint64_t size;       /* sizeof(struct trawl_stats), set by the caller */
    uint64_t text_bytes; /* searched; less than the text when the search stopped early */
    uint64_t chunk_count;
    uint64_t cpu_chunk_count;
    uint64_t device_chunk_count;
    uint64_t match_count;     /* occurrences seen: fewer than there are where lines are counted, or
                                 window flags leave some out */
    uint64_t candidate_count; /* places verified byte by byte */
    uint64_t wall_ns;
    uint32_t thread_count;    /* that took part */
    char engine[32];          /* "cpu", "cuda", "cpu+cuda" */
    char instruction_set[16]; /* of the CPU engine */
    char note[160];           /* why an engine did not take part, or an algorithm ran in another
                                 form; empty if nothing to say */
    /* Of algorithms of the gallery on devices, summed over lanes; else 0: */
    uint64_t device_copy_ns;   /* waited for copies to and from devices */
    uint64_t device_kernel_ns; /* in kernels, by the devices' clocks */
    uint64_t child_grids;      /* launched by kernels */
    uint64_t child_spills;     /* refused by the device; the launching thread did their work */
    uint64_t device_back_ns;   /* of device_copy_ns: results on their way to the host */
    uint64_t device_memory_ns; /* allocating memory on devices, and pinned memory for them */
    uint64_t device_host_ns;   /* the host's work: sorting, verifying, clearing rows */
    uint64_t child_withheld;   /* not asked for: a device takes only so many; likewise */
    enum trawl_bound bound;    /* what took most of the call's time */
    uint64_t output_ns;        /* in the call's sink */
};
/* What the last finished call on a searcher did. Errors: ARGUMENT. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_searcher_stats(
    const struct trawl_searcher *searcher, struct trawl_stats *stats, struct trawl_error *error);

/* What the workers of one kind did in the last finished call. Where it ended soon, most is 0. */
struct trawl_worker_stats {
    uint64_t size; /* sizeof(struct trawl_worker_stats), set by the caller */
    char name[96]; /* "cpu", or a device's */
    uint64_t chunk_count;
    uint64_t text_bytes; /* searched, also of chunks that nobody took the results of */
    uint64_t search_ns;  /* summed over its threads: in searches */
    uint64_t ready_ns;   /* reading chunks; of a device's, by the host: copying them for it */
    uint64_t wait_ns;    /* summed over its threads: neither of the two, nor in the caller's sink */
    uint32_t thread_count; /* that did something for the call */
};

/* What workers did in the last call. Index 0 is the host's cores; then a device each. *count gets
 * how many there are, 0 after a call that searched no text in chunks.
 * Errors: ARGUMENT, also for an index beyond them. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_searcher_workers(
    const struct trawl_searcher *searcher, uint32_t index, struct trawl_worker_stats *stats,
    uint32_t *count, struct trawl_error *error);

/* End the call that the searcher is inside as soon as possible: it returns STOPPED, and what it
 * would have answered is not touched, though what a sink was given stays. Without a call, nothing.
 * From any thread, and from a sink. What a device is at, and trawl_text_load, go on to their end.
 */
TRAWL_API void trawl_searcher_cancel(struct trawl_searcher *searcher);

/* Bytes of the current call's text that are done. Any thread may ask, also during a call: this is
 * what a progress display reads. */
TRAWL_API uint64_t trawl_searcher_progress(const struct trawl_searcher *searcher);

/* Keep a copy of a memory text on the searcher's devices: searches of it then read nothing of the
 * host's memory but what line and window calls deliver. For many searches of one text. Where the
 * device has no room the text is pinned in host memory instead: searches for long patterns read
 * what they need of it there, others copy it faster. Without a device (engine CPU) this does
 * nothing and succeeds. The bytes may not change, nor be freed, until trawl_text_unload or
 * trawl_searcher_close; under a runtime that others share, until trawl_runtime_close.
 * The searchers of a runtime share the copy. A text that is loaded again is copied anew; it stays
 * as it is where the runtime has other searchers, which may be searching it.
 * Errors: ARGUMENT (not a memory text), BUSY, MEMORY, DEVICE, LIMIT (more than 64 texts).
 * Cost: one copy to the device. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_load(struct trawl_searcher *searcher,
                                                          struct trawl_text *text,
                                                          struct trawl_error *error);
/* Forget the copy, for all searchers of the runtime: none may be searching the text. Does nothing
 * if there is none. */
TRAWL_API void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text);

/* ---- Searching -------------------------------------------------------------------------
 *
 * Errors of all of them, beside what each adds:
 *   ARGUMENT  a NULL where one is not allowed; an algorithm for records alone, searching a text
 *   BUSY      the searcher is inside a call (from a sink, or from another thread)
 *   MEMORY    scratch could not grow; the searcher stays usable
 *   THREAD    is never returned: with fewer threads than asked for, the search goes on
 *   READ      reading failed (os_code, text_offset); results before that place were delivered
 *   DEVICE    a device failed while TRAWL_ENGINE_CUDA was asked for
 *   UNSUPPORTED  the searcher's engine does not have the plan's algorithm (trawl_plan_engines), or
 *             TRAWL_ENGINE_CUDA is to search for more, or longer, patterns than a device takes
 * Cost: each text byte is read at most once plus the overlap of chunks (the longest pattern less
 * one byte each); a plan of method "sampled" reads less than the text. Time is linear in the
 * text for one pattern, whatever text and pattern, and linear in text and occurrences for sets on
 * the CPU, but where docs/design.md says what bounds them instead.
 */

struct trawl_match {
    uint64_t begin; /* of the occurrence, from the text's first byte */
    uint64_t end;   /* one past its last byte */
    uint64_t pattern_index;
};

/* Count all occurrences of all patterns, overlapping ones too. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_count(struct trawl_searcher *searcher,
                                                      const struct trawl_plan *plan,
                                                      struct trawl_text *text, uint64_t *count,
                                                      struct trawl_error *error);

/* One of many counts. Plans and texts may come as often as is useful: one text under many plans,
 * many texts under one plan. */
struct trawl_query {
    const struct trawl_plan *plan;
    struct trawl_text *text;
};

/* Count for many queries in one call: counts[i] is for queries[i]. For queries that are short
 * by themselves: their texts are shared out among the searcher's threads, each searched by one
 * (texts of more than 1 MiB, files and streams: by all threads, one text after the other), and a
 * device gets many at a time, in one submission. There, queries that share a plan or a text are
 * best next to each other, since plan and text then go over once; best of all is a loaded text.
 * Plans, texts and the arrays are borrowed until it returns.
 * Errors: those of trawl_count for any of the queries, the message then begins with "query N"
 * where it is one query's fault; ARGUMENT also for a NULL in one. counts is filled whole on success
 * and not touched on failure.
 * Threads: as of any search; one plan may be in many queries.
 * Cost: that of the searches, 48 bytes of memory per query, and on a device one launch per query,
 * with a copy of what it does not have yet. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_count_many(struct trawl_searcher *searcher,
                                                           const struct trawl_query *queries,
                                                           uint64_t query_count, uint64_t *counts,
                                                           struct trawl_error *error);

/* Find the first occurrence: least begin; among equals least pattern_index. *found false: none, and
 * *match is untouched. Stops reading soon after it. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_first(struct trawl_searcher *searcher,
                                                      const struct trawl_plan *plan,
                                                      struct trawl_text *text,
                                                      struct trawl_match *match, bool *found,
                                                      struct trawl_error *error);

/* Takes matches in order of (begin, pattern_index); non-zero stops the search. Called on the
 * thread that made the call, never twice at once; may not call the same searcher. The matches
 * are borrowed until it returns. */
typedef int (*trawl_match_sink)(void *context, const struct trawl_match *matches,
                                uint64_t match_count);

/* Deliver all occurrences in order to a sink. STOPPED if the sink stopped it. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_positions(struct trawl_searcher *searcher,
                                                          const struct trawl_plan *plan,
                                                          struct trawl_text *text,
                                                          trawl_match_sink sink, void *context,
                                                          struct trawl_error *error);

/* Fill the caller's array with the first matches_max occurrences; *match_count is the true total,
 * also when that is more. After READ or DEVICE both hold what was found before the fault. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_positions_into(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, struct trawl_text *text,
    struct trawl_match *matches, uint64_t matches_max, uint64_t *match_count,
    struct trawl_error *error);

/* Fill the caller's array with where the first begins_max occurrences begin, ascending;
 * *begin_count is the true total, also when that is more. With one pattern it says all that
 * trawl_positions_into does, in a third of the memory; of several patterns a begin comes once for
 * each that occurs there. After READ or DEVICE both hold what was found before the fault.
 * Cost: of a text that a device has loaded, each part's begins are copied while the next is
 * searched, straight into the array: as fast as the bus if the array is pinned memory. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_begins_into(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, struct trawl_text *text,
    uint64_t *begins, uint64_t begins_max, uint64_t *begin_count, struct trawl_error *error);

/* Fill an array on a device as trawl_begins_into does, for callers that continue there:
 * begins_address is what cuMemAlloc or cudaMalloc gave, of the driver's first device, in its
 * primary context, aligned to 8 bytes, with room for begins_max begins; work on it that was
 * submitted before is to be over. What the array held beyond the begins that there are may change.
 * The text has to be loaded (trawl_text_load).
 * Errors: UNSUPPORTED also where the text is not loaded on that device, and for plans that the
 *         device does not settle by itself (an algorithm; whole words or lines; without case where
 *         an occurrence's length varies). *begin_count is set on success only.
 * Cost: that of trawl_count, and 8 bytes written per occurrence. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_begins_on_device(
    struct trawl_searcher *searcher, const struct trawl_plan *plan, struct trawl_text *text,
    uint64_t begins_address, uint64_t begins_max, uint64_t *begin_count, struct trawl_error *error);

/* Count the lines in which an occurrence begins. Lines end in the plan's line end; bytes after
 * the last one form a line if there are any.
 * invert: count the lines in which none begins. lines_max: stop there (0 counts nothing;
 * UINT64_MAX for all). */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_count_lines(struct trawl_searcher *searcher,
                                                            const struct trawl_plan *plan,
                                                            struct trawl_text *text, bool invert,
                                                            uint64_t lines_max, uint64_t *count,
                                                            struct trawl_error *error);

/* One piece of the text with all occurrences that begin in it. Windows follow each other without
 * gap from offset 0 to the text's end; the last one has `last` set and may be empty. Borrowed
 * until the sink returns. */
struct trawl_window {
    uint64_t begin; /* text offset of bytes[0] */
    const uint8_t *bytes;
    uint64_t bytes_count;
    uint64_t after_bytes_count; /* bytes readable beyond bytes_count, so that each match of the
                                   window is whole in memory */
    const struct trawl_match *matches; /* in order; begin inside the window, end perhaps beyond */
    uint64_t match_count;
    uint64_t line_end_count; /* line ends in the window; 0 unless TRAWL_WINDOW_LINE_ENDS */
    bool last;
};

enum trawl_window_flag {
    TRAWL_WINDOW_LINE_ENDS = 1,  /* count line ends (in the searching threads) */
    TRAWL_WINDOW_NO_MATCHES = 2, /* leave matches out: a reader's loop over any text */
    /* Leave out matches that the caller does not need, which saves finding them. Not all that could
     * be left out are. */
    TRAWL_WINDOW_LINES = 4, /* of the matches that begin in a line one is enough; what a NUL ends is
                               a line here too */
    TRAWL_WINDOW_SPANS = 8  /* enough are those found by taking the first match, of those that begin
                               there the longest, and going on behind its end, from the text's
                               beginning; wins over TRAWL_WINDOW_LINES */
};

typedef int (*trawl_window_sink)(void *context, const struct trawl_window *window);

/* Deliver the whole text in windows, in order, each with its matches: what a program needs that
 * prints lines, contexts or reports. flags: enum trawl_window_flag, or-ed. The sink is called like
 * a trawl_match_sink. Memory in flight is bounded by threads and chunks, whatever the sink does.
 * A stream's windows come as soon as its bytes do. STOPPED if the sink stopped it. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_windows(struct trawl_searcher *searcher,
                                                        const struct trawl_plan *plan,
                                                        struct trawl_text *text, uint32_t flags,
                                                        trawl_window_sink sink, void *context,
                                                        struct trawl_error *error);

/* ---- Batches ------------------------------------------------------------------------------
 *
 * The same searches, pulled: the caller asks for the next results when it wants them. What is not
 * asked for is searched ahead only as far as memory in flight is bounded.
 */
struct trawl_search;

enum trawl_search_flag {
    TRAWL_SEARCH_COUNTS = 1,      /* no columns: only how many */
    TRAWL_SEARCH_LINE_NUMBERS = 2 /* a column of line numbers too */
};

/* Results of one stretch of the text, in columns of match_count, in order of (begin, pattern
 * index). Borrowed until the next call for the search. */
struct trawl_batch {
    uint64_t size;       /* sizeof(struct trawl_batch), set by the caller */
    uint64_t text_begin; /* occurrences that begin in [text_begin, text_end) */
    uint64_t text_end;
    uint64_t match_count;
    const uint64_t *begins; /* NULL with TRAWL_SEARCH_COUNTS */
    const uint64_t *ends;
    const uint64_t *pattern_indices;
    const uint64_t *line_numbers; /* from 0 on, of the line each begins in; NULL unless asked for */
    bool last;                    /* the text ends here: no batch follows */
};

/* Begin a search in batches, with flags of enum trawl_search_flag. The searcher is inside a call
 * until trawl_search_close; plan and text are borrowed until then.
 * Errors: as of trawl_positions, but for READ; ARGUMENT also for an unknown flag. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_search_open(struct trawl_searcher *searcher,
                                                            const struct trawl_plan *plan,
                                                            struct trawl_text *text, uint32_t flags,
                                                            struct trawl_search **search,
                                                            struct trawl_error *error);
/* Take the next batch; batches follow each other without gap, and some may be empty. After the last
 * one, and after a failure, calls fail with ARGUMENT.
 * Errors: STOPPED after trawl_search_cancel; READ, DEVICE, MEMORY after the batches before the
 * fault. Threads: one at a time; it works on the search too. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_search_next(struct trawl_search *search,
                                                            struct trawl_batch *batch,
                                                            struct trawl_error *error);
/* Cancel a search, or close it. Once cancelled, the next, or waiting, trawl_search_next returns
 * STOPPED. To cancel: from any thread, until trawl_search_close. */
TRAWL_API void trawl_search_cancel(struct trawl_search *search);
TRAWL_API void trawl_search_close(struct trawl_search *search);

/* ---- Rare -------------------------------------------------------------------------------- */

/* Memory functions in place of the C library's. allocate returns bytes aligned to `alignment` (a
 * power of two) or NULL; release gets the same size back. */
struct trawl_allocator {
    void *context;
    void *(*allocate)(void *context, uint64_t bytes, uint64_t alignment);
    void (*release)(void *context, void *pointer, uint64_t bytes);
};

/* Use these functions for all memory of the library; NULL: the C library's again. Not thread-safe:
 * call it while no other object of the library exists. Copied. */
TRAWL_API void trawl_set_allocator(const struct trawl_allocator *allocator);

#ifdef __cplusplus
}
#endif

#include "trawl_records.h" /* many records, rather than one text */
#endif
