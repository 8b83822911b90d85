// rewrite: writes an expression anew, so that RE2 reads what trawl means (rewrite.h).
//
// Some changes avoid faults of RE2, which joins alternatives of single characters to a set. Up to
// version 2023-11-01 the set of `n|[nN]` lacks the letter N: `[nN]` is stored as an n that ignores
// case, and the set already holds n. In all versions `[kK]|x` matches the Kelvin sign, for a
// similar reason. If each byte is a character, versions up to 2024-02-01 misread alternatives that
// begin with the same byte beyond ASCII. RE2 does not join parts that follow an empty group, so an
// empty group separates such alternatives.
#include "regex/rewrite.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "regex/class_text.h"
#include "regex/classes.h"

namespace
{

bool is_letter(char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

bool is_in(const char *bytes, char byte)
{
    return byte != '\0' && std::strchr(bytes, byte) != nullptr;
}

// Returns the length of a repetition {n}, {n,} or {n,m} at `at`; 0: the brace stands for itself.
size_t braces_at(const std::string &source, size_t at)
{
    const size_t end = source.find_first_not_of("0123456789,", at + 1);
    const std::string inside = end == std::string::npos ? "" : source.substr(at + 1, end - at - 1);

    return source[at] == '{' && !inside.empty() && inside[0] != ',' && source[end] == '}' &&
                   std::count(inside.begin(), inside.end(), ',') < 2
               ? end + 1 - at
               : 0;
}

bool repeats_at(const std::string &source, size_t at)
{
    return at < source.size() && (is_in("*+?", source[at]) || braces_at(source, at) > 0);
}

class rewriter
{
  public:
    rewriter(const std::string &text, const regex_options &given)
        : source(text), options(given), alternates(text.find('|') != std::string::npos)
    {
    }

    std::string run()
    {
        walk();
        if (alternates && pairs && (others || has_three)) {
            apart = true;
            walk();
        }
        return options.marks == REGEX_MARKED_WORD ? "(?m:^)(?:" + made + ")(?m:$)"
               : options.multi                    ? "(?m)" + made
                                                  : made;
    }

    uint32_t crosses = 0;

  private:
    struct flags {
        bool fold, dot_all;
    };

    const std::string &source;
    const regex_options &options;
    const bool alternates;
    bool pairs = false; // some character is a class of exactly a letter in both cases
    // for RE2, such a letter equals a third character: K the Kelvin sign, S the long s
    bool has_three = false;
    bool others = false; // some other character or class stands where case counts
    bool apart = false;
    const bool keeps_m = options.marks == REGEX_UNMARKED || options.marks == REGEX_MARKED_LINES;
    std::vector<flags> open;
    flags now = {false, false};
    std::string made;

    void walk();
    void enter(const std::string &part);
    void put_edge(char letter);
    void put_character(size_t at, size_t end);
};

void rewriter::walk()
{
    made.clear();
    open.clear();
    now = {options.fold, options.dot_all};
    for (size_t i = 0, end; i < source.size(); i = end) {
        const char letter = i + 1 < source.size() ? source[i + 1] : '\0';

        end = part_end(source, i, options);
        if (source[i] == '(') {
            enter(source.substr(i, end - i));
        } else if (source[i] == '\\' && is_in("bBmMhH", letter)) {
            put_edge(letter);
        } else if ((source[i] == '\\' && is_in("AzC", letter)) || is_in(")|^$", source[i]) ||
                   repeats_at(source, i)) {
            end = std::max(end, i + braces_at(source, i));
            if (source[i] == '\\' || is_in("^$", source[i]))
                crosses |= letter == 'C' && source[i] == '\\' ? 1
                           : options.line_end == '\n'         ? 2
                                                              : 0;
            if (source[i] == ')' && !open.empty()) {
                now = open.back();
                open.pop_back();
            }
            made.append(source, i, end - i);
        } else {
            put_character(i, end);
        }
    }
}

// Writes the begin of a group, or flags. Leaves out the flags i and s, and notes them in `now`.
void rewriter::enter(const std::string &part)
{
    const bool is_group = part.back() != ')';
    std::string on, off = "i";
    bool sets = true;

    if (is_group)
        open.push_back(now);
    if (part.size() < 3 || part[1] != '?' || part[2] == 'P' || part[2] == '<' ||
        part[part.size() - 2] == '-' || std::count(part.begin(), part.end(), '-') > 1) {
        made += part;
        return;
    }
    for (size_t i = 2; i + 1 < part.size(); i++) {
        if (part[i] == '-')
            sets = false;
        else if (part[i] == 'i')
            now.fold = sets;
        else if (part[i] == 's')
            now.dot_all = sets;
        else if (part[i] != 'm' || keeps_m)
            (sets ? on : off) += part[i];
    }
    made += "(?" + on + (is_group && off == "i" ? "" : "-" + off) + part.back();
}

// Writes an edge of a word: RE2's \b or \B, translate's \m or \M, where a word begins or ends, or
// its \h or \H, before or after which no word character stands. Without marks, RE2's \b knows only
// ASCII words, so the expression may match too often. A program that reads marked copies of lines
// then decides (words.h).
void rewriter::put_edge(char letter)
{
    const bool is_marked = options.marks != REGEX_UNMARKED;

    if (letter == 'B' || letter == 'b' || letter == 'm' || letter == 'M')
        made += letter == 'B' ? "\\B" : "\\b";
    if (is_marked && (letter == 'm' || letter == 'h'))
        made += "(?m:^)";
    else if (is_marked && (letter == 'M' || letter == 'H'))
        made += "(?m:$)";
    else if (letter == 'h' || letter == 'H')
        made += "(?:)";
}

// Returns whether the set is a letter in both cases, and no other character.
bool is_pair(const chars &of)
{
    return of.own.size() == 2 && !of.negated && of.names.empty() && of.others.empty() &&
           of.own[0].first < 0x80 && is_letter(static_cast<char>(of.own[0].first)) &&
           of.own[0].first == of.own[0].second && of.own[1].first == of.own[1].second &&
           (of.own[0].first ^ 0x20) == of.own[1].first;
}

// Writes the character, class or escape source[at, end).
void rewriter::put_character(size_t at, size_t end)
{
    const bool is_class = source[at] == '[', is_marked = options.marks != REGEX_UNMARKED;
    const bool high = static_cast<uint8_t>(source[at]) >= 0x80;
    std::string text = source.substr(at, end - at);
    chars of;

    if (source[at] == '\\' && end > at + 1 && static_cast<uint8_t>(source[at + 1]) >= 0x80) {
        made += text; // RE2 refuses the escape, in any case of letters
        return;
    }
    try {
        regex_options here = options;

        here.dot_all = now.dot_all;
        const written both = write_chars(text, here, now.fold);
        of = both.of;
        here.fold = now.fold;
        if (options.multi && (crosses & 1) == 0)
            for (const auto &each : listed_of(text, here, options.line_end))
                crosses |= each.first <= options.line_end && options.line_end <= each.second;
        text = both.text;
    } catch (const mistake &found) {
        if (!found.what.empty())
            throw mistake{at + found.at, found.what};
        made += text; // a mistake, which RE2 will report
        return;
    }
    pairs |= is_pair(of);
    has_three |= is_pair(of) && is_in("kKsS", static_cast<char>(of.own[0].first));
    others |= !is_pair(of) && !now.fold;
    if ((apart && is_pair(of)) ||
        (alternates && options.bytes && (high || is_class || (source[at] == '\\' && end > at + 2))))
        made += "(?:)";
    made += is_marked && text.size() > 1 && repeats_at(source, end) ? "(?:" + text + ")" : text;
}

} // namespace

size_t part_end(const std::string &source, size_t at, const regex_options &options)
{
    size_t end = at + 1;
    bool is_set;

    if (source[at] == '\\' || source[at] == '[') {
        end = class_part_length(source.data() + at, source.size() - at, options.ripgrep, &is_set);
        return end == 0 ? source.size() : at + end;
    }
    if (source[at] == '(' && source.compare(at + 1, 1, "?") == 0) {
        const bool named =
            source.compare(at + 2, 2, "P<") == 0 || source.compare(at + 2, 1, "<") == 0;

        end = named ? source.find('>', at) : source.find_first_not_of("imsU-", at + 2);
        return end == std::string::npos || (!named && source[end] != ':' && source[end] != ')')
                   ? at + 1
                   : end + 1;
    }
    while (!options.bytes && static_cast<uint8_t>(source[at]) >= 0xc0 && end < source.size() &&
           (static_cast<uint8_t>(source[end]) & 0xc0) == 0x80)
        end++;
    return end;
}

std::string rewrite(const std::string &source, const regex_options &options, uint32_t *crosses)
{
    rewriter writer(source, options);
    const std::string written = writer.run();

    if (crosses != nullptr)
        *crosses = options.multi ? writer.crosses : 0;
    return written;
}

std::string for_message(std::string source, const regex_options &options)
{
    for (size_t i = 0, end; i < source.size(); i = end) {
        bool is_set = false;

        end = part_end(source, i, options);
        if (source[i] == '[' && options.ripgrep)
            (void)class_length(source.data() + i, source.size() - i, true, &is_set);
        if (is_set)
            std::fill(source.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      source.begin() + static_cast<std::ptrdiff_t>(end) - 1, 'a');
        else if (source[i] == '\\' && end == i + 2 && is_in("mMhH", source[i + 1]))
            source[i + 1] = 'b';
        else if (source[i] == '\\' && end > i + 3 && is_in("pP", source[i + 1]))
            try {
                (void)listed_of(source.substr(i, end - i), options, 0x7f);
                std::fill(source.begin() + static_cast<std::ptrdiff_t>(i),
                          source.begin() + static_cast<std::ptrdiff_t>(end), 'a');
            } catch (const mistake &) { // an unknown property, which RE2 will report
            }
    }
    return source;
}
