/* trawl: searches texts of any length for strings, exact or approximate, and regular expressions.
 *
 * A text is a sequence of bytes. A pattern is a sequence of one or more bytes of any value. An
 * occurrence is a pair (begin, pattern): at offset begin, the text contains the pattern's bytes, or
 * bytes that match it. Occurrences may overlap, and each one counts. Results are exact, and the
 * same from all engines (the CPU's cores, NVIDIA GPUs).
 *
 * Three objects, and a fourth for programs with many threads (struct trawl_runtime):
 *   plan      one or many compiled patterns. Immutable: any number of threads may share a plan.
 *   text      memory, a file, or a descriptor that is read to its end.
 *   searcher  the handle by which one calling thread searches, one call at a time. A searcher has
 *             threads and devices of its own, or shares a runtime's with other searchers.
 *
 * The shortest complete use:
 *     struct trawl_pattern pattern = {"needle", 6};
 *     struct trawl_plan *plan = NULL;
 *     struct trawl_searcher *searcher = NULL;
 *     struct trawl_text *text = NULL;
 *     uint64_t count = 0;
 *     if (trawl_plan_build(&pattern, 1, NULL, &plan, NULL) == TRAWL_OK &&
 *         trawl_searcher_open(NULL, &searcher, NULL) == TRAWL_OK &&
 *         trawl_text_open("big.log", NULL, &text, NULL) == TRAWL_OK &&
 *         trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK)
 *         printf("%" PRIu64 "\n", count);
 *     trawl_text_close(text);
 *     trawl_searcher_close(searcher);
 *     trawl_plan_free(plan);
 * Conventions of every function below:
 *   - A function that can fail returns a status. Any may return ARGUMENT and MEMORY; its comment
 *     lists the others. Out-parameters are set on success only, unless the comment says
 *     otherwise.
 *   - trawl_plan_build, _tell, _explain and trawl_expression_tell may be called from any thread.
 *   - A struct trawl_error pointer may be NULL. A failing call fills the struct once; a
 *     successful call does not touch it.
 *   - Option structs begin with `size`: set it to sizeof the struct, zero the other fields, and set
 *     what you need (TRAWL_*_OPTIONS_INIT does the first two). Zero is the default of every field,
 *     and a NULL options pointer means all defaults. Structs of other versions are accepted if the
 *     fields that this version does not know are zero; a size below that of the struct in version
 *     2.0, such as a pointer's, is rejected with ARGUMENT.
 *   - Offsets, sizes and counts are 64-bit, in bytes unless the name says otherwise, 0-based. free
 *     and close functions accept NULL.
 *   - The library never prints, exits, installs signal handlers or reads the environment.
 *   - A child of fork() can use and close what its parent has opened, without the parent's GPUs. A
 *     call that the parent began fails in the child with UNSUPPORTED.
 *   - A sink runs on the thread that called the search, never twice at once, and may not call the
 *     same searcher. What it gets is borrowed until it returns. If it returns non-zero, the call
 *     ends with STOPPED, as a cancelled call does. A sink must return: after a longjmp or an
 *     exception out of a sink, its searcher stays BUSY.
 *   - Pointers to a GPU's memory come from cuMemAlloc or cudaMalloc in the GPU's primary context,
 *     and are aligned to an element. Finish your own work on that memory before you pass it.
 *   - "A device cannot answer alone": for algorithms, errors, some expressions (docs/regex.md),
 *     whole words beyond ASCII, letters whose cases differ in length, and very large sets.
 * trawl_records.h searches many records, trawl_stream.h searches text that arrives in segments;
 * this header includes both.
 */
#ifndef TRAWL_H
#define TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TRAWL_VERSION_MAJOR 2
#define TRAWL_VERSION_MINOR 0
#define TRAWL_VERSION_PATCH 0
#define TRAWL_VERSION "2.0.0"

#if defined(__GNUC__)
#define TRAWL_API __attribute__((visibility("default")))
#define TRAWL_CHECKED __attribute__((warn_unused_result))
#else
#define TRAWL_API
#define TRAWL_CHECKED
#endif
/* a function that can fail */
#define TRAWL_CALL TRAWL_API TRAWL_CHECKED enum trawl_status

/* ---- Status and error ------------------------------------------------------------------ */

/* 0: success. 1 to 9: an early end. 10 and above: a failure. 22 and 23 are retired numbers. */
#define TRAWL_STATUS_LIST(X)                                                 \
    X(OK, 0, "success")                                                      \
    X(STOPPED, 1, "a sink stopped the search, or it was cancelled")          \
    X(ARGUMENT, 10, "an argument is not valid for this function")            \
    X(BUSY, 11, "the searcher is already inside a call")                     \
    X(MEMORY, 12, "out of memory")                                           \
    X(THREAD, 13, "a thread could not be started")                           \
    X(LIMIT, 14, "a size or a count is too large for this build or machine") \
    X(OPEN, 20, "a file could not be opened")                                \
    X(READ, 21, "reading the text failed")                                   \
    X(ENGINE, 30, "the requested engine is not available")                   \
    X(DEVICE, 31, "the device or its driver failed")                         \
    X(UNSUPPORTED, 32, "this engine or build does not support the request")
enum trawl_status {
#define TRAWL_STATUS_ENUM(name, number, message) TRAWL_##name = (number),
    TRAWL_STATUS_LIST(TRAWL_STATUS_ENUM)
#undef TRAWL_STATUS_ENUM
};

#define TRAWL_ERROR_MESSAGE_BYTES 256

/* What went wrong. The caller owns the struct, usually on the stack. No field is a pointer. */
struct trawl_error {
    enum trawl_status status;
    int32_t os_code;        /* errno of the failed system call; 0: no system call failed */
    int32_t driver_code;    /* the GPU driver's code; 0: the driver did not fail */
    uint64_t pattern_index; /* index of the pattern at fault; UINT64_MAX: no pattern is */
    uint64_t text_offset; /* offset at fault, in the text or as the function says; or UINT64_MAX */
    char message[TRAWL_ERROR_MESSAGE_BYTES]; /* one line without newline; names what is at fault */
};
/* Return the run-time version, "major.minor.patch": static text. */
TRAWL_API const char *trawl_version(void);
/* Return static text that describes a status; "unknown status" if the number is not a status. */
TRAWL_API const char *trawl_status_message(enum trawl_status status);

