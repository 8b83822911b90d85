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
#include <vector>

#include "regex/rewrite.h"

namespace
{

constexpr uint32_t last = 0x10ffff;
constexpr size_t known_max = 64;

// Ranges of characters, sorted and apart.
using set = std::vector<std::pair<uint32_t, uint32_t>>;

struct mistake {
    size_t at;
    std::string what;
};

set united(set all, const set &more)
{
    set made;

    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    for (const auto &range : all)
        if (made.empty() || range.first > made.back().second + 1)
            made.push_back(range);
        else
            made.back().second = std::max(made.back().second, range.second);
    return made;
}

set others(const set &of)
{
    set made;
    uint32_t from = 0;

    for (const auto &range : of) {
        if (range.first > from)
            made.emplace_back(from, range.first - 1);
        from = range.second + 1;
    }
    if (from <= last)
        made.emplace_back(from, last);
    return made;
}

set combined(char by, const set &a, const set &b)
{
    const set a_alone = others(united(others(a), b)), b_alone = others(united(others(b), a));

    return by == '-'   ? a_alone
           : by == '~' ? united(a_alone, b_alone)
                       : others(united(others(a), others(b)));
}

// Writes the set in RE2's syntax, without the characters between U+D800 and U+DFFF.
std::string text_of(const set &of)
{
    const set written = combined('-', of, {{0xd800, 0xdfff}});
    std::string made = written.empty() ? "[^\\x{0}-\\x{10ffff}" : "[";
    char one[40];

    for (const auto &range : written) {
        const uint32_t ends[] = {range.first, range.second};

        for (int i = 0; i < (ends[0] == ends[1] ? 1 : 2); i++) {
            const bool plain = ends[i] < 0x80 && std::isalnum(static_cast<int>(ends[i])) != 0;

            std::snprintf(one, sizeof one,
                          plain            ? "%s%c"
                          : ends[i] < 0x80 ? "%s\\x%02x"
                                           : "%s\\x{%x}",
                          i > 0 ? "-" : "", ends[i]);
            made += one;
        }
    }
    return made + "]";
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

// Returns the characters that RE2's class matches; throws a mistake if RE2 refuses the class.
set members(const std::string &text, bool fold, size_t at)
{
    static std::mutex lock;
    static std::map<std::pair<std::string, bool>, set> known;
    const std::lock_guard<std::mutex> guard(lock);
    const auto found = known.find({text, fold});
    re2::RE2::Options options;
    re2::StringPiece match;
    std::string all;
    set made;

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
        made.emplace_back(code_at(begin), code_at(from - 1));
    }
    if (known.size() >= known_max)
        known.clear();
    return known[{text, fold}] = made;
}

class reader
{
  public:
    reader(std::string given, bool ignores_case) : text(std::move(given)), fold(ignores_case)
    {
    }

    set read();

  private:
    const std::string text;
    const bool fold;
    size_t at = 0;

    bool stands(const char *what) const
    {
        return text.compare(at, std::strlen(what), what) == 0;
    }
    set folded(const set &of) const
    {
        return fold ? members(text_of(of), true, at) : of;
    }
    uint32_t read_character();
    set read_item();
};

// Reads a character, which may be an end of a range.
uint32_t reader::read_character()
{
    const size_t begin = at;
    std::string one;

    if (stands("\\u{") || stands("\\x{"))
        at = std::min(text.size(), text.find('}', at)) + 1;
    else
        at = stands("\\U") ? at + 10 : stands("\\u") ? at + 6 : item_end(text, at, false);
    one = text.substr(begin, at - begin);
    if (one.size() > 2 && (one[1] == 'u' || one[1] == 'U'))
        one = "\\x" + (one[2] == '{' ? one.substr(2) : "{" + one.substr(2) + "}");
    const item read = read_single(one);

    if (read.is_set || (one[0] == '\\' && std::isalpha(static_cast<uint8_t>(one[1])) != 0 &&
                        std::strchr("aftnrvx", one[1]) == nullptr))
        throw mistake{begin, "no character ends the range, or \\ has no meaning: " + one};
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
        const set found = members("[" + name + "]", fold, begin);
        return negated ? others(found) : found;
    }
    const uint32_t from = read_character();
    uint32_t to = from;

    if (stands("-") && !stands("-]") && !stands("--")) {
        at++;
        to = read_character();
    }
    if (to < from)
        throw mistake{begin, "the range's ends are in the wrong order"};
    return {{from, to}};
}

// Reads the class that begins at `at`.
set reader::read()
{
    const size_t begin = at;
    const bool negated = stands("[^");
    set left, now;
    char by = '\0';
    const auto end_operand = [&] {
        left = by == '\0' ? now : combined(by, folded(left), folded(now));
        now.clear();
    };

    for (at += negated ? 2 : 1; stands("-"); at++)
        now = {{'-', '-'}};
    if (now.empty() && stands("]")) {
        now = {{']', ']'}};
        at++;
    }
    for (; !stands("]");) {
        if (at >= text.size())
            throw mistake{begin, "the class is not closed"};
        if (stands("&&") || stands("--") || stands("~~")) {
            end_operand();
            by = text[at];
            at += 2;
        } else {
            now = united(now, stands("[") && !is_class_name(text, at) ? read() : read_item());
        }
    }
    at++;
    end_operand();
    left = folded(left);
    return negated ? others(left) : left;
}

} // namespace

uint64_t write_class(const char *bytes, uint64_t count, bool fold, char *out, uint64_t room,
                     regex_fault *fault)
{
    try {
        const std::string made =
            text_of(reader(std::string(bytes, static_cast<size_t>(count)), fold).read());

        if (made.size() <= room)
            std::memcpy(out, made.data(), made.size());
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
