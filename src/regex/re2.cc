// re2: the functions of re2.h by means of RE2. What RE2 throws is caught here; RE2 logs nothing.
#include "regex/re2.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define PLACES_MAX 100 /* most places that are tried as the begin of a mistake */
/* With so little memory RE2 parses, but makes no program. */
#define MEMORY_TO_PARSE 64
/* The program of such a short expression without counted repetitions is small: a class, which takes
 * 3 bytes at least, takes at most 1,213 instructions of the 349,000 that 16 MiB leave room for. */
#define SMALL_BYTES 600u
/* Memory that a program between word borders may take at least: two classes of all characters that
 * are part of no word take some 4,000 instructions. */
#define BORDERED_BYTES (INT64_C(512) << 10)

struct regex {
    const std::string source;
    const re2::RE2::Options options;
    mutable std::atomic<const re2::RE2 *> program{nullptr};
    mutable std::atomic<const struct regex *> bordered[4] = {}; // 2 * wide + border

    regex(std::string bytes, const re2::RE2::Options &given)
        : source(std::move(bytes)), options(given)
    {
    }
    ~regex()
    {
        delete program.load();
        for (const auto &other : bordered)
            delete other.load();
    }
};

namespace
{

// Returns the program, which the first call compiles. Of several programs that threads compile at
// the same time, one is kept.
const re2::RE2 &program_of(const struct regex *regex)
{
    const re2::RE2 *program = regex->program.load(std::memory_order_acquire);

    if (program == nullptr) {
        auto made = std::make_unique<const re2::RE2>(regex->source, regex->options);

        if (regex->program.compare_exchange_strong(program, made.get()))
            program = made.release();
    }
    return *program;
}

re2::RE2::Options options_of(const regex_options &given)
{
    re2::RE2::Options options;

    options.set_log_errors(false);
    options.set_longest_match(given.longest);
    options.set_case_sensitive(!given.fold);
    options.set_never_nl(given.lines);
    options.set_dot_nl(given.dot_all);
    options.set_max_mem(static_cast<int64_t>(given.memory_bytes));
    if (given.bytes)
        options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return options;
}

// Returns the end of the part that begins at `at`: an escape, \Q...\E, a class, or a byte.
size_t part_end(const re2::StringPiece &source, size_t at)
{
    const auto after = [&](const char *what, size_t from) {
        const size_t found = source.find(what, from);

        return found == re2::StringPiece::npos ? source.size() : found + 2;
    };

    if (source[at] == '\\')
        return source.substr(at, 2) == "\\Q" ? after("\\E", at + 2)
                                             : std::min(at + 2, source.size());
    if (source[at] != '[')
        return at + 1;
    at += source.substr(at, 2) == "[^" ? 2 : 1;
    for (size_t i = at; i < source.size();) {
        if (source[i] == ']' && i > at)
            return i + 1;
        if (source.substr(i, 2) == "[:" && source.find(":]", i + 2) != re2::StringPiece::npos)
            i = after(":]", i + 2);
        else
            i += source[i] == '\\' ? 2 : 1;
    }
    return source.size();
}

// Returns the first ')' without a group to close; if there is none, the begin of the innermost
// group that is not closed.
uint64_t place_of_paren(const re2::StringPiece &source)
{
    std::vector<uint64_t> open;

    for (size_t i = 0; i < source.size(); i = part_end(source, i)) {
        if (source[i] == '(') {
            open.push_back(i);
        } else if (source[i] == ')') {
            if (open.empty())
                return i;
            open.pop_back();
        }
    }
    return open.empty() ? 0 : open.back();
}

// Returns where the mistake begins. RE2 names only the bytes of the faulty part, and equal bytes
// may occur earlier without a mistake. So the mistake lies in the first occurrence of these bytes
// with which the expression, cut after the occurrence, has this mistake. Only PLACES_MAX
// occurrences are tried; if all of these lack the mistake, the last occurrence is returned.
uint64_t place_of(const re2::RE2 &re, const re2::StringPiece &source, re2::RE2::Options options)
{
    const std::string &part = re.error_arg();
    const re2::RE2::ErrorCode code = re.error_code();
    size_t at = 0;

    if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen)
        return place_of_paren(source);
    if (code == re2::RE2::ErrorTrailingBackslash)
        return source.empty() ? 0 : source.size() - 1;
    if (part.empty())
        return 0;
    options.set_max_mem(MEMORY_TO_PARSE);
    for (int tries = 0; tries < PLACES_MAX; tries++, at++) {
        at = source.find(part, at);
        if (at == re2::StringPiece::npos)
            break;
        if (at + part.size() == source.size() ||
            re2::RE2(source.substr(0, at + part.size()), options).error_code() == code)
            return at;
    }
    at = source.rfind(part);
    return at == re2::StringPiece::npos ? 0 : at;
}

