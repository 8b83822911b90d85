// rewrite: reads an expression part by part, and writes the parts that RE2 misreads in another way.
//
// RE2 joins alternatives of a single character to a set. Up to version 2023-11-01 the set lacks the
// letter N for `n|[nN]`, because `[nN]` is an n that ignores case, and RE2 stops at the n that the
// set holds already. In all versions `[kK]|x` matches the Kelvin sign, for a similar reason. Where
// each byte is a character, versions up to 2024-02-01 misread alternatives that begin with the same
// byte beyond ASCII. RE2 joins no parts behind an empty group.
#include "regex/rewrite.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

const char surrogates[] = "\\x{d800}-\\x{dfff}";

bool is_letter(uint32_t code)
{
    return code < 0x80 && (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

// Returns the end of the escape that begins at `at`.
size_t escape_end(const std::string &source, size_t at)
{
    const char letter = at + 1 < source.size() ? source[at + 1] : '\0';
    const char after = at + 2 < source.size() ? source[at + 2] : '\0';
    size_t end = std::min(at + 2, source.size());

    if (letter == 'Q') {
        end = source.find("\\E", at + 2);
        return end == std::string::npos ? source.size() : end + 2;
    }
    if (letter == 'x' || letter == 'p' || letter == 'P') {
        if (after == '{' && source.find('}', at) != std::string::npos)
            return source.find('}', at) + 1;
        return std::min(source.size(), at + (letter == 'x' ? 4 : 3));
    }
    while (letter >= '0' && letter <= '7' && end < at + 4 && end < source.size() &&
           source[end] >= '0' && source[end] <= '7')
        end++;
    return end;
}

} // namespace

bool is_class_name(const std::string &source, size_t at)
{
    const size_t end = source.find_first_not_of("^abcdefghijklmnopqrstuvwxyz", at + 2);

    return source.compare(at, 2, "[:") == 0 && end != std::string::npos &&
           source.compare(end, 2, ":]") == 0;
}

size_t item_end(const std::string &source, size_t at, bool bytes)
{
    if (is_class_name(source, at))
        return source.find(":]", at) + 2;
    if (source[at] == '\\')
        return escape_end(source, at);
    for (at++; !bytes && at < source.size() && (static_cast<uint8_t>(source[at]) & 0xc0) == 0x80;)
        at++;
    return at;
}

item read_single(const std::string &text)
{
    static const char letters[] = "aftnrv", controls[] = "\a\f\t\n\r\v";
    const uint8_t first = static_cast<uint8_t>(text[0]);
    const char letter = text.size() > 1 ? text[1] : '\0';
    const char *found = letter != '\0' ? std::strchr(letters, letter) : nullptr;
    uint32_t code = first;

    if (first == '[' && letter != '\0')
        return {0, 0, true};
    if (first != '\\') {
        code &= text.size() > 1 ? 0x7fu >> text.size() : 0xffu;
        for (size_t i = 1; i < text.size(); i++)
            code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
    } else if (found != nullptr) {
        code = static_cast<uint8_t>(controls[found - letters]);
    } else if (letter == 'x') {
        code = static_cast<uint32_t>(
            std::strtoul(text.c_str() + (text.compare(0, 3, "\\x{") == 0 ? 3 : 2), nullptr, 16));
    } else if (letter >= '0' && letter <= '7') {
        code = static_cast<uint32_t>(std::strtoul(text.c_str() + 1, nullptr, 8));
    } else {
        code = static_cast<uint8_t>(letter);
    }
    return {code, code,
            first == '\\' && letter != '\0' && std::strchr("dDpPsSwW", letter) != nullptr};
}

void put_utf8(std::string *into, uint32_t rune)
{
    const int more = rune < 0x80 ? 0 : rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const uint32_t marks[] = {0, 0xc0, 0xe0, 0xf0};

    *into += static_cast<char>(marks[more] | rune >> 6 * more);
    for (int i = more; i-- > 0;)
        *into += static_cast<char>(0x80 | (rune >> 6 * i & 0x3f));
}

namespace
{

// Returns the end of the class that begins at `at`; npos: the class is not closed.
size_t class_end(const std::string &source, size_t at)
{
    const size_t first = at + (source.compare(at, 2, "[^") == 0 ? 2 : 1);

    for (size_t i = first; i < source.size(); i = item_end(source, i, true))
        if (source[i] == ']' && i > first)
            return i + 1;
    return std::string::npos;
}

// Reads the item, or the range, of a class that begins at *at, and moves *at to its end.
item read_item(const std::string &text, size_t *at, bool bytes)
{
    size_t end = item_end(text, *at, bytes);
    item read = read_single(text.substr(*at, end - *at));

    if (!read.is_set && end + 2 < text.size() && text[end] == '-' && text[end + 1] != ']') {
        const size_t from = end + 1;

        end = item_end(text, from, bytes);
        read.to = read_single(text.substr(from, end - from)).to;
    }
    *at = end;
    return read;
}

// Appends to a class the other case of the letters between `from` and `to`.
void put_other_case(std::string *into, uint32_t from, uint32_t to)
{
    for (const uint32_t base : {0x41u, 0x61u}) { // A, a
        const uint32_t low = std::max(from, base), high = std::min(to, base + 25);

        if (low <= high)
            *into += {static_cast<char>(low ^ 0x20), '-', static_cast<char>(high ^ 0x20)};
    }
}

// Returns whether the class is a letter in both cases, such as [nN].
bool is_pair(const std::string &part, bool bytes)
{
    uint32_t letter = 0;

    for (size_t at = 1; at + 1 < part.size();) {
        const item read = read_item(part, &at, bytes);

        if (read.is_set || read.from != read.to || !is_letter(read.from) ||
            (letter != 0 && letter != (read.from | 0x20)))
            return false;
        letter = read.from | 0x20;
    }
    return true;
}

// Returns the set as a class that lacks the characters of the set \p{X}, \d, [:alpha:]...; empty:
// the set is not of the form \P{X}, \D or [:^alpha:].
std::string without(std::string set)
{
    const size_t caret = set[0] == '['                                                    ? 2
                         : set.compare(0, 2, "\\p") == 0 || set.compare(0, 2, "\\P") == 0 ? 3
                                                                                          : 0;
    bool negated = set[0] == '\\' && std::strchr("DPSW", set[1]) != nullptr;

    if (set[0] == '\\')
        set[1] |= 0x20;
    if (caret > 0 && caret < set.size() && set[caret] == '^') {
        set.erase(caret, 1);
        negated = !negated;
    }
    return negated ? "[^" + (surrogates + set) + "]" : "";
}

// Returns the class without the characters between U+D800 and U+DFFF, as an expression.
std::string class_of_characters(const std::string &part)
{
    std::string kept = "[", more;

    if (part[1] == '^')
        return "[^" + (surrogates + ((part[2] == ']' ? "\\" : "") + part.substr(2)));
    for (size_t at = 1, from = 1; at + 1 < part.size(); from = at) {
        const item read = read_item(part, &at, false);
        const std::string text = part.substr(from, at - from);
        const std::string other = read.is_set ? without(text) : "";

        if (text == "\\pC" || text == "\\p{C}")
            kept += "\\p{Cc}\\p{Cf}\\p{Co}";
        else if (!other.empty())
            more += "|" + other;
        else if (!read.is_set && read.from < 0xd800 && read.to > 0xdfff)
            kept += text.substr(0, item_end(text, 0, false)) + "-\\x{d7ff}\\x{e000}" +
                    text.substr(item_end(text, 0, false));
        else
            kept += text;
    }
    if (more.empty())
        return kept + "]";
    return kept == "[" && more.find('|', 1) == std::string::npos
               ? more.substr(1)
               : "(?:" + (kept == "[" ? more.substr(1) : kept + "]" + more) + ")";
}

// Returns the class, which ignores case, as a class that holds the letters of ASCII in both cases.
std::string class_of_bytes(const std::string &part)
{
    std::string made = part.substr(0, part.size() - 1);

    for (size_t at = part[1] == '^' ? 2 : 1; at + 1 < part.size();) {
        const size_t from = at;
        const item read = read_item(part, &at, true);
        const std::string text = part.substr(from, at - from);

        if (!read.is_set)
            put_other_case(&made, read.from, read.to);
        else if (text == "[:upper:]" || text == "[:lower:]")
            made += "[:alpha:]";
    }
    return "(?-i:" + made + "])";
}

// Returns the expression with escapes in place of \Q...\E.
std::string unquoted(const std::string &source)
{
    std::string made;

    for (size_t i = 0, end; i < source.size(); i = end) {
        end = part_end(source, i);
        if (source.compare(i, 2, "\\Q") != 0) {
            made.append(source, i, end - i);
            continue;
        }
        const bool closed = end > i + 3 && source.compare(end - 2, 2, "\\E") == 0;
        for (size_t k = i + 2; k < end - (closed ? 2 : 0); k++) {
            made += std::ispunct(static_cast<uint8_t>(source[k])) != 0 ? "\\" : "";
            made += source[k];
        }
    }
    return made;
}

class rewriter
{
  public:
    rewriter(const std::string &text, const regex_options &given)
        : source(unquoted(text)), options(given), alternates(source.find('|') != std::string::npos)
    {
    }

    std::string run()
    {
        walk(false);
        walk(true);
        return std::move(made);
    }

  private:
    struct flags {
        bool fold, dot_all;
    };

    const std::string source;
    const regex_options &options;
    const bool alternates;
    bool folds = false; // some characters ignore case
    bool keeps = false; // some characters do not ignore case
    std::vector<flags> open;
    flags now = {false, false};
    std::string made;

    void walk(bool writes);
    void enter(const std::string &part);
    void put(std::string part);
};

// Reads the parts. writes: `folds` and `keeps` are known.
void rewriter::walk(bool writes)
{
    now = {options.fold, options.dot_all};
    open.clear();
    for (size_t i = 0, end; i < source.size(); i = end) {
        end = part_end(source, i);
        const std::string part = source.substr(i, end - i);

        if (part[0] == '(')
            enter(part);
        if (part[0] == ')' && !open.empty()) {
            now = open.back();
            open.pop_back();
        }
        if (is_letter(static_cast<uint8_t>(part[0])) || part[0] == '[' || part[0] == '\\')
            (now.fold ? folds : keeps) = true;
        if (writes)
            put(part);
    }
}

// Handles the begin of a group, or flags.
void rewriter::enter(const std::string &part)
{
    const bool is_group = part.back() != ')';
    const flags before = now;
    bool on = true;

    if (is_group)
        open.push_back(before);
    for (size_t i = 2; i < part.size() && part[1] == '?' && part[2] != 'P' && part[2] != '<'; i++) {
        if (part[i] == '-')
            on = false;
        else if (part[i] == 'i')
            now.fold = on;
        else if (part[i] == 's')
            now.dot_all = on;
    }
}

// Writes a part.
void rewriter::put(std::string part)
{
    const char letter = part.size() > 1 ? part[1] : '\0';
    const bool high = static_cast<uint8_t>(part[0]) >= 0x80;
    const bool escapes = part[0] == '\\' && (letter == 'x' || (letter >= '0' && letter <= '7'));
    const bool is_class = part[0] == '[' && class_end(part, 0) == part.size();

    if (alternates &&
        ((options.bytes && (high || is_class || escapes)) ||
         (folds && keeps && now.fold &&
          (is_letter(static_cast<uint8_t>(part[0])) || is_class || part[0] == '\\')) ||
         (is_class && !now.fold && is_pair(part, options.bytes))))
        made += "(?:)";
    if (part == "." && !options.bytes)
        part = (now.dot_all ? "[^" : "[^\\n") + (surrogates + std::string("]"));
    else if (options.bytes && now.fold && (high || escapes) && read_single(part).from >= 0x80)
        part = "(?-i:" + part + ")";
    else if (options.bytes)
        part = is_class && now.fold ? class_of_bytes(part) : part;
    else if (is_class ||
             (part[0] == '\\' && std::strchr("pPDSW", letter) != nullptr && letter != '\0'))
        part = class_of_characters(is_class ? part : "[" + part + "]");
    made += part;
}

} // namespace

size_t part_end(const std::string &source, size_t at)
{
    if (source[at] == '\\')
        return escape_end(source, at);
    if (source[at] == '(' && source.compare(at + 1, 1, "?") == 0) {
        const bool named =
            source.compare(at + 2, 2, "P<") == 0 || source.compare(at + 2, 1, "<") == 0;
        const size_t end = named ? source.find('>', at) : source.find_first_not_of("imsU-", at + 2);

        return end == std::string::npos || (!named && source[end] != ':' && source[end] != ')')
                   ? at + 1
                   : end + 1;
    }
    return source[at] != '[' ? at + 1 : std::min(class_end(source, at), source.size());
}

std::string rewrite(const std::string &source, const regex_options &options)
{
    return rewriter(source, options).run();
}
