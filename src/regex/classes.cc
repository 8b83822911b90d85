// classes: reads ripgrep's classes, which may hold classes and the operators && (both), -- (the
// first without the second) and ~~ (only one of both), as sets of characters.
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <valarray>

#include "regex/rewrite.h"
#include "trawl.h"

namespace
{

constexpr uint32_t last = 0x10ffff;
constexpr uint32_t case_end = 0x20000; // all letters with case lie below
constexpr size_t known_max = 16, depth_max = 50;

using set = std::valarray<uint64_t>; // a bit for each character

struct mistake {
    size_t at;
    std::string what;
};

set range(uint32_t from, uint32_t to)
{
    set made(uint64_t{0}, (last + 1) / 64);

    for (uint32_t code = from; code <= std::min(to, last); code++)
        made[code / 64] |= uint64_t{1} << code % 64;
    return made;
}

set combined(char by, const set &a, const set &b)
{
    return by == '\0' ? b : by == '-' ? set(a & ~b) : by == '~' ? set(a ^ b) : set(a & b);
}

// Writes the set in RE2's syntax, without the characters between U+D800 and U+DFFF.
std::string text_of(const set &of)
{
    const set written = of & ~range(0xd800, 0xdfff);
    const auto has = [&](uint32_t code) {
        return code <= last && (written[code / 64] >> code % 64 & 1) != 0;
    };
    std::string made = "[";
    const auto put = [&](uint32_t code) {
        if (code < 0x80 && std::isalnum(static_cast<int>(code)) == 0)
            made += {'\\', 'x', "0123456789abcdef"[code >> 4], "0123456789abcdef"[code & 15]};
        else
            put_utf8(&made, code);
    };

    for (uint32_t code = 0; code <= last; code++) {
        if (!has(code))
            continue;
        put(code);
        if (!has(code + 1))
            continue;
        while (has(code + 1))
            code++;
        made += '-';
        put(code);
    }
    return made.size() > 1 ? made + "]" : "[^\\x{0}-\\x{10ffff}]";
}

// Returns the character at this offset of a text of all characters in UTF-8.
uint32_t code_at(size_t offset)
{
    constexpr size_t two = 0x80, three = two + 2 * 0x780, four = three + 3 * 0xf000;
    const size_t code = offset < two     ? offset
                        : offset < three ? 0x80 + (offset - two) / 2
                        : offset < four  ? 0x800 + (offset - three) / 3
                                         : 0x10000 + (offset - four) / 4;

    return static_cast<uint32_t>(code >= 0xd800 && code < 0x10000 && offset < four ? code + 0x800
                                                                                   : code);
}

// Returns the characters that RE2's class matches, for one thread at a time; throws a mistake if
// RE2 refuses the class.
set members(const std::string &text, bool fold, size_t at)
{
    static std::map<std::pair<std::string, bool>, set> known;
    const auto found = known.find({text, fold});
    re2::RE2::Options options;
    re2::StringPiece match;
    std::string all;
    set made = range(1, 0);

    if (found != known.end())
        return found->second;
    options.set_log_errors(false);
    options.set_case_sensitive(!fold);
    const re2::RE2 re(text + "+", options);
    if (!re.ok())
        throw mistake{at, "unknown class or property: " + text.substr(1, text.size() - 2)};
    for (uint32_t code = 0; code <= last; code++)
        if (code < 0xd800 || code > 0xdfff)
            put_utf8(&all, code);
    for (size_t from = 0; re.Match(all, from, all.size(), re2::RE2::UNANCHORED, &match, 1);) {
        const size_t begin = static_cast<size_t>(match.data() - all.data());

        from = begin + match.size();
        made |= range(code_at(begin), code_at(from - 1));
    }
    if (known.size() >= known_max)
        known.clear();
    return known[{text, fold}] = made;
}

class reader
{
  public:
    reader(std::string given, regex_variants equal) : text(std::move(given)), variants(equal)
    {
    }

    // Reads the class that is the whole text.
    set whole()
    {
        const set made = read(0);

        if (at != text.size())
            throw mistake{at, "a [ ends a range: write \\["};
        return made;
    }

  private:
    const std::string text;
    const regex_variants variants; // nullptr: case counts
    size_t at = 0;

