/* lazy_parts: what the lazy automaton consists of (lazy.h). */
#ifndef TRAWL_REGEX_LAZY_PARTS_H
#define TRAWL_REGEX_LAZY_PARTS_H

#include "regex/lazy.h"
#include "regex/nfa.h"
#include "regex/regex_compile.h"

#define BEFORES (LINE_BEFORE_NONE + 1)
#define NOTHING UINT32_MAX
/* parts of a text that are read in turn, as each state depends on the last one */
#define LANES LAZY_RECORDS

/* Transitions: 0 is not known yet, and STOP is set if the reader has something to do: the state has
 * ends, or no match is possible any more. Otherwise a transition is the state's offset in `next`,
 * and so above 0. */
#define STOP 0x80000000u
#define DEAD STOP
#define LAZY_LOOK_BYTES (UINT64_C(1) << 22) /* of a line; then whether the call is cancelled */
/* If the automaton finds matches: with STOP, one ends before the byte. It begins where the
 * automaton last was in an idle state, in which no match has begun, unless UNSURE is set. A
 * transition to such a state has IDLE. */
#define MATCH 0x40000000u
#define IDLE 0x20000000u
#define UNSURE 0x10000000u
#define OFFSET (UNSURE - 1)       /* the bits of the offset */
#define NEXT_SET (UINT32_MAX - 1) /* an item of a list, for LAZY_LONGEST: between two sets */

/* Items [from, from + count) of a list are places, and the `ends` items after them ends. If the
 * automaton finds matches, ends are places, and of part.moved, `ends` is whether a match is empty.
 */
struct range {
    uint32_t from, count, ends;
};

struct part {
    uint32_t from, count; /* its expressions: lazy->rules[from] to rules[from + count - 1] */
    uint32_t next;        /* the next part of the group; NOTHING: the last */
    bool passes;          /* its only expression passes, unread */
    uint32_t border;      /* where it is read from, beside a string: a place; 0: from its begin */
    bool holds;           /* then nothing has to be read */
    /* what making its states may still cost, in places; grows with the bytes that it reads */
    int64_t credit;
    struct range first; /* in lazy->kept: the places where matches begin; none: not known */
    /* for each `before` and class: the places that matches reach which begin just before a byte of
     * the class, once it is read; from NOTHING: not known. NULL: none is known */
    struct range *moved;
    /* the states in which reading starts, anchored or not, unless `flushes` has grown */
    uint32_t starts[2][BEFORES];
    uint64_t flushes;
};

struct state {
    struct range list; /* in lazy->items */
    uint32_t part;     /* matches of this part may begin at each byte; NOTHING: at none */
    uint32_t before;   /* what kind of byte was read last */
    uint32_t hash;     /* of its list */
    /* If the automaton finds matches: all places are those of matches that begin where the
     * automaton last was in an idle state. */
    bool is_single;
};

/* A part of a text that lazy_scan reads: where it is, and what it has found. */
struct lane {
    uint64_t from, at, end;
    bool is_read;   /* the text's end, which the last lane reads after its last byte */
    uint64_t edge;  /* as in lazy_class */
    uint32_t state; /* its offset in lazy->next */
    struct lazy_hit *hits;
    uint64_t count, capacity;
};

struct lazy {
    const struct expressions *made;
    enum lazy_as as;
    uint32_t count; /* of expressions; `made` may be gone when this is freed */
    struct nfa nfa;
    uint64_t place_capacity;
    uint16_t *place_slots; /* nfa.slots, but for hulls */
    uint32_t place_slot_count;
    struct classes classes; /* nfa.classes of a single expression */
    struct symbols symbols; /* of an automaton that reads backwards */
    /* for each expression, its first place; 0: its places are not made yet; NOTHING: it always
     * passes */
    uint32_t *firsts;
    bool is_stale; /* the states are those of other classes; memory may have run out since */
    uint32_t classed_count; /* the classes of bytes take this many places into account */
    bool cuts[257];         /* at which bytes a class begins */
    uint16_t class_of[256];
    /* the same in a text of lines: the class of the line's end for its bytes, and for a CR that may
     * belong to it class_count + 1, whose transitions are never known */
    uint16_t line_class_of[256];
    /* the same, but if `wide`, class_count + 1 for bytes beyond ASCII, too: the class of their
     * character has to be found */
    uint16_t ascii_class_of[256];
    uint8_t byte_of[256];
    /* First the classes of bytes, of which those from `high` on are beyond ASCII. Forwards, if
     * words are known, there are `wide` of them, and these again for each enum nfa_unit but
     * UNIT_INSIDE; otherwise `wide` is 0. Backwards, they are those of bytes of no character, and
     * `wide` symbols of characters follow: first in words, if words are known, then others. At last
     * class_count, which is the class of the line's end. */
    uint32_t high, wide, byte_classes, class_count, stride;
    const uint64_t *word_bits;  /* unicode_word_bits; NULL: the caller has words of its own */
    struct nfa_border *borders; /* of automata that find matches: beside each anchor's strings */
    uint32_t *besides;          /* for each of these, its part; NOTHING: not made */
    uint16_t *asks;             /* how often each of these was asked before it was made */
    uint64_t border_count;
    uint32_t *groups; /* for each group, its first part; NOTHING: not made */
    uint32_t group_count;
    uint32_t *rules; /* the expressions of all parts */
    uint64_t rule_count, rule_capacity;
    struct part *parts;
    uint64_t part_count, part_capacity;
    uint32_t *kept; /* lists that do not depend on states */
    uint64_t kept_count, kept_capacity;
    uint64_t moved_count; /* parts that have part.moved */
    /* the list that is being made: room for all places in each array, twice in the stack */
    uint32_t *list, *ends, *stack;
    uint32_t list_count, end_count;
    uint32_t list_capacity;   /* how many places the arrays have room for */
    uint32_t *seen, *settled; /* for each place: the list, numbered, to which it was added */
    uint32_t list_number;
    /* of automata that find matches: the list has the end of one; one ends where the list's places
     * were, before the byte */
    bool has_end, ended;
    uint32_t ended_by; /* the first expression of which one does */
    bool stays;        /* no byte is read */
    struct state *states;
    uint32_t state_count, states_max;
    uint64_t state_capacity;
    uint32_t *next; /* state_count * stride */
    uint64_t next_capacity;
    uint32_t *slots; /* a hash table of slot_count numbers of states; 0: free */
    uint32_t slot_count;
    uint32_t *items; /* the lists of states */
    uint32_t item_count, items_max;
    uint64_t item_capacity;
    /* how many bytes states, their lists, and `kept` may take each; if the plan limits memory, also
     * the places */
    uint64_t share_bytes;
    uint64_t flushes;           /* how often all states were forgotten */
    uint32_t *found, *found_at; /* the result, and for each expression the call that added it */
    uint32_t found_count, call;
    bool is_ascii;      /* the line, up to `ascii_to`; only if line->any */
    bool text_is_ascii; /* the text of lazy_scan */
    /* the last `tail` bytes of a line decide whether it matches, 8 for `\d\d$`; 0: all do */
    uint32_t tail;
    uint64_t ascii_to;
    struct lane lanes[LANES];
};

