/* words: the characters that -w treats as parts of words. */
#include "trawl/options/patterns.h"

#include "trawl/text/charset.h"
#include "trawl/options/settings.h"

static bool is_ascii_word(void *context, uint32_t code_point)
{
    (void)context;
    return (code_point >= '0' && code_point <= '9') || code_point == '_' ||
           ((code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z');
}

static bool is_unicode_word(void *context, uint32_t code_point)
{
    if (code_point < 0x80 || code_point > 0x10ffff)
        return code_point > 0x10ffff || is_ascii_word(context, code_point);
    return trawl_unicode()->is_word(NULL, code_point);
}

bool folds_by_unicode(const struct settings *settings)
{
    return settings->is_tg || settings->syntax == TRAWL_PERL || settings->surroundings.unicode_case;
}

struct trawl_letters words_utf8(const struct settings *settings)
{
    struct trawl_letters utf8 = charset_utf8(folds_by_unicode(settings));

    if (settings->is_tg && !settings->no_unicode)
        utf8.is_word = is_unicode_word;
    else if (settings->is_tg ||
             (settings->syntax == TRAWL_PERL && settings->surroundings.charset == CHARSET_UTF8))
        utf8.is_word = is_ascii_word;
    return utf8;
}

static uint32_t only_itself(void *context, uint32_t code_point, uint32_t *variants)
{
    (void)context;
    variants[0] = code_point;
    return 1;
}

struct trawl_letters words_letters(const struct settings *settings, bool needs_utf8)
{
    const bool utf8 = settings->wide ? !settings->no_unicode : needs_utf8;
    struct trawl_letters letters = utf8 ? words_utf8(settings) : *trawl_ascii();

    if (settings->wide && !settings->ignore_case)
        letters.variants = only_itself;
    return letters;
}