/* ---- Plan ------------------------------------------------------------------------------ */

struct trawl_plan;
/* A pattern to search for. trawl_plan_build copies the bytes. bytes_count >= 1. */
struct trawl_pattern {
    const void *bytes;
    uint64_t bytes_count;
};
enum trawl_plan_flag {
    /* a letter equals its other cases in UTF-8, or those of `letters`. By default, k and s in a
     * string do not equal U+212A and U+017F, as they do in trawl_unicode(): that takes longer */
    TRAWL_IGNORE_CASE = 1,
    TRAWL_CRLF = 256,         /* expressions: a '\r' before a line end belongs to the line end */
    TRAWL_PCRE = 4096,        /* expressions: PCRE2 searches for what trawl rejects (docs/regex.md):
                                 PCRE2's own syntax; backreferences of EXTENDED and BASIC */
    TRAWL_MULTILINE = 8192,   /* occurrences of expressions may cross lines; only texts in memory */
    TRAWL_DOT_ALL = 16384,    /* expressions: '.' matches a newline, too */
    TRAWL_WHOLE_WORD = 2,     /* neither neighbour is a word character: [0-9A-Za-z_], with `letters`
                                 also the characters for which is_word returns true */
    TRAWL_STRICT_WORD = 1024, /* for WHOLE_WORD: an invalid byte counts as a word character */
    TRAWL_WHOLE_LINE = 4,     /* a whole line: both neighbours are line ends, or ends of the text;
                                 WHOLE_WORD then has no effect, and plans do not report it */
    TRAWL_SINGLE_BYTE = 128,  /* `letters` treats each byte as a character; not with errors */
    TRAWL_WIDE = 2048, /* strings occur as UTF-16LE, too, at any offset; `letters`, which must be
                          given, says what is equal. Excludes the other flags, and errors */
    /* for approximate search (mismatches_max, edits_max, DNA): */
    TRAWL_WITHIN_LINES = 8,        /* no occurrence contains a line end */
    TRAWL_EVERY_END = 16,          /* edits: a match for each end, not only the best match */
    TRAWL_REVERSE_COMPLEMENT = 32, /* DNA: also find each pattern's reverse complement */
    TRAWL_ANY_BASE = 64 /* DNA: a text's letter for several bases, such as N, matches if any of the
                           bases does. Without the flag, all of the bases must match */
};
/* How the text is searched (docs/design.md describes the methods). AUTO lets the plan choose. All
 * methods give the same answer; one that does not fit the patterns is rejected with ARGUMENT.
 * BUCKETS, CLASSES and AUTOMATON are methods for sets on the host; with SET, the host chooses among
 * them as the text demands, but never an automaton that would be too large. Devices take SET. */
#define TRAWL_METHOD_LIST(X) \
    X(AUTO, 0, "auto")       \
    X(EVERY, 1, "every")     \
    X(GRAMS, 2, "grams")     \
    X(SAMPLED, 3, "sampled") \
    X(SET, 4, "set")         \
    X(BUCKETS, 5, "buckets") \
    X(CLASSES, 6, "classes") \
    X(AUTOMATON, 7, "automaton")
enum trawl_method {
#define TRAWL_METHOD_ENUM(name, number, text) TRAWL_METHOD_##name = (number),
    TRAWL_METHOD_LIST(TRAWL_METHOD_ENUM)
#undef TRAWL_METHOD_ENUM
};
#define TRAWL_METHODS_COUNT 8
#define TRAWL_UTF8_VARIANTS_MAX 8
/* What non-ASCII UTF-8 text needs: pure functions, which threads call while the plan lives. */
struct trawl_letters {
    uint64_t size; /* sizeof(struct trawl_letters) */
    void *context;
    /* Writes code_point, and all code points that equal it if case is ignored; returns how many, 1
     * to TRAWL_UTF8_VARIANTS_MAX. Called by trawl_plan_build, and perhaps by searches. */
    uint32_t (*variants)(void *context, uint32_t code_point, uint32_t *variants);
    /* Returns true if this code point (>= 128) is a word character. Called by searches. */
    bool (*is_word)(void *context, uint32_t code_point);
    /* Points *ranges to the first and last code point of each range of a class such as "alpha", and
     * returns how many; 0: no such class. If NULL, and always in PERL with UTF-8: ASCII classes. */
    uint64_t (*class_ranges)(void *context, const char *name, const uint32_t **ranges);
};
/* Return Unicode 16's letters (static): variants by simple case folding; word characters by \w. */
TRAWL_API const struct trawl_letters *trawl_unicode(void);
/* Return the letters A-Z and a-z (static), for texts that are not UTF-8. */
TRAWL_API const struct trawl_letters *trawl_ascii(void);
/* The symbols of patterns and texts in approximate search (docs/approximate.md). */
enum trawl_alphabet {
    TRAWL_BYTES = 0,
    TRAWL_CHARACTERS = 1, /* UTF-8 characters; an invalid byte is a symbol */
    /* IUPAC's 15 codes in either case; U means T. A pattern has only these letters; other bytes of
     * a text match nothing */
    TRAWL_DNA = 2
};
#define TRAWL_ERRORS_MAX 31
/* A range [begin, end), counted from 0: of symbols of a pattern, or of bytes of a line. */
struct trawl_range {
    uint64_t begin;
    uint64_t end;
};
/* What patterns are (docs/regex.md): strings, or regular expressions. An occurrence of an
 * expression lies within a line or record, is not empty, and is leftmost; the search for this
 * expression then continues at its end. A line counts as found even for a match of zero bytes. */
enum trawl_syntax {
    TRAWL_LITERAL = 0,
    TRAWL_PERL = 1,     /* RE2's syntax; of matches with the same start, the first alternative */
    TRAWL_EXTENDED = 2, /* grep -E; of matches with the same start, the longest */
    TRAWL_BASIC = 3,    /* grep -G; of matches with the same start, the longest */
    /* PERL with ripgrep's syntax, for example [a-z&&[^b]] and \b{start}. In the alphabet
     * CHARACTERS, \w, \d and \s are Unicode's, and \b uses `letters`; in BYTES, as in rg
     * --no-unicode */
    TRAWL_RIPGREP = 4
};
/* The bytes that end lines: the first `count`, 0 to 2, of `bytes`; 0: '\n' alone. The others are 0.
 * {2, {'\n', 0}} is grep in binary files. */
