// classes: reads classes like [a-z&&[^aeiou]] as sets of characters, and writes the sets in RE2's
// syntax. ripgrep's classes may hold classes and the operators && (both), -- (the first without the
// second) and ~~ (only one of both).
#include "regex/classes.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <new>

#include "regex/class_text.h"

namespace
{

constexpr uint32_t case_end = 0x20000; // letters with case lie below this code point
constexpr size_t depth_max = 50;
constexpr std::pair<uint32_t, uint32_t> ascii{0, 0x7f}, surrogates{0xd800, 0xdfff};
// Classes that have names. The first call of known() makes the struct.
struct names {
    const ranges letters{{'A', 'Z'}, {'a', 'z'}}, digits{{'0', '9'}},
        blanks{{'\t', '\r'}, {' ', ' '}};
    const ranges alphanumeric{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    const ranges word{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    const std::map<std::string, ranges> by_name = {
        {"alnum", alphanumeric},
        {"alpha", letters},
        {"ascii", {ascii}},
        {"blank", {{'\t', '\t'}, {' ', ' '}}},
        {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}},
        {"digit", digits},
        {"graph", {{'!', '~'}}},
        {"lower", {{'a', 'z'}}},
        {"print", {{' ', '~'}}},
        {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
        {"space", blanks},
        {"upper", {{'A', 'Z'}}},
        {"word", word},
        {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}};
    // Long names of Unicode's general categories, and their short names.
    const std::string categories =
        " other=C control=Cc cntrl=Cc format=Cf privateuse=Co unassigned=Cn letter=L "
        "casedletter=LC lowercaseletter=Ll modifierletter=Lm otherletter=Lo "
        "titlecaseletter=Lt uppercaseletter=Lu mark=M combiningmark=M spacingmark=Mc "
        "enclosingmark=Me nonspacingmark=Mn number=N decimalnumber=Nd digit=Nd "
        "letternumber=Nl othernumber=No punctuation=P punct=P connectorpunctuation=Pc "
        "dashpunctuation=Pd closepunctuation=Pe finalpunctuation=Pf initialpunctuation=Pi "
        "otherpunctuation=Po openpunctuation=Ps symbol=S currencysymbol=Sc modifiersymbol=Sk "
        "mathsymbol=Sm othersymbol=So separator=Z lineseparator=Zl paragraphseparator=Zp "
        "spaceseparator=Zs ";
    // The characters of Unicode's property White_Space.
    const ranges spaces{{'\t', '\r'},     {' ', ' '},       {0x85, 0x85},     {0xa0, 0xa0},
                        {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                        {0x205f, 0x205f}, {0x3000, 0x3000}};
    // Characters of words, as Unicode's technical standard 18 defines them. The ranges are joiners,
    // and letters in circles and squares, which are in no category of letters.
    const chars words{{{0x200c, 0x200d},
                       {0x24b6, 0x24e9},
                       {0x1f130, 0x1f149},
                       {0x1f150, 0x1f169},
                       {0x1f170, 0x1f189}},
                      {"\\p{L}", "\\p{Nl}", "\\p{M}", "\\p{Nd}", "\\p{Pc}"},
                      false,
                      {},
                      false};
};

const names &known()
{
    static const names made;

    return made;
}

uint32_t last_of(const regex_options &options)
{
    return options.bytes ? 0xff : 0x10ffff;
}

ranges merged(ranges of)
{
    ranges made;

    std::sort(of.begin(), of.end());
    for (const auto &each : of)
        if (!made.empty() && each.first <= made.back().second + 1)
            made.back().second = std::max(made.back().second, each.second);
        else
            made.push_back(each);
    return made;
}

// Returns all characters up to `last` that are not in the ranges.
ranges without(const ranges &of, uint32_t last)
{
    uint32_t from = 0;
    ranges made;

    for (const auto &each : merged(of)) {
        if (each.first > last)
            break;
        if (each.first > from)
            made.emplace_back(from, each.first - 1);
        from = each.second + 1;
    }
    if (from <= last)
        made.emplace_back(from, last);
    return made;
}

ranges sum(ranges a, const ranges &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

ranges common(const ranges &a, const ranges &b, uint32_t last)
{
    return without(sum(without(a, last), without(b, last)), last);
}

// Adds to the ranges each letter that differs from a letter of the ranges only in case.
void add_cases(ranges *of, const regex_options &options)
{
    uint32_t equal[TRAWL_UTF8_VARIANTS_MAX];
    ranges more;

    for (const auto &each : *of)
        for (uint32_t code = each.first; code <= each.second && code < case_end; code++) {
            uint32_t count = 0;

            if (options.letters.variants != nullptr)
                count = options.letters.variants(options.letters.context, code, equal);
            else if ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
                equal[count++] = code ^ 0x20;
            for (uint32_t i = 0; i < count; i++)
                if (equal[i] < each.first || equal[i] > each.second)
                    more.emplace_back(equal[i], equal[i]);
        }
    *of = merged(sum(*of, more));
}

std::string joined(const std::vector<std::string> &names)
{
    std::string made;

    for (const std::string &name : names)
        made += name;
    return made;
}

void put_utf8(std::string *into, uint32_t code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t marks[] = {0, 0xc0, 0xe0, 0xf0};

    *into += static_cast<char>(marks[more] | code >> 6 * more);
    for (int i = more; i-- > 0;)
        *into += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
}

// Returns the character that has a byte at this offset of the text.
uint32_t code_at(const std::string &text, size_t offset)
{
    const auto is_more = [&text](size_t at) { return (text[at] & 0xc0) == 0x80; };

    while (is_more(offset))
        offset--;
    const uint32_t lead = static_cast<uint8_t>(text[offset]);
    uint32_t code = lead & (lead < 0x80 ? 0x7f : lead < 0xe0 ? 0x1f : lead < 0xf0 ? 0xf : 7);
    while (++offset < text.size() && is_more(offset))
        code = code << 6 | (text[offset] & 0x3f);
    return code;
}

std::string body(const ranges &of)
{
    std::string made;

    for (const auto &each : of)
        for (uint32_t code = each.first;; code = each.second) {
            int shift = 20;

            made += code != each.first ? "-" : "";
            if (code < 0x80 && std::isalnum(static_cast<int>(code)) != 0) {
                made += static_cast<char>(code);
            } else {
                while (shift > 0 && code >> shift == 0)
                    shift -= 4;
                for (made += "\\x{"; shift >= 0; shift -= 4)
                    made += "0123456789abcdef"[code >> shift & 0xf];
                made += '}';
            }
            if (code == each.second)
                break;
        }
    return made;
}

// Returns the characters from `first` to `end` - 1 as text, in this order. Planes 4 to 13 have no
// characters, and planes 15 and 16 only those for private use: two neighbours stand for all of
// them.
std::string listing(uint32_t first, uint32_t end)
{
    std::string all;

    for (uint32_t code = first; code < end; code++) {
        const bool is_alike = code >> 16 > 3 && code >> 16 != 14;

        if (is_alike && code > first && (code & 0xffff) == 1)
            code = std::min(code | 0xfffd, end - 1);
        if (code < surrogates.first || code > surrogates.second)
            put_utf8(&all, code);
    }
    return all;
}

// Returns the characters from `first` to `end` - 1 that RE2 finds in the classes whose names are in
// of.names. Throws a mistake if RE2 does not know a name.
ranges members(const chars &of, uint32_t first, uint32_t end)
{
    const std::string flags = of.folds ? "(?i)" : "";
    std::string text = joined(of.names) + "]*";

    if (of.names.empty())
        return {};
    // Adds all characters outside [first, end) to the class, to make the class's program small.
    if (!of.folds && end - first <= 0x7000)
        text.insert(0, body(without({{first, end - 1}}, 0x10ffff)));
    return remembered(flags + text + std::to_string(first) + "-" + std::to_string(end), [&] {
        const std::string all = listing(first, end);
        const re2::RE2 in(flags + "[" + text, re2::RE2::Quiet);
        const re2::RE2 out(flags + "[^" + text, re2::RE2::Quiet);
        re2::StringPiece match;
        ranges made;

        if (!in.ok() || !out.ok())
            throw mistake{0, "unknown class or property: " + joined(of.names)};
        // Anchored programs read the members and the others in turns: RE2 need not look backwards
        // for the begin of a match, which takes seven times as long.
        for (size_t from = 0; from < all.size(); from += match.size()) {
            const size_t begin = from;

            if (!out.Match(all, from, all.size(), re2::RE2::ANCHOR_START, &match, 1))
                throw std::bad_alloc();
            from += match.size();
            if (!in.Match(all, from, all.size(), re2::RE2::ANCHOR_START, &match, 1) ||
                from + match.size() == begin)
                throw std::bad_alloc();
            if (match.size() > 0)
                made.emplace_back(code_at(all, from), code_at(all, from + match.size() - 1));
        }
        return made;
    });
}

// Returns the characters of the set from `first` up to `last`.
ranges listed(const chars &of, uint32_t last, uint32_t first = 0)
{
    ranges made = sum(of.own, members(of, first, last + 1));

    for (const chars &other : of.others)
        made = sum(made, listed(other, last, first));
    return common(of.negated ? without(made, last) : made, {{first, last}}, last);
}

class reader
{
  public:
    reader(const std::string &given, const regex_options &by, bool ignores)
        : text(given), end(given.size()), options(by), fold(ignores), posix(by.longest),
          nests(by.ripgrep && !by.longest)
    {
    }

    chars whole()
    {
        const chars made = text[at] == '[' ? read_class(0) : read_item(false);

        if (at != end)
            fail(at, "a [ ends a range: write \\[");
        return made;
    }

  private:
    const std::string &text;
    size_t at = 0;
    const size_t end;
    const regex_options &options;
    const bool fold;
    const bool posix; // in a class, '\\' is an ordinary character
    const bool nests; // classes are in ripgrep's syntax

    ranges named(const std::string &name) const;
    [[noreturn]] void fail(size_t where, const std::string &what) const
    {
        throw mistake{where, posix || nests ? what : ""};
    }
    bool stands(const char *what) const
    {
        return at + std::strlen(what) <= end && text.compare(at, std::strlen(what), what) == 0;
    }
    std::string since(size_t begin) const
    {
        return text.substr(begin, at - begin);
    }
    chars combined(char by, const chars &a, const chars &b) const;
    uint32_t read_number(size_t least, size_t most, int base);
    uint32_t read_character(bool in_class);
    bool read_name(chars *made, bool in_class);
    chars read_item(bool in_class);
    void add(chars *to, chars more) const;
    chars read_class(size_t depth);
};

// Reads a number of `least` to `most` digits. A hexadecimal number may stand in braces.
uint32_t reader::read_number(size_t least, size_t most, int base)
{
    const bool braces = base == 16 && stands("{");
    const size_t from = at += braces;
    uint32_t made = 0;

    for (; at < end && (braces || at - from < most); at++) {
        const uint8_t byte = static_cast<uint8_t>(text[at]);
        const uint32_t digit = byte <= '9' ? byte - '0' + 0u : (byte | 0x20u) - 'a' + 10u;

        if (digit >= static_cast<uint32_t>(base) || made > last_of({}))
            break;
        made = made * static_cast<uint32_t>(base) + digit;
    }
    if (at - from < (braces ? 1 : least) || (braces && !stands("}")) || made > last_of(options))
        fail(from, "no character has this number: " + since(from));
    at += braces;
    return made;
}

// Reads a character, alone or as an end of a range.
uint32_t reader::read_character(bool in_class)
{
    static const char names[] = "aftnrv", controls[] = "\a\f\t\n\r\v";
    const size_t begin = at;
    const bool escapes = text[at] == '\\' && at + 1 < end && !(posix && in_class);
    const uint8_t byte = static_cast<uint8_t>(text[at += escapes]);
    const char *found = byte != 0 ? std::strchr(names, byte) : nullptr;
    uint32_t code = byte;

    at++;
    if (escapes && byte == 'x')
        return read_number(2, 2, 16);
    if (escapes && nests && (byte == 'u' || byte == 'U'))
        return read_number(byte == 'u' ? 4 : 8, byte == 'u' ? 4 : 8, 16);
    if (escapes && byte >= '0' && byte <= '7') {
        const uint32_t number = (at--, read_number(1, 3, 8));

        if (byte != '0' && at == begin + 2)
            fail(begin, "backreference: " NO_BACKTRACKING);
        return number;
    }
    if (escapes && found != nullptr)
        return static_cast<uint8_t>(controls[found - names]);
    if (escapes && byte < 0x80 && byte != '_' && class_is_word_byte(static_cast<char>(byte)))
        fail(begin, "no character ends the range, or \\ has no meaning: " + since(begin));
    if (byte >= 0x80 && options.bytes && nests && in_class)
        fail(begin, "with --no-unicode, a class holds bytes: write \\xff");
    if (byte < 0x80 || options.bytes)
        return code;
    for (code &= byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0x0f : 0x07; at < end; at++) {
        if ((static_cast<uint8_t>(text[at]) & 0xc0) != 0x80)
            break;
        code = code << 6 | (static_cast<uint8_t>(text[at]) & 0x3f);
    }
    std::string again;
    put_utf8(&again, code & 0x1fffff);
    if (text.compare(at - again.size(), again.size(), again) != 0)
        fail(begin, "no character of UTF-8");
    return code;
}

// Returns the characters of the class with that name; empty if no class has that name.
ranges reader::named(const std::string &name) const
{
    const auto found = known().by_name.find(name);
    const uint32_t *listed = nullptr;
    uint64_t count = 0;

    if (options.longest && (name == "word" || name == "ascii"))
        return {}; // only Perl's syntax has these names
    if (options.letters.class_ranges == nullptr)
        return found == known().by_name.end() ? ranges{} : found->second;
    if (name == "word")
        return sum(named("alnum"), {{'_', '_'}});
    if (name == "ascii")
        return sum(named("print"), named("cntrl"));
    count = options.letters.class_ranges(options.letters.context, name.c_str(), &listed);
    ranges made;
    for (uint64_t i = 0; i < count; i++)
        made.emplace_back(listed[2 * i], listed[2 * i + 1]);
    return made;
}

// Reads a property: \p{...}, \P{...} or \pL. As in ripgrep, categories also have long names, and a
// kind may stand before the name, as in \p{script=Greek}. In RE2, category C lacks the characters
// that are not assigned, so C is written as what is in no other category.
chars property(const std::string &part)
{
    const std::string &longs = known().categories;
    std::string name = part[2] == '{' ? part.substr(3, part.size() - 4) : part.substr(2), plain;
    const size_t sign = name.find_first_of("=:");
    const bool has_kind = sign != std::string::npos;
    const bool others = name[has_kind && sign > 0 ? sign - 1 : 0] == (has_kind ? '!' : '^');
    const std::string kind = " " + name.substr(0, has_kind ? sign - others : 0) + " ";
    const bool is_script = (kind[1] | 0x20) == 's';
    chars made;

    if (has_kind && std::string(" sc script Script gc General_Category ").find(kind) < kind.npos)
        name.erase(0, sign + 1);
    name.erase(0, !has_kind && others);
    for (const char letter : name)
        if (std::strchr(" _-", letter) == nullptr)
            plain += static_cast<char>(std::tolower(letter));
    const size_t found = is_script ? longs.npos : longs.find(" " + plain + "=");
    if (found != std::string::npos)
        name = longs.substr(found + plain.size() + 2, 2);
    else if (has_kind && (name.size() > 2) != is_script)
        name = part; // an unknown name, which RE2 will report
    name.erase(name.find_last_not_of(' ') + 1);
    made.negated = (part[1] == 'P') != others;
    if (name == "C" || name == "Cn") {
        made.names = {"\\p{L}", "\\p{M}", "\\p{N}", "\\p{P}", "\\p{S}", "\\p{Z}"};
        if (name == "Cn")
            made.names.insert(made.names.end(), {"\\p{Cc}", "\\p{Cf}", "\\p{Co}"});
        made.negated = !made.negated;
    } else if (name == "LC") {
        made.names = {"\\p{Lu}", "\\p{Ll}", "\\p{Lt}"};
    } else {
        made.names = {(made.negated ? "\\P{" : "\\p{") + name + "}"};
        made.negated = false;
    }
    return made;
}

// Reads a class that is given by name. Returns false if no name stands there.
bool reader::read_name(chars *made, bool in_class)
{
    const size_t begin = at, length = class_name_length(text.data() + at, end - at);
    const bool escapes = stands("\\") && at + 1 < end && !(posix && in_class);
    const char letter = escapes ? text[at + 1] : '\0';

    if (length > 0) {
        made->negated = text[at + 2] == '^' && !options.longest;
        std::string name = text.substr(at + 2 + made->negated, length - 4 - made->negated);
        at += length;
        if (fold && !options.unicode && (name == "upper" || name == "lower"))
            name = "alpha";
        made->own = named(name);
        if (made->own.empty())
            throw mistake{begin, options.ripgrep || options.longest
                                     ? "unknown class or property: " + since(begin)
                                     : ""};
        if (fold && options.unicode)
            add_cases(&made->own, options);
        return true;
    }
    const size_t name_end = stands("[:") && !nests ? text.find(":]", at + 2) : std::string::npos;
    if (name_end != std::string::npos)
        fail(begin, "unknown class or property: " + text.substr(at, name_end + 2 - at));
    if (letter == '\0' || std::strchr(options.pcre ? "dDwWsSpPv" : "dDwWsSpP", letter) == nullptr)
        return false;
    at += 2;
    if (letter == 'p' || letter == 'P') {
        at = stands("{") ? std::min(text.find('}', at), end - 1) + 1 : std::min(at + 1, end);
        *made = property(since(begin));
        made->folds = fold;
        return true;
    }
    if (letter == 'v')
        *made = {{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}, {}, false, {}, false};
    else if ((letter | 0x20) == 'd')
        *made = options.unicode ? chars{{}, {"\\p{Nd}"}, false, {}, false}
                                : chars{known().digits, {}, false, {}, false};
    else if ((letter | 0x20) == 'w')
        *made = options.unicode ? known().words
                                : chars{sum(named("alnum"), {{'_', '_'}}), {}, false, {}, false};
    else
        made->own = options.unicode && options.pcre ? sum(known().spaces, {{0x180e, 0x180e}})
                    : options.unicode               ? known().spaces
                    : options.ripgrep || options.longest || options.pcre
                        ? named("space")
                        : ranges{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    made->negated = (letter & 0x20) == 0;
    return true;
}

// Reads one item of a class: a class by name, a character or a range.
chars reader::read_item(bool in_class)
{
    const size_t begin = at;
    chars made;

    if (read_name(&made, in_class)) {
        if (in_class && nests && text[begin] == '\\' && stands("-") && !stands("-]") &&
            !stands("--"))
            fail(begin, "a class begins no range: " + since(begin));
        return made;
    }
    made.own.resize(1);
    made.own[0].first = made.own[0].second = read_character(in_class);
    if (in_class && stands("-") && !stands("-]") && (!nests || !stands("--"))) {
        at++;
        made.own[0].second = read_character(true);
    }
    if (made.own[0].second < made.own[0].first)
        fail(begin, "the range's ends are in the wrong order");
    if (fold)
        add_cases(&made.own, options);
    return made;
}

// Adds the characters of `more` to *to.
void reader::add(chars *to, chars more) const
{
    if (more.negated && more.names.empty() && more.others.empty())
        more = {without(more.own, last_of(options)), {}, false, {}, false};
    if (more.negated || (!more.names.empty() && !to->names.empty() && more.folds != to->folds)) {
        to->others.push_back(more);
        return;
    }
    to->own = sum(to->own, more.own);
    to->folds |= more.folds;
    to->names.insert(to->names.end(), more.names.begin(), more.names.end());
    to->others.insert(to->others.end(), more.others.begin(), more.others.end());
}

// Returns what the operator `by` makes of the two sets. If `by` is '\0', there is no operator, and
// the result is the second set.
chars reader::combined(char by, const chars &a, const chars &b) const
{
    const uint32_t last = last_of(options);

    if (by == '\0')
        return b;
    const ranges first = listed(a, last), second = listed(b, last);
    const ranges both = common(first, second, last);
    return {by == '&'   ? both
            : by == '-' ? common(first, without(second, last), last)
                        : common(sum(first, second), without(both, last), last),
            {},
            false,
            {},
            false};
}

// Reads the class that begins at `at`, inside `depth` other classes.
chars reader::read_class(size_t depth)
{
    const size_t begin = at;
    const bool negated = stands("[^");
    chars made, now;
    char by = '\0';

    if (depth == depth_max)
        fail(begin, "classes are nested too deeply");
    at += negated ? 2 : 1;
    if (nests && (stands("]") || stands("-")))
        do
            now.own.emplace_back(text[at], text[at]);
        while (text[at++] == '-' && stands("-"));
    for (bool first = !nests; first || !stands("]"); first = false) {
        if (at >= end)
            fail(begin, "the bracket is not closed");
        if (nests && (stands("&&") || stands("--") || stands("~~"))) {
            made = combined(by, made, now);
            now = {};
            by = text[at];
            at += 2;
        } else if (nests && stands("[") && class_name_length(text.data() + at, end - at) == 0) {
            add(&now, read_class(depth + 1));
        } else {
            add(&now, read_item(true));
        }
    }
    at++;
    made = combined(by, made, now);
    made.negated = negated;
    return made;
}

// Returns a class of the ranges in RE2's syntax; empty if there are no ranges.
std::string class_of(const ranges &of)
{
    if (of.empty())
        return "";
    return of.size() == 1 && of[0].first == of[0].second ? body(of) : "[" + body(of) + "]";
}

std::string either(const std::vector<std::string> &parts)
{
    std::string made;

    for (const std::string &part : parts)
        if (!part.empty())
            made += (made.empty() ? "" : "|") + part;
    return made.find('|') == std::string::npos ? made : "(?:" + made + ")";
}

// Returns true if the name is negated, as \P{L} or \p{^L}.
bool is_other(const std::string &name)
{
    return (name[1] == 'P') != (name.compare(2, 2, "{^") == 0);
}

// Returns the negation of the name.
std::string other(std::string name)
{
    if (name.compare(2, 2, "{^") == 0)
        return name.erase(3, 1);
    name[1] ^= 'p' ^ 'P';
    return name;
}

// Returns the set in RE2's syntax, without the characters from U+D800 to U+DFFF; empty if the set
// has no characters. With `beyond`, ASCII characters are left out, too.
std::string parts_of(const chars &of, const regex_options &options, bool beyond)
{
    const uint32_t last = last_of(options);
    const char *open = of.folds ? "(?i:" : "", *close = of.folds ? ")" : "";
    ranges out;
    std::string named;

    if (!options.bytes)
        out.push_back(surrogates);
    if (beyond)
        out.insert(out.begin(), ascii);
    if ((of.negated && !of.others.empty()) || (of.folds && beyond))
        return class_of(common(listed(of, last), without(out, last), last));
    if (of.negated && of.own.empty() && of.names.empty() && out.empty())
        return class_of({{0, last}});
    if (of.negated)
        return open + ("[^" + body(merged(sum(of.own, out))) + joined(of.names) + "]") + close;
    std::vector<std::string> parts{""};
    for (const std::string &name : of.names)
        if (beyond || is_other(name))
            parts.push_back(open + ("[^" + body(out) + other(name) + "]") + close);
        else
            named += name;
    for (const chars &each : of.others)
        parts.push_back(parts_of(each, options, beyond));
    const ranges own = without(sum(without(of.own, last), out), last);
    if (of.folds && !named.empty())
        parts.push_back("(?i:[" + named + "])");
    parts[0] = named.empty() || of.folds ? class_of(own) : "[" + body(own) + named + "]";
    return either(parts);
}

// Returns a key under which a part's meaning is remembered: all that the meaning depends on.
std::string key_of(const std::string &part, const regex_options &by, bool fold)
{
    std::string key = std::to_string(by.plan) + " ";

    for (const uint32_t each :
         {uint32_t{fold}, uint32_t{by.bytes}, uint32_t{by.dot_all}, uint32_t{by.longest},
          uint32_t{by.ripgrep}, uint32_t{by.unicode}, uint32_t{by.marks}})
        key += static_cast<char>('0' + each);
    return key + part;
}

chars read_chars(const std::string &part, const regex_options &options, bool fold)
{
    if (part == ".")
        return {options.dot_all ? ranges{} : ranges{{'\n', '\n'}}, {}, false, {}, true};
    return reader(part, options, fold).whole();
}

std::string text_of(const chars &of, const regex_options &options)
{
    const std::string made = parts_of(of, options, false);

    return made.empty() ? "[^" + body({{0, last_of(options)}}) + "]" : made;
}

std::string marked_text_of(const chars &of, const regex_options &options)
{
    const ranges low = listed(of, ascii.second), line{{'\n', '\n'}};
    const auto &is_word = options.letters.is_word;
    const std::string mark = options.marks == REGEX_MARKED_LINES ? " " : "\\n";
    std::string in = parts_of(of, options, true), out = in;
    uint32_t count = 0;

    for (const auto &each : of.own)
        count += each.second - each.first + 1;
    if (!of.negated && of.names.empty() && of.others.empty() && count <= TRAWL_UTF8_VARIANTS_MAX) {
        ranges some[2];

        for (const auto &each : of.own)
            for (uint32_t code = std::max(each.first, 0x80u); code <= each.second; code++)
                some[is_word != nullptr && is_word(options.letters.context, code)].emplace_back(
                    code, code);
        in = class_of(some[1]);
        out = class_of(some[0]);
    }
    out = either({class_of(common(low, without(sum(known().word, line), 0x7f), 0x7f)), out});
    return either({class_of(common(low, known().alphanumeric, 0x7f)),
                   common(low, {{'_', '_'}}, 0x7f).empty() ? "" : "_--_",
                   common(low, line, 0x7f).empty() ? "" : "\\n--\\n",
                   in.empty() || is_word == nullptr ? "" : "_" + in + "_",
                   out.empty() ? "" : mark + out + mark,
                   low.empty() && in.empty() && out.empty() ? text_of({}, options) : ""});
}

} // namespace

std::string part_of(const syntax_node &node)
{
    const std::string made(node.bytes, node.bytes_count);

    return node.kind == SYNTAX_CHAR && std::strchr("\\.+*?()|[]{}^$", made[0]) != nullptr &&
                   made[0] != '\0'
               ? "\\" + made
               : made;
}

ranges listed_of(const std::string &part, const regex_options &options, uint32_t last,
                 uint32_t first)
{
    const auto list = [&] {
        const chars of = read_chars(part, options, options.fold);

        if (part == "\\C" || (last == UINT32_MAX && (!of.names.empty() || !of.others.empty())))
            throw mistake{0, ""};
        return common(listed(of, std::min(last, last_of(options)), first),
                      without(options.bytes ? ranges{} : ranges{surrogates}, last_of(options)),
                      last_of(options));
    };

    return options.plan == 0 ? list()
                             : remembered(key_of(part, options, options.fold) + " " +
                                              std::to_string(first) + "-" + std::to_string(last),
                                          list);
}

written write_chars(const std::string &part, const regex_options &options, bool fold)
{
    const auto write = [&]() -> written {
        const chars of = read_chars(part, options, fold);
        const bool is_u = part[0] == '\\' && (part[1] | 0x20) == 'u'; // only ripgrep's syntax
        const bool is_set = part[0] == '[' || is_u || of.negated || !of.names.empty() ||
                            of.own.size() != 1 || of.own[0].first != of.own[0].second;

        return {of, options.marks != REGEX_UNMARKED ? marked_text_of(of, options)
                    : is_set                        ? text_of(of, options)
                                                    : part};
    };

    return options.plan == 0 || part.size() == 1 ? write()
                                                 : remembered(key_of(part, options, fold), write);
}
