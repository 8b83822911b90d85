// quick: reads trees that are simple sequences of characters, and matches byte by byte.
#include "regex/quick.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "regex/classes.h"

#define ITEMS_MAX 16u
// A try looks for a match at one begin. When failed tries have read WASTE_MAX bytes, and
// WASTE_SHARE times the bytes by which the search has advanced, RE2 takes over. So the time stays
// linear.
#define WASTE_MAX 256u
#define WASTE_SHARE 4u

namespace
{

// What a byte means for a character of the sequence. ASKS: the byte belongs to a character of
// several bytes, which may fit, so RE2 decides.
enum kind : uint8_t { FAILS, FITS, ASKS };

} // namespace

// Adds an item of the sequence; its repetition, if it has one, is the only one.
bool quick_sequence::add(const syntax_node &node, const regex_options &options)
{
    const syntax_node &item = node.kind == SYNTAX_REPEAT ? *node.items[0] : node;

    if (item.kind == SYNTAX_CHAR || item.kind == SYNTAX_SET) {
        const bool repeats = node.kind == SYNTAX_REPEAT;
        const uint64_t most = !repeats ? 1 : node.most == SYNTAX_ENDLESS ? UINT64_MAX : node.most;

        parts.push_back({part_of(item), (item.flags & SYNTAX_FOLDS) != 0,
                         (item.flags & SYNTAX_DOT_ALL) != 0, repeats ? node.least : 1, most});
        return !node.is_lazy && parts.size() <= ITEMS_MAX;
    }
    if (node.kind == SYNTAX_EDGE) {
        const bool by_lines = options.lines || (node.flags & SYNTAX_MANY_LINES) != 0;

        begins = by_lines && begins != AT_TEXT ? AT_LINES : AT_TEXT; // both of ^(?m:^) hold
        return node.letter == '^' && parts.empty();
    }
    if (node.kind == SYNTAX_GROUP && node.count == 1) {
        const size_t number = groups.size();

        if (node.is_numbered)
            groups.push_back({parts.size(), 0});
        if (!add(*node.items[0], options))
            return false;
        if (node.is_numbered)
            groups[number].second = parts.size();
        return true;
    }
    for (uint32_t i = 0; i < node.count && node.kind == SYNTAX_LIST; i++)
        if (!add(*node.items[i], options))
            return false;
    return node.kind == SYNTAX_LIST;
}

bool quick_sequence::read(const syntax_node &root, const regex_options &options)
{
    groups.push_back({0, 0});
    if (options.marks != REGEX_UNMARKED || !add(root, options))
        return false;
    groups[0].second = parts.size();
    return true;
}

void quick::add(const quick_sequence::part &part, const regex_options &given)
{
    regex_options options = given;
    item made;
    bool is_long = !options.bytes; // whether characters of several bytes may fit

    options.fold = part.fold;
    options.dot_all = part.dot_all;
    made.least = part.least;
    made.most = part.most;
    for (const auto &each : listed_of(part.text, options, options.bytes ? 0xff : 0x7f))
        for (uint32_t code = each.first; code <= each.second; code++)
            made.kinds[code] = FITS;
    try {
        const ranges all = listed_of(part.text, options, UINT32_MAX);

        is_long &= !all.empty() && all.back().second > 0x7f;
    } catch (const mistake &) { // a name that only RE2 knows
    }
    if (is_long)
        std::fill(made.kinds + 0x80, made.kinds + 256, ASKS);
    if (options.lines)
        made.kinds[uint8_t('\n')] = FAILS;
    items.push_back(made);
}

// Returns true if each match has at least a byte, and no character that a repetition takes may also
// begin what follows the repetition.
bool quick::is_plain() const
{
    for (size_t i = 0; i < items.size(); i++)
        for (size_t next = i + 1; items[i].least < items[i].most && next < items.size(); next++) {
            for (size_t byte = 0; byte < 256; byte++)
                if (items[i].kinds[byte] != FAILS && items[next].kinds[byte] != FAILS)
                    return false;
            if (items[next].least > 0)
                break;
        }
    return !items.empty() && items[0].least > 0;
}

