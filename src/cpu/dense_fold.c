/* dense_fold: replaces all variants of a character by one representative, in patterns and in texts,
 * so that the automaton needs only one string per pattern.
 *
 * Variants are characters that match each other, like the cases of a letter. A character of a
 * pattern and its variants form a group, represented by the member with the shortest encoding. If A
 * is a variant of B and B of C, but not A of C, all three are in one group, which is too large. The
 * scan then compares each pattern that the automaton finds with the text.
 *
 * First counts of 2,321 English words with Unicode's -i took 13.6 times as long without this [busy
 * Xeon, AVX-512, 2026-11-27]. Patterns under -i that are not UTF-8 have no automaton.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

#define MEMBERS_FIRST 64u
#define ASCII 128u
#define INVALID_BYTE 0xffu /* a byte that no UTF-8 pattern contains */

struct member {
    uint32_t code_point;
    /* index of a member nearer to the group's representative, as in a union-find structure; for the
     * representative, its own index */
    uint32_t group;
    uint32_t size; /* number of the group's members, if this is the group's representative */
    /* number of variants of the character in the patterns; 0: no pattern contains it */
    uint32_t variants;
    uint8_t bytes[4];
    uint8_t bytes_count;
};

struct fold {
    /* for each ASCII byte, the byte that replaces it; bytes without variants are unchanged */
    uint8_t ascii[ASCII];
    struct member *members;
    uint32_t member_count;
    uint32_t member_capacity;
    /* 2 * member_capacity slots, hashed by code point: index of a member + 1; 0: free */
    uint32_t *slots;
    bool exact;
};

static uint32_t *slot_of(const struct fold *fold, uint32_t code_point)
{
    uint32_t mask = 2 * fold->member_capacity - 1, i = code_point * PLAN_HASH32_FACTOR >> 7;

    TRAWL_ASSERT(fold->member_capacity > 0 && fold->member_count < fold->member_capacity);
    TRAWL_ASSERT((fold->member_capacity & (fold->member_capacity - 1)) == 0);
    for (;; i++) {
        uint32_t *slot = &fold->slots[i & mask];

        if (*slot == 0 || fold->members[*slot - 1].code_point == code_point)
            return slot;
    }
}

static enum trawl_status members_grow(struct fold *fold, struct trawl_error *error)
{
    uint32_t capacity = fold->member_capacity == 0 ? MEMBERS_FIRST : 2 * fold->member_capacity;
    uint64_t room = fold->member_capacity;
    void *members = fold->members, *slots;

    TRAWL_ASSERT(capacity > fold->member_capacity);
    TRAWL_ASSERT(2 * fold->member_count >= fold->member_capacity);
    TRAWL_TRY(memory_allocate_zeroed(2ull * capacity, sizeof *fold->slots, &slots, error));
    if (memory_room(capacity, sizeof *fold->members, &room, &members, error) != TRAWL_OK) {
        memory_release(slots, 2ull * capacity, sizeof *fold->slots);
        return TRAWL_MEMORY;
    }
    memory_release(fold->slots, 2ull * fold->member_capacity, sizeof *fold->slots);
    fold->slots = (uint32_t *)slots;
    fold->members = (struct member *)members;
    fold->member_capacity = capacity;
    for (uint32_t i = 0; i < fold->member_count; i++)
        *slot_of(fold, fold->members[i].code_point) = i + 1;
    return TRAWL_OK;
}

/* Sets *index to the index of the character's member, which is added if missing. Errors: MEMORY. */
static enum trawl_status member_want(struct fold *fold, uint32_t code_point, const uint8_t *bytes,
                                     uint8_t bytes_count, uint32_t *index,
                                     struct trawl_error *error)
{
    struct member made = {code_point, fold->member_count, 1, 0, {0}, bytes_count};
    uint32_t *slot;

    if (2 * fold->member_count >= fold->member_capacity)
        TRAWL_TRY(members_grow(fold, error));
    slot = slot_of(fold, code_point);
    if (*slot == 0) {
        memcpy(made.bytes, bytes, bytes_count);
        fold->members[fold->member_count++] = made;
        *slot = fold->member_count;
    }
    TRAWL_ASSERT(*slot <= fold->member_count);
    TRAWL_ASSERT(fold->members[*slot - 1].code_point == code_point);
    *index = *slot - 1;
    return TRAWL_OK;
}

