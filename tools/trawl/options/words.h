/* words: the characters that -w takes for parts of words. */
#ifndef TRAWL_WORDS_H
#define TRAWL_WORDS_H

#include "trawl/options/settings.h"

/* Returns charset_utf8() with the rule of whom the command follows: for tg, the word characters of
 * Unicode, as in ripgrep; for -P in UTF-8 and for --no-unicode, those of ASCII, as in grep; for all
 * others, those of the locale. The code point 0x110000 stands for a byte that is part of no
 * character. For tg, such a byte counts as a word character, because ripgrep finds no word beside
 * the byte. */
struct trawl_letters words_utf8(const struct settings *settings);
/* Returns whether -i means Unicode's equal letters. If not, -i means grep's. */
bool folds_by_unicode(const struct settings *settings);

#endif