struct trawl_line_ends {
    uint32_t count;
    uint8_t bytes[4];
};
struct trawl_plan_options {
    uint64_t size;                    /* sizeof(struct trawl_plan_options) */
    uint32_t flags;                   /* enum trawl_plan_flag, or-ed */
    enum trawl_syntax syntax;         /* what patterns are */
    struct trawl_line_ends line_ends; /* for WHOLE_LINE, expressions, and calls about lines */
    const void *sample;    /* NULL, or typical bytes of the texts, for choosing a method */
    uint64_t sample_bytes; /* bytes of `sample`, which is read during build */
    const char *algorithm; /* NULL: trawl's own methods. Else a name of the gallery, perhaps
                              followed by options (gallery/README.md); `method` is then AUTO.
                              Borrowed until trawl_plan_build returns. */
    /* Plans with errors: one of the next two limits, or alphabet DNA; no method or algorithm. */
    uint32_t mismatches_max; /* find occurrences with up to this many mismatches */
    uint32_t edits_max;      /* or instead, with up to this many edits. A limit is at most
                                TRAWL_ERRORS_MAX and less than any pattern's symbol count */
    enum trawl_alphabet
        alphabet;         /* what a symbol is. For strings, CHARACTERS needs one of the two
                             limits above. In expressions of DNA, each letter stands for the
                             letters that it equals, also in classes: [^R] is not A, G or R */
    uint32_t exact_count; /* ranges in `exact` */
    const struct trawl_range *exact; /* symbols in which no error is allowed; symbols beyond a
                                        pattern's end are ignored, if another has them. Copied. */
    enum trawl_method method;        /* AUTO, or the method to use */
    /* MiB for the steps of all expressions together, and for their automata. The steps of one then
       take at most a 32nd of that memory, and at most 2 MiB. 0: each has at most 64 MiB */
    uint32_t expression_mib;
    /* copied; NULL: IGNORE_CASE follows the rules at that flag (in expressions of BYTES: ASCII),
     * and word characters are ASCII */
    const struct trawl_letters *letters;
    const uint64_t *pattern_ids; /* NULL, or each pattern's number for trawl_plan_tell. Copied. */
    /* NULL, or called repeatedly while expressions are compiled; non-zero ends with STOPPED */
    int (*poll)(void *poll_context);
    void *poll_context;
};
/* Compile patterns[pattern_count], which are copied, into a plan, which the caller owns. Patterns
 * may be equal, or prefixes of each other; each is reported under its own index. A plan of 0
 * patterns finds nothing. Errors: ARGUMENT also for an empty pattern (error->pattern_index), a
 * flag, method or algorithm that does not fit the patterns, and a mistake in an expression
 * (text_offset: the byte in the expression); UNSUPPORTED for an algorithm in a build without the
 * gallery; LIMIT; STOPPED (`poll`). Cost: time and memory linear in
 * the patterns' total bytes. Strings' bytes are kept, with IGNORE_CASE twice. Sets of 5,000 strings
 * and more also need up to about 80 bytes per string, or 180 if all have 12 bytes or more; the
 * first search allocates all but 8 of these. For strings of several lengths, a long search may need
 * as much again. In a text with many candidates, a search also builds an automaton: 24 MiB, or for
 * larger sets 16 bytes per byte of the strings, up to 512 MiB. */
TRAWL_CALL trawl_plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                            const struct trawl_plan_options *options, struct trawl_plan **plan,
                            struct trawl_error *error);
TRAWL_API void trawl_plan_free(struct trawl_plan *plan);
/* What trawl_plan_tell reports. */
struct trawl_plan_told {
    uint64_t size;          /* sizeof(struct trawl_plan_told), set by the caller */
    uint64_t pattern_index; /* set by the caller: index of the pattern that `pattern` describes */
    uint64_t pattern_count;
    uint32_t flags;   /* enum trawl_plan_flag, as built */
    uint32_t engines; /* engines for the plan, as bits 1u << enum trawl_engine (CPU and CUDA) */
    uint32_t mismatches_max; /* as given to trawl_plan_build, like the next two fields */
    uint32_t edits_max;
    enum trawl_alphabet alphabet;
    enum trawl_syntax syntax;
    uint8_t has_errors; /* 1: a plan with errors; 0: mismatches_max, edits_max, alphabet are 0 */
    uint8_t line_end;   /* the byte that ends lines, or the first of two */
    uint8_t pcre; /* 1: PCRE2 searches for an expression; 2: also for one that may match no byte */
    uint8_t reserved[5];
    /* The pattern's bytes as given, borrowed until the plan is freed; NULL and 0 if pattern_index
     * is pattern_count or more. */
    struct trawl_pattern pattern;
    uint64_t pattern_id; /* the pattern's number in pattern_ids; else pattern_index */
    /* Set by the caller: NULL, or the name of a group of that expression, of group_name_bytes
     * bytes. `group` is then this group's number, or UINT64_MAX if there is none. */
    const char *group_name;
    uint64_t group_name_bytes;
    uint64_t group;
    uint64_t group_count; /* the groups of that expression */
};
/* Report what a plan was built with, and where it can run. */
TRAWL_CALL trawl_plan_tell(const struct trawl_plan *plan, struct trawl_plan_told *told,
                           struct trawl_error *error);
/* Explain a plan, in lines of "name: value": the method, the bytes of a gram (q), the stride, the
 * size of the tables, why the plan chose the method, and for one pattern the expected cost of each
 * method on a core with AVX2; for sets, expressions and errors the strategies that a search may
 * try, with their costs; for strings of several lengths the groups that are searched one after the
 * other; for a plan with an algorithm, its source and engines.
 * Writes at most buffer_bytes, with the terminating NUL; *needed_bytes is the size of the whole
 * text with the NUL, so a first call may pass NULL and 0. */
TRAWL_CALL trawl_plan_explain(const struct trawl_plan *plan, char *buffer, uint64_t buffer_bytes,
                              uint64_t *needed_bytes, struct trawl_error *error);

/* ---- Text ------------------------------------------------------------------------------ */

