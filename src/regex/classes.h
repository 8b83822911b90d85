// classes: sets of characters, as classes of RE2's or of ripgrep's syntax name them.
#ifndef TRAWL_REGEX_CLASSES_H
#define TRAWL_REGEX_CLASSES_H

#include <string>
#include <utility>
#include <vector>

#include "regex/re2.h"

#define NO_BACKTRACKING                                                                          \
    "RE2 has none, because RE2 searches in linear time; PCRE2 has: -P, TRAWL_PCRE, trawl serve " \
    "--allow-pcre"

using ranges = std::vector<std::pair<uint32_t, uint32_t>>; // from, to

// The characters of all ranges, names and others; negated: all characters but these.
struct chars {
    ranges own;
    std::vector<std::string> names; // such as \p{L} and \P{L}: RE2 alone knows the characters
    bool folds = false;             // RE2 adds the other cases of the names' letters
    std::vector<chars> others;
    bool negated = false;
};

// A mistake in ripgrep's class; `at` counts from the begin of the expression.
struct mistake {
    size_t at;
    std::string what;
};

// Reads the class, the escape or the character that is source[at, end). If the part is no class of
// RE2, or an escape for no character, throws a mistake whose text is empty: RE2 will find words.
chars read_chars(const std::string &source, size_t at, size_t end, const regex_options &options,
                 bool fold);
// As regex_ops.list; throws a mistake for UINT32_MAX.
ranges listed_of(const std::string &part, const regex_options &options, uint32_t last,
                 uint32_t first = 0);
// Writes the set in RE2's syntax, without the characters between U+D800 and U+DFFF.
std::string text_of(const chars &of, const regex_options &options);
// Writes an expression for a character of the set in a text with marks (words.h).
std::string marked_text_of(const chars &of, const regex_options &options);

#endif
