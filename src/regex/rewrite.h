/* rewrite: writes an expression so that all versions of RE2 read the expression as trawl means it.
 */
#ifndef TRAWL_REGEX_REWRITE_H
#define TRAWL_REGEX_REWRITE_H

#include <string>

#include "regex/re2.h"

// What an item of a class stands for: the characters from `from` to `to`, or a set.
struct item {
    uint32_t from, to;
    bool is_set;
};

// Returns the end of the item of a class: a character, an escape, or a name such as [:alpha:].
size_t item_end(const std::string &source, size_t at, bool bytes);
// Returns whether a name such as [:alpha:] stands at `at`.
bool is_class_name(const std::string &source, size_t at);
// Reads an item of a class which is not a range.
item read_single(const std::string &text);
// Appends the character in UTF-8.
void put_utf8(std::string *into, uint32_t rune);
using regex_variants = uint32_t (*)(void *, uint32_t, uint32_t *);
// Implements regex_ops.write_class.
uint64_t write_class(const char *bytes, uint64_t count, regex_variants variants, char *out,
                     uint64_t room, regex_fault *fault);
// Returns the end of the part that begins at `at`: an escape, \Q...\E, a class, the begin of a
// group with its flags or its name, a character.
size_t part_end(const std::string &source, size_t at);
// Returns the expression, which RE2 need not accept, with these changes:
// - If there are alternatives, "(?:)" keeps some of the characters apart with which RE2 mistakes
//   common begins and common sets of alternatives.
// - No character lies between U+D800 and U+DFFF. RE2 lets `.` and negated classes match the bytes
//   of such characters, and encodings that are too long.
// - If each byte is a character, letters beyond ASCII do not stand for the other case.
std::string rewrite(const std::string &source, const regex_options &options);

#endif
