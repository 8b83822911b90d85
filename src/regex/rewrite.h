/* rewrite: writes an expression so that all versions of RE2 read the expression as trawl means it.
 */
#ifndef TRAWL_REGEX_REWRITE_H
#define TRAWL_REGEX_REWRITE_H

#include <string>

#include "regex/re2.h"

// Returns the end of the part that begins at `at`: an escape, \Q...\E, a class, the begin of a
// group with its flags or its name, a character.
size_t part_end(const std::string &source, size_t at);
// Returns the expression, which RE2 need not accept, with these changes:
// - If there are alternatives, "(?:)" keeps some of the characters apart with which RE2 mistakes
//   common begins and common sets of alternatives.
// - No character lies between U+D800 and U+DFFF. RE2 lets `.` and negated classes match the bytes
//   of such characters, and encodings that are too long.
// - If each byte is a character, letters beyond ASCII do not stand for the other case.
std::string rewrite(std::string source, const regex_options &options);

#endif