struct trawl_text;
enum trawl_source {
    TRAWL_SOURCE_PATH = 0,       /* the file `path` */
    TRAWL_SOURCE_DESCRIPTOR = 1, /* `descriptor`; messages name `path`, if not NULL */
    TRAWL_SOURCE_MEMORY = 2,     /* `bytes` */
    TRAWL_SOURCE_DEVICE = 3      /* `bytes`, an address in a GPU's memory, cast to a pointer */
};
enum trawl_text_flag {
    TRAWL_TEXT_UNPACK = 1, /* a file may be compressed by gzip, xz, bzip2, zstd or lz4 */
    TRAWL_TEXT_MAP = 2,    /* a regular file is mapped as a whole, if possible (trawl_map_repair) */
    TRAWL_TEXT_STAY = 4,   /* DEVICE: the text is never copied to the host; calls that would have to
                              copy it fail with UNSUPPORTED */
    TRAWL_TEXT_FILTER = 8  /* MEMORY: trawl_text_load also makes a filter */
};
struct trawl_text_options {
    uint64_t size;            /* sizeof(struct trawl_text_options) */
    uint32_t flags;           /* enum trawl_text_flag, or-ed */
    enum trawl_source source; /* says which of the next fields hold the text; others must be 0 */
    int32_t descriptor;       /* for other sources 0 or negative */
    uint32_t reserved;        /* 0 */
    const void *bytes;        /* MEMORY, DEVICE; may be NULL if bytes_count is 0 */
    uint64_t bytes_count;
};
/* Open a text: without options, the file `path`, which is copied.
 * MEMORY: the bytes are borrowed until trawl_text_close. The caller may write them between two
 * searches, unless the text is loaded.
 * DESCRIPTOR: borrowed until trawl_text_close. A regular file is searched from the descriptor's
 * offset to the file's end; reading finds the end, so a file may grow or report size 0. A search
 * does not move the offset. Offsets in results count from the first byte searched. Any other
 * descriptor is a stream: a search reads a stream in order until its end, and only one search can.
 * A pipe's buffer is enlarged to 1 MiB, so that its writer waits less.
 * DEVICE: borrowed until trawl_text_close. Load the text before the first search, and unload it
 * before trawl_text_close. The GPU searches it in place. If a call must read it on the host (what a
 * device cannot answer alone, windows, line numbers, matches of whole words and lines, and
 * expressions except for counts of lines), the first such call copies the text to the host: do not
 * change it from then on.
 *
 * UNPACK: the first bytes decide the format, not the name. A compressed text is a stream of its
 * decompressed bytes: offsets count these. Searches decompress a regular file anew, one search at a
 * time (else BUSY). Only a part is in memory at once, plus the format's window of up to 256 MiB.
 * Consecutive members, streams and frames are one text. A text that is not compressed is opened as
 * without the flag; for a pipe, this is known after the first read. A format's library is loaded
 * when the first text of the format is opened, or read if it is a pipe.
 * Errors: OPEN (with os_code; a folder is rejected, too). With UNPACK also READ with os_code 0 if
 * data is damaged, ends too early or is followed by something else (the message names the byte of
 * the file; what came before was searched); UNSUPPORTED if the format's library is not installed.
 */
TRAWL_CALL trawl_text_open(const char *path, const struct trawl_text_options *options,
                           struct trawl_text **text, struct trawl_error *error);
/* Close a text. Borrowed bytes and descriptors stay the caller's. */
TRAWL_API void trawl_text_close(struct trawl_text *text);
/* What trawl_text_tell reports. */
struct trawl_text_told {
    uint64_t size; /* sizeof(struct trawl_text_told), set by the caller */
    /* size of the text; for a file, its current size minus the offset at which the text begins;
     * UINT64_MAX: unknown */
    uint64_t text_bytes;
    /* The compressed format, such as "gzip": of a text of TRAWL_TEXT_UNPACK once its first bytes
     * were read, or of a text in memory from its first 10 bytes. NULL: none is known. Static. */
    const char *compression;
    uint32_t is_seekable; /* 1: trawl_text_read works at any offset (memory and regular files) */
    uint32_t is_cut;      /* 1: a file of TRAWL_TEXT_MAP is shorter now; the lost bytes are zeros */
    const void *bytes; /* the whole text, if it is in memory or mapped by TRAWL_TEXT_MAP; or NULL */
    uint64_t filter_bytes; /* the memory of the text's filter; 0: it has none */
};
/* Report what is known about a text now. */
TRAWL_CALL trawl_text_tell(const struct trawl_text *text, struct trawl_text_told *told,
                           struct trawl_error *error);
/* Read up to buffer_bytes from `offset`; *read_bytes is less only at the text's end.
 * Errors: READ, UNSUPPORTED (a stream, a GPU's memory). Threads: any, also in a sink. */
TRAWL_CALL trawl_text_read(const struct trawl_text *text, uint64_t offset, void *buffer,
                           uint64_t buffer_bytes, uint64_t *read_bytes, struct trawl_error *error);

/* ---- Runtime ---------------------------------------------------------------------------- */

struct trawl_runtime;
enum trawl_engine {
    TRAWL_ENGINE_AUTO = 0, /* the CPU, and GPUs where they make the search faster */
    TRAWL_ENGINE_CPU = 1,
    /* GPUs; status ENGINE if there is no usable device. The CPU still searches for expressions in a
     * text that is not loaded, and for patterns with errors if that takes less time */
    TRAWL_ENGINE_CUDA = 2,
};
/* How a search gets a regular file's bytes: by a copy (read), or in the kernel's page cache. To set
 * a value other than NEVER, a program must have a SIGBUS handler that calls trawl_map_repair. */