/* Returns what the unit is that begins with the byte beyond ASCII at `at`: a character, or a byte
 * of none. Sets *end to where it ends. */
enum nfa_unit lazy_unit(const struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                        uint64_t *end);
/* Returns the class of the byte at `at`, which is `class` unless that is one of a byte beyond
 * ASCII, and words are known. *edge is where the last character ends that was read; at first 0. */
static inline uint32_t lazy_class(const struct lazy *lazy, uint32_t class, const uint8_t *bytes,
                                  uint64_t count, uint64_t at, uint64_t *edge)
{
    if (class - lazy->high >= lazy->wide || at < *edge)
        return class;
    return class + lazy->byte_classes - lazy->high +
           (lazy_unit(lazy, bytes, count, at, edge) - 1) * lazy->wide;
}
/* Returns the class of the unit before `at`, which ends with a byte beyond ASCII, for an automaton
 * that reads backwards. Sets *begin to where it begins. */
uint32_t lazy_class_behind(struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                           uint64_t *begin);
static inline uint32_t lazy_class_back(struct lazy *lazy, const uint8_t *bytes, uint64_t count,
                                       uint64_t at, uint64_t *begin)
{
    const uint8_t last = bytes[at - 1], first = at > 1 ? bytes[at - 2] : 0;

    if (first < 0xc2 || first > 0xdf || last > 0xbf || lazy->wide == 0 || lazy->nfa.knows_words)
        return lazy_class_behind(lazy, bytes, count, at, begin);
    *begin = at - 2;
    return lazy->byte_classes + lazy->symbols.of_two[(first & 0x1f) << 6 | (last & 0x3f)];
}
/* Returns what comes before a match that is read from `at` on. Sets *edge as lazy_class wants it.
 */
uint32_t lazy_before_at(const struct lazy *lazy, const uint8_t *bytes, uint64_t count, uint64_t at,
                        uint64_t *edge);
/* Returns what comes before a line. */
static inline uint32_t lazy_before(const struct lazy *lazy)
{
    return lazy->nfa.has_edges ? LINE_BEFORE_BEGIN : LINE_BEFORE_OTHER;
}

/* Forgets all states. */
void lazy_flush(struct lazy *lazy);
/* Forgets part.moved of all parts. */
void lazy_forget_moved(struct lazy *lazy);
/* Makes room for so many places in lists. */
enum trawl_status lazy_room(struct lazy *lazy, uint32_t count, struct trawl_error *error);
/* If the plan limits memory, forgets lists that take too much. */
void lazy_forget(struct lazy *lazy);
/* Sets *start to the state in which the part is read. */
enum trawl_status lazy_start(struct lazy *lazy, uint32_t index, bool is_anchored, uint32_t before,
                             uint32_t *start, struct trawl_error *error);
/* Sets *next to what follows the state of part `index` after the class. */
enum trawl_status lazy_follow(struct lazy *lazy, uint32_t index, uint32_t state, uint32_t class,
                              uint32_t *next, struct trawl_error *error);
/* The same for an automaton that finds matches and reads no further: MATCH | UNSURE if a match ends
 * before the class, 0 or DOUBT. */
uint32_t lazy_ends(struct lazy *lazy, uint32_t state, uint32_t class);
/* Makes the group: a part of the expressions that have places, and one for each other. */
enum trawl_status lazy_group(struct lazy *lazy, uint32_t group, struct trawl_error *error);
/* Makes the part that reads from beside the anchor's strings. */
enum trawl_status lazy_beside(struct lazy *lazy, uint32_t anchor, struct trawl_error *error);
/* Returns true if the part's only expression passes: until that has happened so often that deciding
 * about it in another way took as long as making more states. */
bool lazy_still_passes(const struct lazy *lazy, struct part *part);
static inline bool lazy_passes(const struct lazy *lazy, struct part *part)
{
    return part->passes && lazy_still_passes(lazy, part);
}
/* Halves a part, which then reads the current line again. A single expression passes for a while.
 */
enum trawl_status lazy_halve(struct lazy *lazy, uint32_t index, struct trawl_error *error);
/* Returns the most credit that a part of so many expressions has. */
int64_t lazy_credit(const struct lazy *lazy, uint32_t count);

#endif
