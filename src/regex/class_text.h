/* class_text: what the text of a class, such as [a-z_], says before RE2 reads the class. */
#ifndef TRAWL_REGEX_CLASS_TEXT_H
#define TRAWL_REGEX_CLASS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define CLASS_NAMED "a named class stands within a class: [[:space:]], not [:space:]"

bool class_is_word_byte(char byte);
/* Returns whether each character of the class is an ASCII word character. */
bool class_is_words(const char *text, uint64_t count);
/* Returns whether the class is "[:...:]", by which [[:...:]] is meant. */
bool class_is_named(const char *text, uint64_t count);
/* Returns the length of the class at the begin of the text; 0: the class is not closed. ripgrep: a
 * class may hold classes and operators. *is_set: this class does, or its text has escapes that RE2
 * reads differently. */
uint64_t class_length(const char *text, uint64_t count, bool ripgrep, bool *is_set);

#endif
