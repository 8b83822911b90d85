/* fasta: the parts of the search of FASTA and FASTQ files (--fasta, --fastq). Lines are read
 * (fasta_lines.c, fasta_pair.c), sequences gathered and searched in blocks (fasta_block.c), and
 * occurrences or records printed (fasta_print.c). */
#ifndef TRAWL_FASTA_H
#define TRAWL_FASTA_H

#include "trawl/print/reports.h"

struct sequence {
    uint64_t begin;      /* offset in the block */
    uint64_t base;       /* number of the sequence's letters that came before this block */
    uint64_t name_begin; /* offset in `names` */
    uint64_t name_bytes; /* at most FASTA_NAME_BYTES_MAX */
    uint64_t raw_begin;  /* --records: offset of the record in `raw` */
    bool is_named;       /* false: letters before the first name of a FASTA file */
    bool has_match;
    bool is_reversed; /* the reverse complement of the sequence before, which has the same name */
    bool follows;     /* belongs to the same record, or pair of records, as the sequence before */
};

#define FASTA_NAME_BYTES_MAX (4u << 10) /* longer names are cut */

enum fasta_state {
    FASTA_LINE, /* at the start of a line */
    FASTA_NAME, /* in a name, after > or @ */
    /* in an ignored part of a line: a comment, FASTQ's + line, or the rest of a name's line */
    FASTA_PASSED,
    FASTA_SEQUENCE, /* in a line of a sequence */
    FASTA_QUALITY,  /* in a line of qualities */
};

/* Where a file of FASTQ is. */
enum fastq_part { FASTQ_BETWEEN, FASTQ_LETTERS, FASTQ_QUALITIES };

struct fasta;

/* Reads the lines of a file. */
struct fasta_reader {
    struct fasta *fasta;
    const char *name;
    enum fasta_state state;
    enum fastq_part part;
    uint64_t line;       /* number of lines before the current line */
    uint64_t records;    /* FASTQ: records that have begun */
    uint64_t qualities;  /* FASTQ: bytes of the record's qualities so far */
    uint64_t mark_bytes; /* bytes of UTF-8's byte order mark that were skipped */
    bool had_return;     /* the previous part of the line ended in a carriage return */
    void (*ends)(struct fasta *fasta); /* FASTQ: called after each record; NULL: nothing is */
};

struct fasta_pair;

struct fasta {
    struct text_scan *scan;
    struct trawl_searcher *reader;  /* reads the file, window by window */
    struct trawl_plan *reader_plan; /* a plan without strings, because the reader only reads */
    struct fasta_reader lines;
    bool whole;              /* the block holds whole sequences, however long */
    uint8_t *bytes;          /* the block */
    uint64_t used, capacity; /* bytes in the block, and its size */
    uint64_t limit;          /* whole: with more bytes than this, the block is searched */
    /* an occurrence depends on this many bytes before and after its start */
    uint64_t around;
    /* the block reports only occurrences that begin in [own_from, own_to) */
    uint64_t own_from, own_to;
    /* the sequences of the block; the last may continue in the next block */
    struct sequence *sequences;
    uint64_t sequence_count, sequence_capacity;
    uint64_t sequence; /* index of the sequence with the last match */
    bool reverses;     /* expressions: each sequence is followed by its reverse complement */
    uint8_t complement[256];
    /* reverses, --amplicon: the matches of a sequence on both strands, which are sorted */
    struct trawl_match *kept;
    uint64_t kept_count, kept_capacity;
    uint64_t kept_sequence; /* index of the sequence */
    uint64_t primer;        /* --amplicon: the column of the pair's first primer */
    uint8_t *names;
    uint64_t names_used, names_capacity;
    uint8_t *raw; /* --records: the records as they are in the file */
    uint64_t raw_used, raw_capacity;
    struct fasta_pair *pair; /* --paired: the second file; NULL: there is none */
    bool is_open;            /* FASTQ: the last record, or pair of records, is incomplete */
    enum trawl_status status;
    struct trawl_error error;
    bool stop; /* the rest of the file is not needed */
};

/* Returns the column of the other primer of a pair, or of the same if there is only one. */
static inline uint64_t fasta_mate(const struct patterns *patterns, uint64_t column)
{
    return (column ^ 1) < patterns->column_count ? column ^ 1 : column;
}

/* ---- fasta_block.c ---- */

/* Allocates the block, which has at least 4 * around bytes. Returns false if out of memory. */
bool fasta_open_block(struct fasta *fasta);
/* Searches the first bytes_count bytes of the block, at least 1, and reports occurrences that begin
 * in [own_from, own_to). */
void fasta_search_block(struct fasta *fasta, uint64_t bytes_count, uint64_t own_to);
void fasta_fail(struct fasta *fasta, enum trawl_status status);
/* Begins a sequence without name. */
void fasta_begin(struct fasta *fasta, bool is_named);
/* Appends bytes to the name of the last sequence. A name keeps at most FASTA_NAME_BYTES_MAX. */
void fasta_add_name(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count);
/* Appends letters to the block. */
void fasta_add(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count);
/* --records: appends bytes of the file to the last record. */
void fasta_add_raw(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count);
/* whole: called when the last sequence is complete. */
void fasta_end_sequence(struct fasta *fasta);
/* whole: called after fasta_end_sequence when the last record is complete, or in FASTQ the last
 * pair of records. */
void fasta_end_record(struct fasta *fasta);
/* whole: searches the block's complete records, and empties the block. */
void fasta_flush(struct fasta *fasta);

/* ---- fasta_lines.c ---- */

/* Reads a line, or the part of it that is before `end`, and returns where it ends. */
const uint8_t *fasta_line(struct fasta_reader *reader, const uint8_t *at, const uint8_t *end);
/* Called at the end of a file, whose last line may have no line end. `is_cut`: reading failed. */
void fasta_end(struct fasta_reader *reader, bool is_cut);

/* Ends the search of a file that is not FASTA or FASTQ. `why` says what is wrong with the current
 * line. In FASTQ, the records before are searched. */
void fasta_refuse(struct fasta_reader *reader, const char *why);

/* ---- fasta_pair.c ---- */

/* Opens the file of --paired. If that is not possible, prints a message and sets fasta->stop. */
enum trawl_status fasta_pair_open(struct fasta *fasta, struct trawl_error *error);
/* Called at the end of the first file, where the second has to end, too. */
void fasta_pair_end(struct fasta *fasta);
void fasta_pair_close(struct fasta *fasta);

/* ---- fasta_print.c ---- */

/* Counts a selected occurrence or record. */
void fasta_selected(struct fasta *fasta);
/* Prints a match of the block, with the name of the sequence and the match's offset in that
 * sequence. */
void fasta_report_match(struct fasta *fasta, const struct sequence *sequence,
                        const struct trawl_match *match);
/* Prints the records of the block that are selected, or counts them. */
void fasta_take_records(struct fasta *fasta);

#endif