enum trawl_map {
    TRAWL_MAP_NEVER = 0,
    TRAWL_MAP_IF_FASTER = 1, /* files of 32 MiB and more, unless most windows have matches. Takes
                                0.5 of a copy's time if the page cache has large pages, else 0.9 */
    TRAWL_MAP_ALWAYS = 2     /* every file, except for its last pages; for tests */
};
/* Options of a runtime, or of a searcher and the runtime that it opens. */
struct trawl_searcher_options {
    uint64_t size; /* sizeof(struct trawl_searcher_options) */
    enum trawl_engine engine;
    uint32_t threads; /* threads that search, 1 to 1024, a caller's included; 0: one per core, or
                         fewer by the quota of a container. Each GPU has further threads. */
    const char *instruction_set;  /* a name of trawl_instruction_set, not kept; NULL: the best */
    uint64_t device_memory_bytes; /* limit on each device's memory; 0: no limit */
    uint64_t host_memory_bytes;   /* limit on the memory for chunks that texts are read into; 0: no
                                     limit. A search that gets no memory waits up to a second until
                                     other searches release memory, then fails with MEMORY. */
    /* for searchers only: */
    struct trawl_runtime *runtime; /* the runtime to use, which must be closed after the searcher;
                                      the options above must then be 0. NULL: the searcher opens its
                                      own. */
    uint64_t chunk_bytes; /* bytes per unit of work; 0: trawl chooses. Small units are for tests. */
    enum trawl_map map;   /* how files are read */
    /* NULL, or a function that the threads inside a call run repeatedly, for example to check the
     * clock and cancel the call. It does not run while the caller waits for stream bytes. */
    void (*poll)(void *poll_context);
    void *poll_context;
};
/* Open a runtime: the worker threads, devices, loaded texts and memory that searchers share. Any
 * number of searchers may use it at the same time, each from its own thread. A searcher that is
 * given no runtime opens one for itself. Worker threads start when a text is large enough to need
 * them, and stay. Errors: ENGINE (with the reason), DEVICE. */
TRAWL_CALL trawl_runtime_open(const struct trawl_searcher_options *options,
                              struct trawl_runtime **runtime, struct trawl_error *error);
/* Close a runtime. Errors: BUSY if one of its searchers is open; the runtime stays open. */
TRAWL_API enum trawl_status trawl_runtime_close(struct trawl_runtime *runtime,
                                                struct trawl_error *error);

/* ---- Searcher -------------------------------------------------------------------------- */

struct trawl_searcher;
/* List the instruction sets that this build can use on this machine: best first, NULL after the
 * last; "portable" is always in the list. Static text. */
TRAWL_API const char *trawl_instruction_set(uint32_t index);
/* Open a searcher. Errors: ENGINE (with the reason), DEVICE. Cost: some memory; without a runtime,
 * also what trawl_runtime_open costs. */
TRAWL_CALL trawl_searcher_open(const struct trawl_searcher_options *options,
                               struct trawl_searcher **searcher, struct trawl_error *error);
TRAWL_API void trawl_searcher_close(struct trawl_searcher *searcher);
/* What trawl_searcher_stats reports of the last search; zeros before the first search. */
struct trawl_stats {
    uint64_t size;       /* sizeof(struct trawl_stats), set by the caller */
    uint64_t text_bytes; /* bytes searched; less than the text if the search stopped early */
    uint64_t chunk_count;
    uint64_t cpu_chunk_count;
    uint64_t device_chunk_count;
    uint64_t match_count;     /* occurrences found; fewer than the text has if lines are counted or
                                 window flags skip occurrences */
    uint64_t candidate_count; /* positions verified byte by byte */
    uint64_t wall_ns;         /* 0 if the host searched a text in memory of less than 16 KiB, other
                                 than in batches or records: reading a clock takes as long */
    uint32_t thread_count;    /* threads that took part; one that worked for other searches of the
                                 runtime in between counts again */
    char engine[32];          /* "cpu", "cuda", "cpu+cuda" */
    char instruction_set[16]; /* the set that the CPU engine uses */
    char note[160];  /* why an engine did not take part, or why an algorithm ran in another form;
                        empty if there is nothing to say */
    uint32_t worker; /* set by the caller: which worker the next members describe. 0: the
                        host's cores; each further number is a device */
    uint32_t worker_count; /* 0 after a call that searched no text in chunks; if it is `worker` or
                              less, the next members are 0 */
    char worker_name[96];  /* "cpu", or "device 0", "device 1", ... */
    uint64_t worker_chunk_count;
    uint64_t worker_text_bytes; /* also in chunks whose results the caller did not take */
    uint64_t worker_search_ns;  /* summed over the threads; 0 if wall_ns is */
    uint64_t worker_thread_count;
    uint64_t worker_method_bytes[TRAWL_METHODS_COUNT]; /* worker_text_bytes, split by the method
                                                          that finished each chunk; AUTO counts the
                                                          gallery's algorithms */
    uint64_t change_count; /* changes of method: trawl_searcher_changes lists the last of them */
    /* with a filter (TRAWL_TEXT_FILTER): pages, and those that were left to search; else 0 */
    uint64_t page_count;
    uint64_t page_left_count;
};
/* Report what the last finished call on a searcher did. */
TRAWL_CALL trawl_searcher_stats(const struct trawl_searcher *searcher, struct trawl_stats *stats,
                                struct trawl_error *error);
/* how many changes of a call are kept */
#define TRAWL_CHANGES_KEPT 16
/* A change of method during a search, by a thread of the host, or for a set by a device. Which
 * method is fastest depends on the text (docs/design/strategies.md), so a search begins with the
 * one that is expected to be, and changes if another turns out faster. */
struct trawl_change {
    uint64_t offset;    /* where in the text the thread changed */
    const char *before; /* names of strategies; valid as long as the library is loaded */
    const char *after;
    double before_ns; /* their time per byte of text, measured or estimated */
    double after_ns;
    const char *why; /* valid as long as the library is loaded */
};
/* Fill `changes` with the last changes of the last finished call, in the order in which they
 * happened. *count is set to their number: at most `room`, TRAWL_CHANGES_KEPT, and the
 * change_count of trawl_searcher_stats. Errors: ARGUMENT. */
TRAWL_CALL trawl_searcher_changes(const struct trawl_searcher *searcher,
                                  struct trawl_change *changes, uint64_t room, uint64_t *count,
                                  struct trawl_error *error);
/* Cancel the searcher's current call. The call returns STOPPED as soon as it can, and leaves its
 * out-parameters untouched; what a sink got before stays valid. In a search in batches, the current
 * or next call for a batch returns STOPPED. If no call is running: with `or_next`, the next call
 * returns STOPPED immediately, else nothing happens. A watchdog needs `or_next`, since no call has
 * a time limit. Work that a device has begun, and trawl_text_load, run to completion.
 * Threads: any, also from inside a sink, and from a signal handler in any thread. */
TRAWL_API void trawl_searcher_cancel(struct trawl_searcher *searcher, bool or_next);
/* Return how many bytes of the current call's text have been searched, for a progress display.
 * Threads: any, also during a call. */
TRAWL_API uint64_t trawl_searcher_progress(const struct trawl_searcher *searcher);