    bool stands(const char *what) const
    {
        return text.compare(at, std::strlen(what), what) == 0;
    }
    set folded(set of) const;
    uint32_t read_character();
    set read_item();
    set read(size_t depth);
};

// Returns the set with all letters that equal its letters.
set reader::folded(set of) const
{
    const set letters = of;
    uint32_t equal[TRAWL_UTF8_VARIANTS_MAX];

    for (uint32_t code = 0; variants != nullptr && code < case_end; code++)
        if ((letters[code / 64] >> code % 64 & 1) != 0)
            for (uint32_t i = variants(nullptr, code, equal); i-- > 0;)
                of[equal[i] / 64] |= uint64_t{1} << equal[i] % 64;
    return of;
}

// Reads a character, which may be an end of a range.
uint32_t reader::read_character()
{
    const size_t begin = at;
    std::string one;

    if (stands("\\u{") || stands("\\x{"))
        at = std::min(text.size(), text.find('}', at)) + 1;
    else
        at = stands("\\U") ? at + 10 : stands("\\u") ? at + 6 : item_end(text, at, false);
    at = std::min(at, text.size());
    one = text.substr(begin, at - begin);
    if (one.size() > 2 && (one[1] == 'u' || one[1] == 'U'))
        one = "\\x" + (one[2] == '{' ? one.substr(2) : "{" + one.substr(2) + "}");
    const item read = read_single(one);

    if (read.is_set || (one[0] == '\\' && std::isalpha(static_cast<uint8_t>(one[1])) != 0 &&
                        std::strchr("aftnrvx", one[1]) == nullptr))
        throw mistake{begin, "no character ends the range, or \\ has no meaning: " + one};
    if (read.from > last)
        throw mistake{begin, "no character has this number: " + one};
    return read.from;
}

// Reads a class by name, a character or a range.
set reader::read_item()
{
    const size_t begin = at;

    if (stands("[:") || stands("\\p") || stands("\\P") || stands("\\d") || stands("\\D") ||
        stands("\\w") || stands("\\W") || stands("\\s") || stands("\\S")) {
        at = item_end(text, at, false);
        std::string name = text.substr(begin, at - begin);
        const bool negated = std::strchr("DWS", name[1]) != nullptr;

        if (name[0] == '\\' && std::strchr("dDwWsS", name[1]) != nullptr)
            name = std::strchr("dD", name[1]) != nullptr   ? REGEX_DIGITS
                   : std::strchr("wW", name[1]) != nullptr ? REGEX_WORDS
                                                           : REGEX_SPACES;
        if (text[begin] == '\\' && stands("-") && !stands("-]") && !stands("--"))
            throw mistake{begin, "a class begins no range: " + text.substr(begin, at - begin)};
        const set found = members("[" + name + "]", variants != nullptr, begin);
        return negated ? set(~found) : found;
    }
    const uint32_t from = read_character();
    uint32_t to = from;

    if (stands("-") && !stands("-]") && !stands("--")) {
        at++;
        to = read_character();
    }
    if (to < from)
        throw mistake{begin, "the range's ends are in the wrong order"};
    return range(from, to);
}

// Reads the class that begins at `at`, within `depth` classes.
set reader::read(size_t depth)
{
    const size_t begin = at;
    const bool negated = stands("[^");
    set left = range(1, 0), now = left;
    char by = '\0';

    if (depth == depth_max)
        throw mistake{begin, "classes are nested too deeply"};
    at += negated ? 2 : 1;
    if (stands("]") || stands("-"))
        do
            now |= range(static_cast<uint8_t>(text[at]), static_cast<uint8_t>(text[at]));
        while (text[at++] == '-' && stands("-"));
    while (!stands("]")) {
        if (at >= text.size())
            throw mistake{begin, "the bracket is not closed"};
        if (stands("&&") || stands("--") || stands("~~")) {
            left = combined(by, folded(left), folded(now));
            now = range(1, 0);
            by = text[at];
            at += 2;
        } else {
            now |= stands("[") && !is_class_name(text, at) ? read(depth + 1) : read_item();
        }
    }
    at++;
    left = folded(combined(by, by != '\0' ? folded(left) : left, by != '\0' ? folded(now) : now));
    return negated ? set(~left) : left;
}

} // namespace

uint64_t write_class(const char *bytes, uint64_t count, regex_variants variants, char *out,
                     uint64_t room, regex_fault *fault)
{
    static std::mutex lock;
    static std::map<std::pair<std::string, regex_variants>, std::string> known;

    try {
        const std::string text(bytes, static_cast<size_t>(count));
        const std::lock_guard<std::mutex> guard(lock);

        if (known.size() > known_max && known.count({text, variants}) == 0)
            known.clear();
        std::string &made = known[{text, variants}];
        if (made.empty())
            made = text_of(reader(text, variants).whole());
        if (made.size() <= room)
            (void)made.copy(out, made.size());
        return made.size();
    } catch (const mistake &found) {
        fault->at = found.at;
        std::snprintf(fault->message, sizeof fault->message, "%s", found.what.c_str());
    } catch (...) {
        fault->at = 0;
        std::snprintf(fault->message, sizeof fault->message, "out of memory: a class");
    }
    return 0;
}
