/* class_text: finds where a class like [a-z_] ends in an expression, and whether the class has
 * parts such as names or operators, without listing the class's characters. */
#ifndef TRAWL_REGEX_CLASS_TEXT_H
#define TRAWL_REGEX_CLASS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLASS_NAMED "a named class stands within a class: [[:space:]], not [:space:]"

bool class_is_word_byte(char byte);
/* Returns the length of a name like [:alpha:] at the begin of the text; 0: no name is there. */
uint64_t class_name_length(const char *text, uint64_t left);
/* Returns true if the class is "[:...:]", a common mistake for [[:...:]]. */
bool class_is_named(const char *text, uint64_t count);
/* Returns the length of the class at the begin of the text; 0 if the class is not closed. Sets
 * *is_set to whether the class needs ripgrep's syntax: it holds further classes, operators like &&,
 * or escapes that RE2 reads differently. */
uint64_t class_length(const char *text, uint64_t count, bool ripgrep, bool *is_set);
/* Returns the length of the character at the begin of the text, or of Perl's or ripgrep's escape.
 */
uint64_t class_part_length(const char *text, uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