/* ---- Devices ----------------------------------------------------------------------------- */

/* Keep a copy of a memory text on the searcher's devices, for many searches of the same text. Such
 * searches read host memory only where the host needs the bytes, as in the calls that
 * trawl_text_open lists for DEVICE.
 * Under AUTO, a lack of devices, or of room on them, is no error: the host then searches the text.
 * Under CPU, the call only makes a filter. Do not change or free the bytes until trawl_text_unload
 * or trawl_searcher_close (with a shared runtime, trawl_runtime_close). The copy stays until this
 * text object is unloaded, whatever other texts of the same memory are loaded and unloaded. The
 * searchers of a runtime share the copies: a search copies nothing if all bytes of its text lie in
 * copies, even of longer or overlapping texts. If exactly the same range of memory is loaded
 * already, its bytes are copied again; but if the runtime has other searchers, both text objects
 * share the old copy. A text of TRAWL_SOURCE_DEVICE is copied only if less than 79 bytes follow it
 * in its allocation, within its GPU; from 8 MiB on, only its end. Errors: ARGUMENT (not a text in
 * memory), BUSY, MEMORY, DEVICE, LIMIT (more than 256 texts); for a text in a GPU's memory also
 * UNSUPPORTED, ENGINE. Cost: one copy to the device. With TRAWL_TEXT_FILTER, the load also makes a
 * filter, in an eighth of the text's memory, with which later searches skip pages (docs/filter.md).
 * A text of less than 4 MiB has none, nor has one whose pages are alike, or if memory is lacking.
 * Cost: that of 10 to 20 counts. */
TRAWL_CALL trawl_text_load(struct trawl_searcher *searcher, struct trawl_text *text,
                           struct trawl_error *error);
/* Drop the copy of a loaded text, for all searchers of the runtime. No searcher may be searching
 * the text. Does nothing if this text object is not loaded. */
TRAWL_API void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text);

/* ---- Searching -------------------------------------------------------------------------
 * Errors that every search may return; the functions add their own:
 *   - ARGUMENT: also if the plan's algorithm can only search records, and the call names a text
 *   - BUSY: the searcher is inside a call (from a sink, or from another thread)
 *   - MEMORY: scratch could not grow; the searcher stays usable. If a thread cannot be started, the
 *     search continues with the threads that it has
 *   - READ: reading failed (os_code, text_offset); results before that offset were delivered
 *   - DEVICE: a device failed, and the engine is TRAWL_ENGINE_CUDA
 *   - UNSUPPORTED: the searcher's engine does not have the plan's algorithm (trawl_plan_tell),
 *     or is TRAWL_ENGINE_CUDA, and the patterns are too many or too long for a device
 *
 * Cost: a search reads each text byte at most once, plus the overlap of chunks (the longest pattern
 * less one byte each); a plan of method "sampled" reads less than the text. Time is linear in the
 * text for any one pattern. For sets on the CPU, time is linear in text and occurrences, except
 * where docs/design/sets.md gives another bound. */
struct trawl_match {
    uint64_t begin; /* offset of the occurrence's first byte in the text */
    uint64_t end;   /* offset of the byte after the occurrence's last byte */
    uint32_t pattern_index;
    uint16_t distance; /* plans with errors: number of mismatches, or of edits; else 0 */
    uint16_t reversed; /* 1: the reverse complement occurs; else 0 */
};
/* Which occurrences a call delivers: all of them, overlapping ones too, or one of these values. */
enum trawl_which {
    TRAWL_ALL = 0,
    /* at least one (perhaps empty) of each line in which matches begin. For strings a NUL ends a
     * line, too, unless two bytes end lines */
    TRAWL_LINES = 1,
    /* as LINES, and faster for expressions, but begin and end may lie anywhere in the line, and
     * pattern_index is arbitrary. With MULTILINE, the search resumes after the line in which a
     * match ends */
    TRAWL_LINES_ALONE = 2,
    /* leftmost-longest without overlap: of the matches that begin first, the longest, and of these
     * one with the fewest errors; all patterns resume after its end. Where expressions match only
     * zero bytes in a line, an empty match of any of them */
    TRAWL_SPANS = 4,
    /* leftmost-first without overlap: of the matches that begin first, that with the lowest pattern
     * index; all patterns resume after its end. An empty match prevents others with a higher index,
     * but is delivered only with SPANS_FIRST | WITH_EMPTY, as the only match of a line */
    TRAWL_SPANS_FIRST = 8,
    TRAWL_WITH_EMPTY = 16, /* all, and an empty match in a line in which an expression matches only
                              zero bytes */
    TRAWL_NO_MATCHES = 32  /* none: only read the text */
};
/* What a call delivers besides; or-ed with one enum trawl_which. */
enum trawl_with {
    TRAWL_LINE_ENDS = 64, /* line ends are counted (in the searching threads) */
    TRAWL_NULLS = 128,    /* has_null is set in windows with a NUL (by the searching threads) */
    TRAWL_FIRSTS = 256    /* matches after a line's first may be missing; not if MULTILINE */
};
/* Count all occurrences of all patterns, overlapping occurrences too. */
TRAWL_CALL trawl_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                       struct trawl_text *text, uint64_t *count, struct trawl_error *error);
/* Find the first occurrence: of those with the lowest begin, the one with the lowest pattern_index.
 * If there is none, *found is false and *match is untouched. Reads little after the occurrence. */
TRAWL_CALL trawl_first(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                       struct trawl_text *text, struct trawl_match *match, bool *found,
                       struct trawl_error *error);

/* ---- Answers -----------------------------------------------------------------------------
 * The answer that a search is to give: what, where it goes, and where the search may end. trawl_ask
 * supports TRAWL_MATCHES to TRAWL_BEGINS, and trawl_ask_records the TRAWL_RECORDS_ values. Any
 * other combination is UNSUPPORTED, and the message names it. Functions for one answer are shorter
 * or faster: trawl_count, trawl_first; trawl_windows also delivers the text's bytes.
 */
/* Takes matches ordered by (begin, pattern_index); in approximate search, then by (reversed, end).
 */
typedef int (*trawl_match_sink)(void *context, const struct trawl_match *matches,
                                uint64_t match_count);