// Chooses the key, a byte that each match holds: the first item that is always the same sign, such
// as '@', because signs are rare in most texts. Computes which and how many bytes may come before
// the key.
void quick::find_key()
{
    uint64_t most = 0;

    for (const item &each : items) {
        const auto *fits = std::find(each.kinds, each.kinds + 256, FITS);
        const auto byte = static_cast<int>(fits - each.kinds);

        if (each.least > 0 && byte < 0x80 && byte > ' ' && std::isalnum(byte) == 0 &&
            std::all_of(fits + 1, each.kinds + 256, [](uint8_t kind) { return kind == FAILS; })) {
            key = byte;
            head_most = most;
            return;
        }
        // a character beyond ASCII has up to 4 bytes
        for (int bytes = each.kinds[0xff] == ASKS ? 4 : 1; bytes > 0; bytes--)
            most = each.most > UINT64_MAX - most ? UINT64_MAX : most + each.most;
        for (size_t i = 0; i < 256; i++)
            head_kinds[i] |= each.kinds[i] != FAILS;
    }
}

// Looks for the next key, the byte that each match holds, and returns the first place from `begin`
// on where a match with this key may begin; UINT64_MAX: there is no match. *known is the offset
// after the key that was found last.
uint64_t quick::begin_by_key(const uint8_t *text, uint64_t begin, uint64_t to,
                             uint64_t *known) const
{
    if (begin < *known && *known - begin <= head_most)
        return begin;
    const void *found = begin < to ? std::memchr(text + begin, key, to - begin) : nullptr;
    if (found == nullptr)
        return UINT64_MAX;
    const auto at = static_cast<uint64_t>(static_cast<const uint8_t *>(found) - text);
    uint64_t back = at;

    while (back > begin && at - back < head_most && head_kinds[text[back - 1]])
        back--;
    *known = at + 1;
    return back;
}

std::unique_ptr<const quick> quick::make(const quick_sequence &sequence,
                                         const regex_options &options)
{
    auto made = std::make_unique<quick>();

    made->of.begins = sequence.begins;
    made->of.groups = sequence.groups;
    try {
        for (const quick_sequence::part &part : sequence.parts)
            made->add(part, options);
    } catch (const mistake &) {
        return nullptr;
    }
    if (sequence.begins == quick_sequence::AT_ALL)
        made->find_key();
    return made->is_plain() ? std::move(made) : nullptr;
}

int quick::match(const uint8_t *text, uint64_t from, uint64_t to, enum regex_anchor anchor,
                 regex_span *spans, uint32_t span_count) const
{
    const item &first = items[0];
    uint64_t ends[ITEMS_MAX + 1]; // ends[i]: where the first i items end

    uint64_t known = 0;

    if (of.begins == quick_sequence::AT_TEXT && from > 0)
        return 0;
    for (uint64_t begin = from, waste = 0;; begin++) {
        if (key >= 0 && anchor == REGEX_ANYWHERE) {
            begin = begin_by_key(text, begin, to, &known);
            if (begin == UINT64_MAX)
                return 0;
        }
        if (of.begins == quick_sequence::AT_LINES && begin > 0 && text[begin - 1] != '\n') {
            const void *line = anchor == REGEX_ANYWHERE && begin < to
                                   ? std::memchr(text + begin, '\n', to - begin)
                                   : nullptr;

            if (line == nullptr)
                return 0;
            begin = static_cast<uint64_t>(static_cast<const uint8_t *>(line) - text) + 1;
        }
        // A match begins with at least first.least bytes that the first item may take.
        for (uint64_t back = first.least;
             anchor == REGEX_ANYWHERE && of.begins == quick_sequence::AT_ALL && back > 0;) {
            if (first.least > to - begin)
                return 0;
            if (first.kinds[text[begin + back - 1]] != FAILS) {
                back--;
            } else {
                begin += back;
                back = first.least;
            }
        }
        uint64_t at = begin, *end = ends;
        bool fits = true;

        *end = begin;
        for (const item &each : items) {
            const uint64_t stop = each.most < to - at ? at + each.most : to;
            const uint64_t here = at;

            while (at < stop && each.kinds[text[at]] == FITS)
                at++;
            if (at < stop && each.kinds[text[at]] == ASKS)
                return -1;
            *++end = at;
            fits = at - here >= each.least;
            if (!fits)
                break;
        }
        if (fits && (anchor != REGEX_WHOLE || at == to)) {
            for (uint32_t i = 0; i < span_count; i++)
                spans[i] = i < of.groups.size()
                               ? regex_span{ends[of.groups[i].first], ends[of.groups[i].second]}
                               : regex_span{UINT64_MAX, UINT64_MAX};
            return 1;
        }
        if (anchor != REGEX_ANYWHERE || of.begins == quick_sequence::AT_TEXT || begin >= to)
            return 0;
        waste += at - begin;
        if (first.most == UINT64_MAX && ends[1] > begin)
            begin = ends[1] - 1; // every begin in this run fails as this begin did
        if (waste > WASTE_MAX && waste / WASTE_SHARE > begin - from)
            return -1;
    }
}
