/* class_text: what the text of a class, such as [a-z_], says before the class is read. */
#ifndef TRAWL_REGEX_CLASS_TEXT_H
#define TRAWL_REGEX_CLASS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLASS_NAMED "a named class stands within a class: [[:space:]], not [:space:]"

bool class_is_word_byte(char byte);
/* Returns the length of the name, such as [:alpha:], at the begin of the text; 0: there is none. */
uint64_t class_name_length(const char *text, uint64_t left);
/* Returns whether the class is "[:...:]", by which [[:...:]] is meant. */
bool class_is_named(const char *text, uint64_t count);
/* Returns the length of the class at the begin of the text; 0: the class is not closed. ripgrep: a
 * class may hold classes and operators. *is_set: this class does, or its text has escapes that RE2
 * reads differently. */
uint64_t class_length(const char *text, uint64_t count, bool ripgrep, bool *is_set);
/* As class_length, also for an escape at the begin of the text. */
uint64_t class_part_length(const char *text, uint64_t count, bool ripgrep, bool *is_set);
/* Returns whether the class has a part such as [:alpha:] or \w. */
bool class_has_names(const char *text, uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