/* How often one pattern occurs in a part of a text. */
struct trawl_pattern_count {
    uint64_t pattern_index;
    uint64_t count; /* 1 or more */
};
/* Takes counts of patterns. A pattern may appear many times, in any order: add its counts up. */
typedef int (*trawl_pattern_count_sink)(void *context, const struct trawl_pattern_count *counts,
                                        uint64_t counts_count);
/* The cells of records [record_begin, record_end), ordered by (record, pattern), in three columns.
 * A cell is a pair (record, pattern index): the pattern occurs in the record. */
struct trawl_cells {
    uint64_t record_begin;
    uint64_t record_end;
    uint64_t cell_count;
    const uint64_t *records;
    const uint64_t *patterns;
    const uint64_t *begins; /* where the pattern first begins, from the record's first byte */
};
/* Takes cells. Batches of records follow each other, from record 0 on; a batch may be empty. */
typedef int (*trawl_cells_sink)(void *context, const struct trawl_cells *cells);
enum trawl_what {
    /* `matches` takes all occurrences, in order; `count` is their number */
    TRAWL_MATCHES = 0,
    /* `counts` takes how often each pattern occurs, overlapping occurrences too: each searching
     * thread sums up those of its chunk, and the sink gets the sums, chunk after chunk in text
     * order. `count` is the sum of all. Cost: some nanoseconds per occurrence, and per chunk a
     * count for each of its patterns */
    TRAWL_COUNT_BY_PATTERN = 1,
    /* `count` is the number of lines in which an occurrence begins; with `invert`, in which none
     * begins. Lines end in the plan's line end; bytes after the last line end are a line, too,
     * unless READ truncates it */
    TRAWL_COUNT_LINES = 2,
    /* `values` gets the start offsets of the first `room` occurrences (uint64_t), ascending;
     * `count` is the true total. An offset is listed once for each pattern that occurs there. If
     * devices have loaded the text, they themselves copy to pinned host memory; to other host
     * memory, host threads copy beside a device that has the whole text. In a device's memory,
     * devices must have loaded the whole text (trawl_text_load), and the rest of the array may
     * change. UNSUPPORTED there for whole words and lines, and for what a device cannot answer
     * alone. Cost: that of trawl_count, and 8 bytes per occurrence */
    TRAWL_BEGINS = 3,
    /* Of records. N is their number; `count` is the number of records where a pattern occurs, also
     * those with only empty matches. */
    TRAWL_RECORDS_BITS = 4,   /* `values`: 1 bit per record, 1: a pattern occurs in it. Record i is
                                 bit (i & 7) of byte i >> 3; later bits of the last byte are 0 */
    TRAWL_RECORDS_BYTES = 5,  /* `values`: 1 byte per record: 1 if a pattern occurs in it, else 0 */
    TRAWL_RECORDS_COUNTS = 6, /* `values`: uint32_t per record: occurrences of all patterns,
                                 overlapping ones too, but no empty match of an expression */
    TRAWL_RECORDS_CELLS = 7, /* `values` and `patterns`: the cells' two columns, ordered by (record,
                                pattern), and `count` their true number, with LIMIT if it exceeds
                                `room`; or `cells` takes them, in bounded memory, from the host */
    TRAWL_RECORDS_FIRST = 8, /* `begins`, `ends`, `patterns`: N numbers each: where the record's
                                first occurrence begins and ends, counted from the record's first
                                byte, and its pattern, as trawl_first finds it; no empty match. All
                                bits are 1 if there is none. `count`: records with an occurrence */
    TRAWL_RECORDS_MATCHES = 9 /* `begins`, `ends`, `patterns`: all records' occurrences, as
                                 TRAWL_MATCHES lists them in a record, up to `room`; those of
                                 record i are [values[i], values[i + 1]), also beyond `room`, so
                                 `values` has N + 1 numbers, if N > 0. `count` is their true number,
                                 with LIMIT if it exceeds `room`. No empty match of an expression */
};
struct trawl_answer {
    uint64_t size;        /* sizeof(struct trawl_answer) */
    enum trawl_what what; /* which of the next members matter; the others must be 0 */
    uint32_t invert;      /* COUNT_LINES: 1: lines without an occurrence */
    uint64_t lines_max;   /* COUNT_LINES: counting stops there; 0: no limit */
    /* arrays in the host's memory, or in that of the GPU that has the text or the records */
    void *values;
    void *patterns;
    /* capacity, in elements; RECORDS_BITS, _BYTES, _COUNTS, _FIRST: N or more, else LIMIT */
    uint64_t room;
    /* RECORDS_CELLS, _FIRST, _MATCHES: bytes of a number, 4 or 8; BEGINS: 8. 0 means 8 */
    uint32_t cell_bytes;
    /* set by the call: */
    uint32_t on_device; /* of records: 1 if a device computed the answer, 0 if the host did */
    uint64_t count; /* on OK; after READ, LIMIT and DEVICE what was found before, as in the arrays,
                       or 0 if a device was to fill them; else untouched */
    /* sinks, and what they are called with */
    trawl_match_sink matches;
    trawl_pattern_count_sink counts;
    trawl_cells_sink cells;
    void *context;
    /* RECORDS_FIRST, _MATCHES: arrays like the two above. `patterns`, `ends` and, of
     * RECORDS_MATCHES, `begins` may be NULL: they are not wanted */
    void *begins;
    void *ends;
};
/* Search a text for an answer. Errors: ARGUMENT also if the searcher does not have an array's
 * device (AUTO has no device before trawl_text_load). */
TRAWL_CALL trawl_ask(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                     struct trawl_text *text, struct trawl_answer *answer,
                     struct trawl_error *error);
/* A part of the text with all occurrences that begin there. Windows follow each other without gap
 * from offset 0 to the text's end. The last window has `last` set and may be empty. */
struct trawl_window {
    uint64_t begin; /* text offset of bytes[0] */
    const uint8_t *bytes;
    uint64_t bytes_count;
    uint64_t after_bytes_count; /* readable bytes that follow, so that each match is in memory */
    const struct trawl_match *matches; /* in order; each begins in the window */
    uint64_t match_count;
    uint64_t line_end_count;          /* line ends in the window; 0 unless TRAWL_LINE_ENDS */
    const uint64_t *line_ends_before; /* line ends before each match's start; NULL without
                                         TRAWL_LINE_ENDS, or if matches are dense */
    bool last;
    bool one_per_line; /* no two matches begin in the same line; may be false although no two do */
    bool has_null;     /* a NUL is among the bytes; false unless TRAWL_NULLS */
};
typedef int (*trawl_window_sink)(void *context, const struct trawl_window *window);
/* Deliver the whole text in windows, in order, each with its matches: for programs that print
 * lines, contexts or reports. A window may end inside a line. flags: one enum trawl_which, or-ed
 * with any enum trawl_with. Memory is bounded by threads and chunks. A stream's window is delivered
 * as soon as its bytes arrive. It ends where an occurrence may begin that later bytes complete
 * (with errors: earlier, by the longest match). */
