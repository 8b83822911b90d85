// quick: matches simple sequences of characters, like `\w+@\w+`, several times as fast as RE2.
#ifndef TRAWL_REGEX_QUICK_H
#define TRAWL_REGEX_QUICK_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "regex/re2.h"
#include "regex/syntax/tree.h"

// What a quick is made of.
struct quick_sequence {
    struct part {
        std::string text;
        bool fold, dot_all;
        uint64_t least, most; // most UINT64_MAX: any number of repetitions
    };
    std::vector<part> parts;
    // where a match may begin: anywhere, at the text's begin, or at each line's begin
    enum { AT_ALL, AT_TEXT, AT_LINES } begins = AT_ALL;
    // For each group, the whole match first: the indexes of the group's first part, and of the part
    // after its last.
    std::vector<std::pair<size_t, size_t>> groups;

    // Reads a tree. Returns false if the tree is no such sequence.
    bool read(const syntax_node &root, const regex_options &options);

  private:
    bool add(const syntax_node &node, const regex_options &options);
};

// A sequence of characters with repetitions. No character that a repetition takes could also begin
// what follows the repetition. So at each position there is only one way to match, and the first
// try decides.
class quick
{
  public:
    // Returns NULL if a repetition could take what follows it, or if a class is not known.
    static std::unique_ptr<const quick> make(const quick_sequence &sequence,
                                             const regex_options &options);
    // Finds a match as regex_ops.match does. Returns -1 if RE2 has to decide.
    int match(const uint8_t *text, uint64_t from, uint64_t to, enum regex_anchor anchor,
              regex_span *spans, uint32_t span_count) const;

  private:
    struct item {
        uint8_t kinds[256] = {}; // for each byte, whether it fits (enum kind in quick.cc)
        uint64_t least = 1, most = 1;
    };

    std::vector<item> items;
    quick_sequence of;
    // The key is a byte that each match holds, and no letter, digit or blank; -1: there is none.
    // Before the key a match has at most `head_most` bytes, all of them set in `head_kinds`.
    int key = -1;
    uint64_t head_most = 0;
    bool head_kinds[256] = {};

    void add(const quick_sequence::part &part, const regex_options &options);
    bool is_plain() const;
    void find_key();
    uint64_t begin_by_key(const uint8_t *text, uint64_t begin, uint64_t to, uint64_t *known) const;
};

#endif