/* Returns the index of the group's representative. Shortens the path to it for later calls. */
static uint32_t group_of(struct fold *fold, uint32_t index)
{
    struct member *members = fold->members;

    TRAWL_ASSERT(index < fold->member_count);
    while (members[index].group != index) {
        members[index].group = members[members[index].group].group;
        index = members[index].group;
    }
    return index;
}

static void groups_join(struct fold *fold, uint32_t a, uint32_t b)
{
    struct member *members = fold->members;

    a = group_of(fold, a);
    b = group_of(fold, b);
    if (a == b)
        return;
    if (members[b].bytes_count < members[a].bytes_count ||
        (members[b].bytes_count == members[a].bytes_count &&
         members[b].code_point < members[a].code_point)) {
        uint32_t other = a;

        a = b;
        b = other;
    }
    TRAWL_ASSERT(members[a].group == a && members[b].group == b);
    TRAWL_ASSERT(members[a].bytes_count <= members[b].bytes_count);
    members[b].group = a;
    members[a].size += members[b].size;
}

/* Merges all alternatives of a pattern's element into one group. The first alternative is the
 * pattern's own character. Sets *fits to false if an alternative is not a UTF-8 character. Errors:
 * MEMORY. */
static enum trawl_status element_note(struct fold *fold, const struct plan_element *element,
                                      bool *fits, struct trawl_error *error)
{
    uint32_t first = 0, index, code_point;

    for (uint32_t i = 0; i < element->alternative_count; i++) {
        const uint8_t *bytes = element->alternative[i];
        uint8_t count = element->alternative_bytes_count[i];

        if (plan_utf8_decode(bytes, count, &code_point) != count) {
            *fits = false;
            return TRAWL_OK;
        }
        TRAWL_TRY(member_want(fold, code_point, bytes, count, &index, error));
        if (i == 0)
            first = index;
        groups_join(fold, first, index);
    }
    /* Both cases of an ASCII letter are the same member. If they have different numbers of
     * variants, keep the smaller number, so that fold_finish finds it different from the group's
     * size. */
    if (fold->members[first].variants == 0 ||
        fold->members[first].variants > element->alternative_count)
        fold->members[first].variants = element->alternative_count;
    return TRAWL_OK;
}

/* Completes the groups, and sets the representative of each ASCII byte. Sets `exact` to true if the
 * members of each group are all variants of each other. */
static void fold_finish(struct fold *fold)
{
    fold->exact = true;
    for (uint32_t byte = 0; byte < ASCII; byte++) {
        const uint32_t *slot = slot_of(fold, fold_byte((uint8_t)byte));

        TRAWL_ASSERT(*slot <= fold->member_count);
        fold->ascii[byte] = fold_byte((uint8_t)byte);
        if (*slot != 0)
            fold->ascii[byte] = fold->members[group_of(fold, *slot - 1)].bytes[0];
    }
    for (uint32_t i = 0; i < fold->member_count; i++) {
        struct member *member = &fold->members[i];

        if (member->variants > 0 && member->variants != fold->members[group_of(fold, i)].size)
            fold->exact = false;
        member->group = group_of(fold, i);
        TRAWL_ASSERT(member->group < fold->member_count);
    }
}

#define CHARACTER_BYTES 4u /* longest UTF-8 character */

/* Copies up to CHARACTER_BYTES bytes, each of which is read only once: the bytes of a mapped file
 * may change meanwhile, and the decoded length must fit the bytes that are used. */
static inline uint64_t read_once(const uint8_t *text, uint64_t count, uint8_t *bytes)
{
    const volatile uint8_t *once = text;
    uint64_t taken = min_u64(count, CHARACTER_BYTES);

    for (uint64_t i = 0; i < taken; i++)
        bytes[i] = once[i];
    return taken;
}

