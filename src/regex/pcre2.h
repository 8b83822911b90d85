/* pcre2: finds matches in lines with the library PCRE2, for expressions with features that trawl
 * lacks, such as look-around and backreferences.
 *
 * The library is loaded when the first such expression is compiled. PCRE2 tries every way in which
 * an expression may match, so the work on a line is limited (match_beyond in words.c).
 *
 * How PCRE2's expressions are searched:
 *
 * - Work on a line. In a line of n bytes, each start offset may take 100 million / n steps, but at
 *   least 50,000 (2,000 with \G or a verb such as (*SKIP)) and at most 10 million. In lines of 200
 *   bytes or more, a start that needs more steps gets them, while such trials take less than 50 us
 *   per byte of the line and 5 s in all. With --multiline, the whole file is one line.
 * - A line that exceeds the limit is undecided. The library delivers all other results, sets its
 *   counts, and returns LIMIT. Python raises LimitError at the end of the text or column, after an
 *   iterator's last result. A search that ends early, as trawl_first does, reports none.
 * - Cancelling works even inside a line, unless the expression has \G or a verb.
 * - Words and classes are those of PCRE2's version of Unicode for tg and with TRAWL_RIPGREP, as in
 *   rg -P. Otherwise \b, \B and TRAWL_WHOLE_WORD mean trawl's words, and in a single-byte locale
 *   PCRE2 takes classes and cases from the locale (of the process, when PCRE2 is first used), as
 *   grep -P does. Before PCRE2 10.43, nonspacing marks and connectors other than _ are word
 *   characters only for tg and with TRAWL_RIPGREP, and a look-behind has a fixed length.
 * - Invalid bytes match nothing; an expression must not contain bytes of an incomplete character.
 * - Case of ASCII alone cannot be ignored in UTF-8. If struct trawl_letters asks for it (Python's
 *   ignore_case="ascii"), an expression in which PCRE2 could find more is UNSUPPORTED: one with k,
 *   s, a character beyond ASCII, a class of these, or a backreference.
 * - Optimizations that miss matches are off. Start optimizations are used without |, braces,
 *   look-ahead, references in groups and recursion, or with (*COMMIT). If a group is atomic or
 *   possessive, as in \w+(?:,\d)?+\w, neither these nor auto-possessification are used, nor is the
 *   latter with \R. Groups like (b|bc){2,}+ are searched without the JIT, and before 10.43 also
 *   (a|)*+, groups in assertions, recursion, and some repeated backreferences.
 */
#ifndef TRAWL_REGEX_PCRE2_H
#define TRAWL_REGEX_PCRE2_H

#include <stdatomic.h>

#include "base/status.h"
#include "regex/options.h"

#define PCRE2_SCRATCHES 32u /* how many threads' memory for matches is kept between calls */

/* PCRE2 as in Debian 12 has a bug: in texts that may be invalid UTF-8, its JIT finds no non-ASCII
 * character for \W, \D and \S. It would also check the line again for each match. So PCRE2 is given
 * the parts of a line that are valid UTF-8 one by one, and told that they are valid. For these
 * parts, an expression is rewritten so that \A, \z, \Z, \B and \G refer to the line: a part may end
 * where the line does not, and a search starts only in the first part that it reads.
 */
enum pcre2_program {
    PROGRAM_LINES, /* for lines that are valid UTF-8 */
    PROGRAM_FIRST, /* for the part in which a search begins */
    PROGRAM_LATER, /* for the later parts */
    PROGRAMS
};

/* What an expression begins with: `.*`, `.+` or `.{n,}`, where `.` matches newlines (ALL) or not.
 */
enum pcre2_head { HEAD_OTHER, HEAD_LINE, HEAD_ALL };

/* A compiled expression. */
struct pcre2 {
    uint32_t groups;
    enum pcre2_head head;
    bool has_heads;    /* there are several alternatives, some with a head */
    bool may_be_empty; /* a match may be empty */
    /* A search may stop at the start of any character and resume there. False if the expression has
     * \G, or a verb such as (*SKIP), which depend on where the search started. */
    bool may_stop;
    /* A search that starts where a match begins may not find that match, because it depends on
     * where the earlier search started: by \K, \G or a verb. */
    bool remembers;
    bool is_utf8; /* false: each byte is a character */
    uint32_t repetitions;
    void *codes[PROGRAMS]; /* compiled programs; NULL: the previous entry is used */
    void *ascii;           /* like PROGRAM_LINES, for lines of ASCII; NULL: missing */
    _Atomic(struct scratch *) scratches[PCRE2_SCRATCHES];
};

/* The part of a line in which a search last looked: a stretch of valid UTF-8 that is as long as
 * possible. All zeros before the first search. */
struct pcre2_run {
    uint64_t begin;
    uint64_t end;
    bool is_known;
    bool is_ascii;
};

struct pcre2_line {
    const uint8_t *bytes;
    uint64_t count;
    struct pcre2_run *run; /* kept from call to call, so that the line is checked only once */
    /* No match begins before this offset. If \K in a look-behind moves a match's start to an
     * earlier byte, the match is reported as beginning here. */
    uint64_t first;
    /* Step budgets for each position where a match may begin (pcre2_steps sets them). `machine`:
     * for the JIT, which searches first unless this is 0. `steps`: for the interpreter, which then
     * searches if its budget is larger. */
    uint64_t machine;
    uint64_t steps;
};

#define PCRE2_OVER (-4)  /* some position needs more steps than it was granted */
#define PCRE2_LARGE (-5) /* the match needs more memory than the limit, or recurs too deeply */

/* Compiles an expression of a plan with these flags. `syntax` is the expression as read in PCRE2's
 * syntax. `own`: the non-ASCII characters of words, for \b, \B and TRAWL_WHOLE_WORD; NULL: PCRE2's
 * \w says what a word is. Errors: ARGUMENT for a mistake, at byte error->text_offset; UNSUPPORTED
 * if the library is missing; MEMORY. */
enum trawl_status pcre2_prepare(const char *bytes, uint64_t count, const struct syntax *syntax,
                                const struct regex_options *options, uint32_t flags,
                                const struct word_ranges *own, struct pcre2 **out,
                                struct trawl_error *error);
void pcre2_release(struct pcre2 *pcre2);
/* Sets the steps that each position of the line is granted at first, by a search that tries this
 * many. Returns true if the JIT may take many more than it counts, so that it is granted few. */
bool pcre2_steps(const struct pcre2 *pcre2, struct pcre2_line *line, uint64_t begins);
/* Returns the next offset after `from` where a match may begin, if pcre2_find has found none at
 * `from` and there is a head; it may be beyond the line's end. */
uint64_t pcre2_next(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t from);
/* Finds the first match that begins at or after `from` and before `stop`, which is the line's end
 * unless pcre2->may_stop. The other arguments and the results are those of words_match; may
 * also return PCRE2_OVER or PCRE2_LARGE. */
int pcre2_find(const struct pcre2 *pcre2, struct pcre2_line line, uint64_t from, uint64_t stop,
               struct regex_span *spans, uint32_t span_count);
/* Returns the number of the group with that name; 0 if there is none. */
uint32_t pcre2_group(const struct pcre2 *pcre2, const char *name, uint64_t count);

#endif
