// print_re2: writes a tree as an expression that all versions of RE2 read as trawl means it.
#ifndef TRAWL_REGEX_SYNTAX_PRINT_RE2_H
#define TRAWL_REGEX_SYNTAX_PRINT_RE2_H

#include <string>
#include <vector>

#include "regex/classes.h"

// An expression for RE2, in which
//
// - classes and letters list all characters that are equal by the options' rule, and RE2 ignores
//   case nowhere, but in classes like \p{Lu};
// - ripgrep's classes, and Unicode's \w, \d and \s, are classes of RE2;
// - no character lies between U+D800 and U+DFFF. RE2 lets `.` and negated classes match the bytes
//   of such characters, and encodings that are too long;
// - if there are alternatives, an empty group "(?:)" stands before characters that RE2 would join
//   wrongly with characters of other alternatives (print_re2.cc);
// - with options.marks, the expression matches in copies of lines in which marks stand around
//   characters (words.h).
struct printed {
    std::string text;
    // What only RE2 knows whether it is valid: properties, and names of groups.
    struct doubt {
        const syntax_node *node;
        std::string text;
    };
    std::vector<doubt> doubts;
    uint32_t sets = 0;       // number of classes
    bool has_counts = false; // a repetition has a number of 2 or more
};

// Throws a mistake (classes.h) whose place is an offset in the expression.
printed print_re2(const syntax_node &root, const regex_options &options);

#endif