uint64_t dense_fold_text(const struct fold *fold, const uint8_t *text, uint64_t count,
                         uint8_t *folded, uint32_t *origin)
{
    uint64_t made = 0;

    for (uint64_t i = 0; i < count;) {
        const volatile uint8_t *once = text + i;
        uint8_t byte = *once, character[CHARACTER_BYTES];
        uint32_t code_point, slot;
        uint64_t taken;

        if (byte < ASCII) {
            origin[made] = (uint32_t)i++;
            folded[made++] = fold->ascii[byte];
            continue;
        }
        taken = read_once(text + i, count - i, character);
        taken = plan_utf8_decode(character, taken, &code_point);
        TRAWL_ASSERT(taken <= count - i);
        slot = taken > 0 ? *slot_of(fold, code_point) : 0;
        if (taken == 0) {
            taken = 1;
            origin[made] = (uint32_t)i;
            folded[made++] = INVALID_BYTE;
        } else {
            const struct member *member =
                slot == 0 ? NULL : &fold->members[fold->members[slot - 1].group];
            const uint8_t *bytes = member == NULL ? character : member->bytes;
            uint64_t bytes_count = member == NULL ? taken : member->bytes_count;

            TRAWL_ASSERT(bytes_count <= taken);
            for (uint64_t j = 0; j < bytes_count; j++) {
                origin[made] = (uint32_t)i;
                folded[made++] = bytes[j];
            }
        }
        i += taken;
    }
    TRAWL_ASSERT(made <= count && count <= UINT32_MAX);
    origin[made] = (uint32_t)count;
    return made;
}

bool dense_fold_is_exact(const struct fold *fold)
{
    return fold->exact;
}

void dense_fold_free(struct fold *fold)
{
    if (fold == NULL)
        return;
    memory_release(fold->members, fold->member_capacity, sizeof *fold->members);
    memory_release(fold->slots, 2ull * fold->member_capacity, sizeof *fold->slots);
    memory_release(fold, 1, sizeof *fold);
}

/* Adds the characters of all patterns and their variants to the groups. */
static enum trawl_status fold_learn(const struct trawl_plan *plan, struct fold *fold, bool *fits,
                                    struct trawl_error *error)
{
    const uint8_t *bytes = plan->pattern_bytes;
    struct plan_element element;

    *fits = (plan->flags & (TRAWL_SINGLE_BYTE | TRAWL_WIDE)) == 0;
    for (uint64_t p = 0; p < plan->pattern_count && *fits; p++)
        for (uint64_t i = plan->pattern_begin[p]; i < plan->pattern_begin[p + 1] && *fits;) {
            i += plan_element_read(plan, bytes + i, plan->pattern_begin[p + 1] - i, &element);
            TRAWL_ASSERT(i <= plan->pattern_begin[p + 1]);
            TRAWL_TRY(element_note(fold, &element, fits, error));
        }
    return TRAWL_OK;
}

enum trawl_status dense_fold_strings(const struct trawl_plan *plan, struct dense_set *set,
                                     struct trawl_error *error)
{
    uint64_t total = plan->pattern_begin[plan->pattern_count], made = 0;
    uint32_t *origin, literal = 0;
    bool fits;

    TRAWL_TRY(MEMORY_ZEROED(set->fold, 1, error));
    TRAWL_TRY(members_grow(set->fold, error));
    TRAWL_TRY(fold_learn(plan, set->fold, &fits, error));
    set->automaton.count = (uint32_t)plan->pattern_count;
    set->unfit = !fits || total >= UINT32_MAX;
    if (set->unfit)
        return TRAWL_OK;
    fold_finish(set->fold);
    TRAWL_TRY(MEMORY_NEW(set->own_strings, set->automaton.count, error));
    TRAWL_TRY(MEMORY_NEW(set->own_bytes, total, error));
    set->own_bytes_count = total;
    TRAWL_TRY(MEMORY_NEW(origin, total + 1, error));
    for (uint32_t p = 0; p < set->automaton.count; p++) {
        uint64_t begin = plan->pattern_begin[p], count;

        count = dense_fold_text(set->fold, plan->pattern_bytes + begin,
                                plan->pattern_begin[p + 1] - begin, set->own_bytes + made, origin);
        TRAWL_ASSERT(made + count <= total);
        while (plan_literal_at(plan, literal).pattern != p)
            literal++;
        TRAWL_ASSERT(literal < plan->literal_count);
        set->own_strings[p] = (struct plan_literal){made, count, literal, 0, 0, 0};
        made += count;
    }
    memory_release(origin, total + 1, sizeof *origin);
    set->automaton.strings = set->own_strings;
    set->automaton.bytes = set->own_bytes;
    return TRAWL_OK;
}
