// classes: sets of characters, as classes of RE2's or of ripgrep's syntax name them.
#ifndef TRAWL_REGEX_CLASSES_H
#define TRAWL_REGEX_CLASSES_H

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "regex/re2.h"

#define NO_BACKTRACKING                                                                          \
    "RE2 has none, because RE2 searches in linear time; PCRE2 has: -P, TRAWL_PCRE, trawl serve " \
    "--allow-pcre"

using ranges = std::vector<std::pair<uint32_t, uint32_t>>; // from, to

// Returns what `make` makes for the key, and keeps the last results: expressions of a list often
// share classes, some of which have hundreds of ranges. Each `make` has keys of its own.
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

// The characters of all ranges, names and others; negated: all characters but these.
struct chars {
    ranges own;
    std::vector<std::string> names; // such as \p{L} and \P{L}: RE2 alone knows the characters
    bool folds = false;             // RE2 adds the other cases of the names' letters
    std::vector<chars> others;
    bool negated = false;
};

// A mistake in ripgrep's class; `at` counts from the begin of the part or of the expression. The
// text is empty if the part is no class of RE2, or an escape for no character: RE2 will find words.
struct mistake {
    size_t at;
    std::string what;
};

// As regex_ops.list; throws a mistake for UINT32_MAX.
ranges listed_of(const std::string &part, const regex_options &options, uint32_t last,
                 uint32_t first = 0);
struct written {
    chars of;
    std::string text; // the set in RE2's syntax, without the characters from U+D800 to U+DFFF
};

// Reads a part and writes the set. With options.marks, the text is an expression for a character of
// the set in a text with marks (words.h).
written write_chars(const std::string &part, const regex_options &options, bool fold);

#endif
