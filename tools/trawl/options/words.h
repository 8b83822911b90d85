/* words: the characters that -w takes for parts of words. */
#ifndef TRAWL_WORDS_H
#define TRAWL_WORDS_H

#include "trawl/options/settings.h"

/* Returns charset_utf8() with the word characters that the options ask for. tg takes Unicode's word
 * characters, as ripgrep does, but ASCII's with --no-unicode. -P in UTF-8 takes ASCII's, as grep
 * does. Otherwise the locale decides. The code point 0x110000 stands for an invalid byte.
 * Where tg takes Unicode's, such a byte counts as a word character, because ripgrep
 * finds no word beside it. */
struct trawl_letters words_utf8(const struct settings *settings);
/* Returns true if -i means Unicode's equal letters. If not, -i means grep's. */
bool folds_by_unicode(const struct settings *settings);

#endif