// Writes "(?:)", which changes no meaning, before each part that may be a byte beyond ASCII. Where
// each byte is a character, RE2 of 2023 misreads alternatives that begin with the same byte beyond
// ASCII, because RE2 factors out their common begin. Behind an empty group, RE2 looks for no common
// begin.
std::string keep_apart(const re2::StringPiece &source)
{
    std::string made;

    for (size_t i = 0, end; i < source.size(); i = end) {
        const char next = i + 1 < source.size() ? source[i + 1] : '\0';

        end = part_end(source, i);
        if (source[i] == '\\' && next == 'Q') {
            const size_t last = source.substr(end - 2, 2) == "\\E" && end > i + 3 ? end - 2 : end;

            for (size_t k = i + 2; k < last; k++)
                made += "(?:)" + re2::RE2::QuoteMeta(source.substr(k, 1));
            continue;
        }
        if (static_cast<uint8_t>(source[i]) >= 0x80 || source[i] == '[' ||
            (source[i] == '\\' && (next == 'x' || (next >= '0' && next <= '7'))))
            made += "(?:)";
        made.append(source.data() + i, end - i);
    }
    return made;
}

// Fills *fault with RE2's description of a mistake, in trawl's words, and with the byte of the
// expression at which the mistake begins.
void explain(const re2::RE2 &re, regex_fault *fault)
{
    const std::string &part = re.error_arg();
    const char *what = nullptr;

    if (re.error_code() == re2::RE2::ErrorBadEscape && part.size() == 2 && part[1] >= '1' &&
        part[1] <= '9')
        what = "backreference";
    else if (re.error_code() == re2::RE2::ErrorBadPerlOp &&
             (part.compare(0, 3, "(?=") == 0 || part.compare(0, 3, "(?!") == 0 ||
              part.compare(0, 3, "(?<") == 0))
        what = "look-around";
    if (what != nullptr)
        std::snprintf(fault->message, sizeof fault->message,
                      "%s %.20s: trawl has none, because it searches in linear time; grep -P and "
                      "rg -P have",
                      what, part.c_str());
    else
        std::snprintf(fault->message, sizeof fault->message, "%.150s", re.error().c_str());
}

// Returns whether the expression has no mistake, and its program is sure to be small. For most of
// Unicode's \w, RE2 parses ASCII's \w: RE2 would sort the same hundreds of ranges for each \w.
bool is_small(const re2::StringPiece &source, re2::RE2::Options options)
{
    static const std::string words = "\\p{L}\\p{Nl}\\p{M}"; // as in translate.c
    std::string parsed(source);

    for (size_t at; (at = parsed.find(words)) != std::string::npos;)
        parsed.replace(at, words.size(), "\\w");
    for (size_t at = source.find('{'); at != re2::StringPiece::npos; at = source.find('{', at + 1))
        if (at + 1 < source.size() && std::isdigit(static_cast<uint8_t>(source[at + 1])) != 0 &&
            (at < 2 || source.substr(at - 2, 2) != "\\x"))
            return false;
    options.set_max_mem(MEMORY_TO_PARSE);
    return source.size() <= SMALL_BYTES &&
           re2::RE2(parsed, options).error_code() == re2::RE2::ErrorPatternTooLarge;
}

enum regex_status compile(const char *bytes, uint64_t count, const regex_options *given,
                          struct regex **out, regex_fault *fault)
{
    try {
        const re2::StringPiece source(bytes, static_cast<size_t>(count));
        const re2::RE2::Options options = options_of(*given);
        const bool apart =
            given->bytes && memchr(bytes, '|', static_cast<size_t>(count)) != nullptr;
        std::unique_ptr<struct regex> made(
            new struct regex(apart ? keep_apart(source) : std::string(source), options));

        const bool later = given->when == REGEX_LATER ||
                           (given->when == REGEX_PARSED && is_small(made->source, options));

        if (apart && !later && !program_of(made.get()).ok())
            made.reset(new struct regex(std::string(source), options)); // for RE2's message
        if (later || program_of(made.get()).ok()) {
            *out = made.release();
            return REGEX_OK;
        }
        const re2::RE2 &re = program_of(made.get());
        const bool large = re.error_code() == re2::RE2::ErrorPatternTooLarge;
        fault->at = large ? 0 : place_of(re, source, options);
        explain(re, fault);
        return large ? REGEX_LARGE : REGEX_SYNTAX;
    } catch (...) {
        return REGEX_MEMORY;
    }
}

void release(struct regex *regex)
{
    delete regex;
}

bool is_ready(const struct regex *regex)
{
    try {
        return regex != nullptr && program_of(regex).ok();
    } catch (...) {
        return false;
    }
}

int match(const struct regex *regex, const uint8_t *text, uint64_t count, uint64_t from,
          uint64_t to, enum regex_anchor anchor, regex_span *spans, uint32_t span_count)
{
    static const re2::RE2::Anchor anchors[] = {re2::RE2::UNANCHORED, re2::RE2::ANCHOR_START,
                                               re2::RE2::ANCHOR_BOTH};

    try {
        const re2::StringPiece piece(reinterpret_cast<const char *>(text),
                                     static_cast<size_t>(count));
        re2::StringPiece few[4];
        std::vector<re2::StringPiece> many;
        re2::StringPiece *found = few;

        if (span_count > 4) {
            many.resize(span_count);
            found = many.data();
        }
        if (!program_of(regex).Match(piece, static_cast<size_t>(from), static_cast<size_t>(to),
                                     anchors[anchor], span_count > 0 ? found : nullptr,
                                     static_cast<int>(span_count)))
            return 0;
        for (uint32_t i = 0; i < span_count; i++) {
            spans[i].begin = spans[i].end = UINT64_MAX;
            if (found[i].data() == nullptr)
                continue;
            spans[i].begin = static_cast<uint64_t>(found[i].data() - piece.data());
            spans[i].end = spans[i].begin + found[i].size();
        }
        return 1;
    } catch (...) {
        return -1;
    }
}