TRAWL_CALL trawl_windows(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         struct trawl_text *text, uint32_t flags, trawl_window_sink sink,
                         void *context, struct trawl_error *error);
/* Takes the next bytes of a rewritten text. */
typedef int (*trawl_bytes_sink)(void *context, const void *bytes, uint64_t bytes_count);
/* What replaces the occurrences of a pattern. */
struct trawl_value {
    const void *bytes; /* may be NULL if bytes_count is 0 */
    uint64_t bytes_count;
};
/* Deliver the text with values in place of occurrences that do not overlap. flags chooses the
 * occurrences: TRAWL_SPANS or TRAWL_SPANS_FIRST. values_count is 1, for one value in
 * place of every occurrence, or the plan's number of patterns. For values that depend on an
 * occurrence, such as on its groups, call trawl_windows and trawl_line_groups instead. Errors:
 * ARGUMENT also for other flags and numbers of values. Cost: as for trawl_windows, and two calls of
 * the sink for each occurrence. */
TRAWL_CALL trawl_replace(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         struct trawl_text *text, uint32_t flags, const struct trawl_value *values,
                         uint64_t values_count, trawl_bytes_sink sink, void *context,
                         struct trawl_error *error);

/* ---- Initializers ------------------------------------------------------------------------
 * All options are defaults; the options of bytes in memory; the answer `what`:
 *     struct trawl_text_options memory = TRAWL_TEXT_MEMORY(bytes, 12);
 *     struct trawl_answer lines = TRAWL_ANSWER(TRAWL_COUNT_LINES);
 *     struct trawl_answer matches = TRAWL_ANSWER_MATCHES(print_matches, &context);
 *     struct trawl_answer begins = TRAWL_ANSWER_VALUES(TRAWL_BEGINS, array, 100); */
/* clang-format off */
#define TRAWL_PLAN_OPTIONS_INIT {sizeof(struct trawl_plan_options), 0, TRAWL_LITERAL, {0, {0}}, \
    NULL, 0, NULL, 0, 0, TRAWL_BYTES, 0, NULL, TRAWL_METHOD_AUTO, 0, NULL, NULL, NULL, NULL}
#define TRAWL_TEXT_OPTIONS_INIT {sizeof(struct trawl_text_options), 0, TRAWL_SOURCE_PATH, 0, 0, \
    NULL, 0}
#define TRAWL_TEXT_MEMORY(bytes, bytes_count) {sizeof(struct trawl_text_options), 0, \
    TRAWL_SOURCE_MEMORY, 0, 0, (bytes), (bytes_count)}
#define TRAWL_SEARCHER_OPTIONS_INIT {sizeof(struct trawl_searcher_options), TRAWL_ENGINE_AUTO, \
    0, NULL, 0, 0, NULL, 0, TRAWL_MAP_NEVER, NULL, NULL}
#define TRAWL_ANSWER_VALUES(what, values, room) {sizeof(struct trawl_answer), what, 0, 0, \
    values, NULL, room, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL}
#define TRAWL_ANSWER(what) TRAWL_ANSWER_VALUES(what, NULL, 0)
#define TRAWL_ANSWER_MATCHES(matches, context) {sizeof(struct trawl_answer), TRAWL_MATCHES, 0, 0, \
    NULL, NULL, 0, 0, 0, 0, matches, NULL, NULL, context, NULL, NULL}
#define TRAWL_ANSWER_COUNTS(counts, context) {sizeof(struct trawl_answer), \
    TRAWL_COUNT_BY_PATTERN, 0, 0, NULL, NULL, 0, 0, 0, 0, NULL, counts, NULL, context, NULL, NULL}
/* clang-format on */

/* ---- Rare -------------------------------------------------------------------------------- */

/* Memory functions that replace the C library's. allocate returns bytes aligned to `alignment` (a
 * power of two) or NULL; release gets the same size back. */
struct trawl_memory {
    uint64_t size; /* sizeof(struct trawl_memory) */
    void *context;
    void *(*allocate)(void *context, uint64_t bytes, uint64_t alignment);
    void (*release)(void *context, void *pointer, uint64_t bytes);
};
/* Use these functions for the library's own memory; NULL: the C library's again. The libraries
 * that decompress texts, GPU drivers and threads' stacks take memory from elsewhere. Copied. Not
 * thread-safe: call it while no object of the library exists. */
TRAWL_CALL trawl_set_memory(const struct trawl_memory *memory, struct trawl_error *error);
/* Handle a SIGBUS that comes from a file which trawl has mapped. While a search runs, such a file
 * may become shorter, or its disk may fail; a read of the lost bytes raises SIGBUS. The library
 * installs no handler. A program that sets `map` calls this function from its own handler, with the
 * signal's si_addr. Returns true if it has put zeros in place of the lost bytes; the handler should
 * then return. The search notices the zeros, drops what it found there, and reads the file instead:
 * the text ends, or the call fails with READ. Returns false if the signal has a different cause.
 *
 * Callers see mapped bytes only in those windows of trawl_windows that have no match. If the file
 * is truncated while the sink has such a window, the search fails with READ after that window. But
 * a text of TRAWL_TEXT_MAP is never read: all its windows are mapped, and it keeps the zeros
 * (is_cut). If the file is written to during a search, the search may see bytes from before or
 * after the write. Mapped bytes are in the page cache, so host_memory_bytes does not bound them; up
 * to 40 MiB are resident at a time if one thread searches, else usually 80. Chunks for GPUs are
 * read. Threads: any; safe in a signal handler. */
TRAWL_API bool trawl_map_repair(const void *address);
#ifdef __cplusplus
}
#endif

#include "trawl_records.h" /* IWYU pragma: export */
#include "trawl_stream.h"  /* IWYU pragma: export */

#endif
