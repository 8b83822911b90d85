// classes: reads a class of characters, in RE2's or ripgrep's syntax, as a set, and writes the set
// in RE2's syntax.
#ifndef TRAWL_REGEX_CLASSES_H
#define TRAWL_REGEX_CLASSES_H

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "regex/re2.h"
#include "regex/syntax/tree.h"

// each pair is the first and the last code point of a range
using ranges = std::vector<std::pair<uint32_t, uint32_t>>;

// Returns the result of make() for the key, and remembers some results: the expressions of a plan
// often share classes, some of which have hundreds of ranges. Each type of `make` has a table of
// its own, which is emptied when it has known_max results.
template <typename F> auto remembered(const std::string &key, F make) -> decltype(make())
{
    constexpr size_t known_max = 64;
    static std::mutex lock;
    static std::map<std::string, decltype(make())> known;
    const std::lock_guard<std::mutex> guard(lock);
    const auto found = known.find(key);

    if (found != known.end())
        return found->second;
    auto made = make();
    if (known.size() >= known_max)
        known.clear();
    return known[key] = made;
}

// A set of characters: the characters of all ranges, names and other sets. If `negated`, the set
// has all characters except for these.
struct chars {
    ranges own;
    std::vector<std::string> names; // names like \p{L} and \P{L}, whose characters RE2 knows
    bool folds = false;             // names stand for letters of any case, too
    std::vector<chars> others;
    bool negated = false;
};

// An exception: a mistake in a part of an expression, which is a character, an escape or a class.
// `at` is the offset of the mistake, and `what` the message. An empty `what` means that RE2 finds
// the mistake, too, and has the message.
struct mistake {
    size_t at;
    std::string what;
    const syntax_node *node = nullptr; // if `what` is empty: the part
};

// Returns the text of a CHAR or a SET: as it was written, with a '\' before an operator.
std::string part_of(const syntax_node &node);
// Lists the characters from `first` to `last` that a part stands for, as regex_ops.list does.
// Throws a mistake if the characters are unknown.
ranges listed_of(const std::string &part, const regex_options &options, uint32_t last,
                 uint32_t first = 0);
struct written {
    chars of;
    std::string text; // the set in RE2's syntax, without the characters from U+D800 to U+DFFF
};

// Reads a part, which is a character, an escape or a class, and writes its set in RE2's syntax.
// With options.marks, the written expression matches the character in a copy of a line in which
// marks stand around characters (words.h).
written write_chars(const std::string &part, const regex_options &options, bool fold);

#endif