const struct regex *bordered(const struct regex *regex, enum regex_border border,
                             const char *others, bool wide)
{
    std::atomic<const struct regex *> &place = regex->bordered[2 * wide + border];
    const struct regex *made = place.load(std::memory_order_acquire);

    if (made != nullptr)
        return made;
    try {
        const std::string before = border == REGEX_BORDER_AFTER ? others : "";
        re2::RE2::Options options = regex->options;

        options.set_max_mem(std::max(options.max_mem(), BORDERED_BYTES));
        auto one = std::make_unique<const struct regex>(
            before + "(" + regex->source + ")(?:" + others + "|(?m:$))", options);

        if (place.compare_exchange_strong(made, one.get()))
            made = one.release();
        return made;
    } catch (...) {
        return nullptr;
    }
}

uint32_t group_count(const struct regex *regex)
{
    return static_cast<uint32_t>(program_of(regex).NumberOfCapturingGroups());
}

uint32_t group_named(const struct regex *regex, const char *name, uint64_t count)
{
    try {
        const std::map<std::string, int> &names = program_of(regex).NamedCapturingGroups();
        const auto found = names.find(std::string(name, static_cast<size_t>(count)));

        return found == names.end() ? 0 : static_cast<uint32_t>(found->second);
    } catch (...) {
        return 0;
    }
}

// ---- Case of atoms -----------------------------------------------------------------------------

// Appends the character in UTF-8.
void put_utf8(std::string *into, uint32_t rune)
{
    const int more = rune < 0x80 ? 0 : rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const uint32_t marks[] = {0, 0xc0, 0xe0, 0xf0};

    *into += static_cast<char>(marks[more] | rune >> 6 * more);
    for (int i = more; i-- > 0;)
        *into += static_cast<char>(0x80 | (rune >> 6 * i & 0x3f));
}

// All letters with case, in UTF-8, and the character at each offset.
struct letters {
    std::string text;
    std::vector<uint32_t> runes;
};

const letters &all_letters()
{
    // The blocks of Unicode that hold letters with case.
    static const uint32_t blocks[][2] = {{0x41, 0x80},       {0xa0, 0x600},      {0x10a0, 0x1100},
                                         {0x13a0, 0x1400},   {0x1c80, 0x1cc0},   {0x1d00, 0x2000},
                                         {0x2100, 0x21a0},   {0x24a0, 0x2500},   {0x2c00, 0x2e00},
                                         {0xa640, 0xa800},   {0xab20, 0xabc0},   {0xff00, 0xff80},
                                         {0x10400, 0x10600}, {0x10c80, 0x10d20}, {0x118a0, 0x118e0},
                                         {0x16e40, 0x16e80}, {0x1e900, 0x1e960}};
    static const letters all = [] {
        letters made;

        for (const auto &block : blocks)
            for (uint32_t rune = block[0]; rune < block[1]; rune++) {
                made.runes.resize(made.text.size() + 1);
                made.runes.back() = rune;
                put_utf8(&made.text, rune);
            }
        return made;
    }();

    return all;
}

// Returns the letters that match the character where RE2 ignores case.
std::vector<uint32_t> cases_of(uint32_t rune)
{
    const letters &all = all_letters();
    std::vector<uint32_t> cases;
    re2::RE2::Options options;
    re2::StringPiece found;
    std::string source;
    size_t at = 0;

    options.set_log_errors(false);
    options.set_case_sensitive(false);
    put_utf8(&source, rune);
    const re2::RE2 re(re2::RE2::QuoteMeta(source), options);
    while (re.ok() && re.Match(all.text, at, all.text.size(), re2::RE2::UNANCHORED, &found, 1)) {
        at = static_cast<size_t>(found.data() - all.text.data());
        cases.push_back(all.runes[at]);
        at += found.size();
    }
    return cases;
}

// Implements regex_ops.variants.
uint32_t variants(void *context, uint32_t code_point, uint32_t out[8])
{
    static std::mutex lock;
    static std::map<uint32_t, std::vector<uint32_t>> known;
    uint32_t count = 0;

    (void)context;
    out[count++] = code_point;
    try {
        const std::lock_guard<std::mutex> guard(lock);

        if (known.find(code_point) == known.end())
            known[code_point] = cases_of(code_point);
        for (const uint32_t other : known[code_point])
            if (other != code_point && count < 8)
                out[count++] = other;
    } catch (...) {
        return count;
    }
    return count;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const struct regex_ops trawl_regex_ops = {
    REGEX_VERSION, compile, release, is_ready, match, bordered, group_count, group_named, variants};
