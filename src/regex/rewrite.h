// rewrite: writes an expression anew, so that all versions of RE2 read what trawl means.
#ifndef TRAWL_REGEX_REWRITE_H
#define TRAWL_REGEX_REWRITE_H

#include <string>

#include "regex/re2.h"

// Returns the end of the part that begins at `at`. A part is an escape, a class, the begin of a
// group with its flags or its name, a character of UTF-8, or a byte.
size_t part_end(const std::string &source, size_t at, const regex_options &options);
// Returns the expression, which RE2 need not accept, with these changes:
//
// - Classes and letters list all characters that are equal by the options' rule, and RE2 ignores
//   case nowhere, but in classes like \p{Lu}.
// - ripgrep's classes, and Unicode's \w, \d and \s, become classes of RE2.
// - No character lies between U+D800 and U+DFFF. RE2 lets `.` and negated classes match the bytes
//   of such characters, and encodings that are too long.
// - If there are alternatives, an empty group "(?:)" stands before characters that RE2 would join
//   wrongly with characters of other alternatives (rewrite.cc).
// - With options.marks, the expression matches in copies of lines in which marks stand around
//   characters (words.h).
//
// Unless crosses is NULL, *crosses receives what regex_ops.crosses returns. Throws a mistake
// (classes.h).
std::string rewrite(const std::string &source, const regex_options &options,
                    uint32_t *crosses = nullptr);
// Returns an expression of the same length, in which RE2 finds the same mistakes at the same
// places. Parts that only trawl knows become letters or \b.
std::string for_message(std::string source, const regex_options &options);

#endif
