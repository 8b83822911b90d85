// re2: implements the table of functions of re2.h by the library RE2. Exceptions are caught here,
// and RE2 is told to log nothing.
#include "regex/re2.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "regex/classes.h"
#include "regex/quick.h"
#include "regex/rewrite.h"

#define PLACES_MAX 100 /* the most places that are tried as the begin of a mistake */
/* With this little memory, RE2 checks an expression but makes no program. */
#define MEMORY_TO_PARSE 64
/* An expression of at most this many bytes, without counted repetitions, has a small program: a
 * class takes at least 3 bytes of the expression and at most 1,213 instructions, and 16 MiB have
 * room for 349,000. */
#define SMALL_BYTES 600u
/* Each match takes a lock of RE2's program, and 16 threads that share a lock search 1.7 to 4 times
 * faster with copies of the program. So a thread that has asked a program COPY_AFTER times gets a
 * copy, if a different thread has asked as often before. Larger programs are not copied, because
 * making a copy takes as long as compiling. */
#define COPY_AFTER 4096u
#define COPY_INSTRUCTIONS_MAX 32768
/* A list is a program of many expressions. Its automaton has a state for each set of places in
 * these expressions, and RE2 takes long to make the states again that it had to forget. So a thread
 * that has asked a list LIST_COPY_AFTER times gets a copy, which may take STATES_SHARE times as
 * much memory. There is at most a copy for each core. */
#define LIST_COPY_AFTER 1024u
#define STATES_SHARE 16

// A copy of a program. All copies of a program form a chain, at whose begin threads add copies.
struct copy {
    const re2::RE2 program;
    const copy *next;
};

// Serial number of the program that was made last; the first program has 1.
static std::atomic<uint64_t> programs_made{0};

static const quick slow;

struct regex {
    const std::string source;
    const re2::RE2::Options options;
    const uint64_t serial = ++programs_made;
    const bool is_copied; // threads that ask often get copies of the program
    const bool is_list;   // copies have more memory for the automaton (STATES_SHARE)
    const bool is_marked; // the program reads texts with marks (words.h)
    const uint32_t crosses;
    mutable std::atomic<const re2::RE2 *> program{nullptr};
    mutable std::atomic<uint64_t> often{0}; // number of threads that have asked often
    mutable std::atomic<const copy *> copies{nullptr};
    // the fast matcher; `slow` says that there is none
    mutable std::atomic<const quick *> fast{nullptr};

    regex(std::string bytes, const re2::RE2::Options &given, bool copied, bool list, bool marked,
          uint32_t crosses_lines)
        : source(std::move(bytes)), options(given), is_copied(copied), is_list(list),
          is_marked(marked), crosses(crosses_lines)
    {
    }
    ~regex()
    {
        delete program.load();
        if (fast.load() != &slow)
            delete fast.load();
        for (const copy *one = copies.load(), *next; one != nullptr; one = next) {
            next = one->next;
            delete one;
        }
    }
};

namespace
{

// Returns the program. The first call compiles the program. If several threads compile at the same
// time, one program is kept.
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

// Returns the fast matcher, which the first call looks for; NULL: the expression has none.
const quick *quick_of(const struct regex *regex)
{
    const quick *fast = regex->fast.load(std::memory_order_acquire);

    if (fast == nullptr) {
        auto made =
            regex->is_marked
                ? nullptr
                : quick::make(regex->source,
                              regex->options.encoding() == re2::RE2::Options::EncodingLatin1,
                              regex->options.never_nl());
        const quick *own = made != nullptr ? made.get() : &slow;

        if (regex->fast.compare_exchange_strong(fast, own)) {
            fast = own;
            (void)made.release();
        }
    }
    return fast != &slow ? fast : nullptr;
}

// Returns the program, or a copy, for a thread that has asked often. The first such thread keeps
// the program itself, and all threads keep a large program (COPY_INSTRUCTIONS_MAX), unless the
// program is a list of expressions. Other threads get copies, up to one for each core; further
// threads share these copies.
const re2::RE2 *copy_of(const struct regex *regex)
{
    const re2::RE2 &program = program_of(regex);
    const uint64_t index = regex->often++,
                   cores = std::max(1u, std::thread::hardware_concurrency());
    const copy *kept = regex->copies.load(std::memory_order_acquire);

    if (!regex->is_list && (index == 0 || program.ProgramSize() > COPY_INSTRUCTIONS_MAX))
        return &program;
    if (index < cores) {
        re2::RE2::Options options = regex->options;

        options.set_max_mem(options.max_mem() * (regex->is_list ? STATES_SHARE : 1));
        auto *made = new copy{{regex->source, options}, kept};

        while (!regex->copies.compare_exchange_weak(made->next, made))
            continue;
        return &made->program;
    }
    for (uint64_t i = index % cores; i > 0 && kept != nullptr && kept->next != nullptr; i--)
        kept = kept->next;
    return kept != nullptr ? &kept->program : &program;
}

// Returns the program, or the copy, that the calling thread uses. A thread remembers the programs
// that it asked last. A serial number is never used again, so a thread cannot take a new program
// for one that was freed.
const re2::RE2 &program_here(const struct regex *regex)
{
    static thread_local __attribute__((tls_model("initial-exec"))) struct {
        uint64_t serial, calls;
        const re2::RE2 *program;
    } asked[17];
    auto &here = asked[regex->is_list ? 16 : regex->serial % 16];

    if (here.serial != regex->serial)
        here = {regex->serial, 0, &program_of(regex)};
    if (++here.calls == (regex->is_list ? LIST_COPY_AFTER : COPY_AFTER) && regex->is_copied)
        here.program = copy_of(regex);
    return *here.program;
}

re2::RE2::Options options_of(const regex_options &given)
{
    re2::RE2::Options options;

    options.set_log_errors(false);
    options.set_longest_match(given.longest);
    options.set_never_nl(given.lines);
    options.set_dot_nl(given.dot_all);
    options.set_max_mem(static_cast<int64_t>(given.memory_bytes));
    if (given.bytes)
        options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return options;
}

// Returns the position of the first ')' that closes no group. If there is none, returns the begin
// of the innermost group that is not closed.
uint64_t place_of_paren(const std::string &source, const regex_options &given)
{
    std::vector<uint64_t> open;

    for (size_t i = 0, end; i < source.size(); i = end) {
        end = part_end(source, i, given);
        if (source[i] == '(' && source[end - 1] != ')') {
            open.push_back(i);
        } else if (source[i] == ')') {
            if (open.empty())
                return i;
            open.pop_back();
        }
    }
    return open.empty() ? 0 : open.back();
}

// Returns where the mistake begins. RE2 names only the faulty part, and the same bytes may stand
// earlier without a mistake. So this function tries the first PLACES_MAX places with these bytes.
// Returns the first place where the expression, cut off after the bytes, has the same mistake, or
// else the last place.
uint64_t place_of(const re2::RE2 &re, const std::string &source, const regex_options &given)
{
    re2::RE2::Options options = re.options();
    const std::string &part = re.error_arg();
    const re2::RE2::ErrorCode code = re.error_code();
    size_t at = 0;

    if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen)
        return place_of_paren(source, given);
    if (code == re2::RE2::ErrorTrailingBackslash)
        return source.empty() ? 0 : source.size() - 1;
    if (part.empty())
        return 0;
    options.set_max_mem(MEMORY_TO_PARSE);
    for (int tries = 0; tries < PLACES_MAX; tries++, at++) {
        at = source.find(part, at);
        if (at == std::string::npos)
            break;
        if (at + part.size() == source.size() ||
            re2::RE2(source.substr(0, at + part.size()), options).error_code() == code)
            return at;
    }
    at = source.rfind(part);
    return at == std::string::npos ? 0 : at;
}

// Writes a description of the mistake that RE2 found, in trawl's words, to fault->message.
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
    const re2::RE2::ErrorCode code = re.error_code();
    const std::string &whole = re.error();
    const bool quotes =
        code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen ||
        code == re2::RE2::ErrorMissingBracket || code == re2::RE2::ErrorBadNamedCapture;

    if (what != nullptr)
        std::snprintf(fault->message, sizeof fault->message, "%s %.20s: " NO_BACKTRACKING, what,
                      part.c_str());
    else if (re.error_code() == re2::RE2::ErrorRepeatSize)
        std::snprintf(fault->message, sizeof fault->message,
                      "invalid repetition size: %.20s: RE2 allows 1,000 in all, where the numbers "
                      "of repetitions inside each other are multiplied",
                      part.c_str());
    else if (part.compare(0, 2, "[:") == 0 || part.compare(0, 2, "\\p") == 0 ||
             part.compare(0, 2, "\\P") == 0)
        std::snprintf(fault->message, sizeof fault->message, "unknown class or property: %.100s",
                      part.c_str());
    else // RE2 may quote the rewritten expression, which the caller does not know
        std::snprintf(
            fault->message, sizeof fault->message, "%.*s",
            static_cast<int>(quotes ? whole.find(": ") : std::min<size_t>(whole.size(), 150)),
            whole.c_str());
}

// Returns whether the expression is free of mistakes and its program is sure to be small. Each long
// class is replaced by \w for this check, because RE2 would sort the class's hundreds of ranges
// again.
bool is_small(const std::string &source, re2::RE2::Options options, const regex_options &given)
{
    constexpr size_t long_bytes = 64;
    const std::string kind = given.bytes ? "b" : "u";
    regex_options plain = given;
    std::string parsed;
    const auto parses = [&options](const std::string &text) {
        return re2::RE2(text, options).error_code() == re2::RE2::ErrorPatternTooLarge;
    };

    options.set_max_mem(MEMORY_TO_PARSE);
    plain.ripgrep = false;
    for (size_t at = 0, end; at < source.size(); at = end) {
        end = source[at] == '[' ? std::min(source.find(']', at), source.size() - 1) + 1 : at;
        const std::string part = source.substr(at, end - at);

        if (part.size() > long_bytes && remembered(part + kind, [&] { return parses(part); })) {
            parsed += "\\w";
        } else {
            end = part_end(source, at, plain);
            parsed.append(source, at, end - at);
        }
    }
    for (size_t at = source.find('{'); at != re2::StringPiece::npos; at = source.find('{', at + 1))
        if (at + 1 < source.size() && std::isdigit(static_cast<uint8_t>(source[at + 1])) != 0 &&
            (at < 2 || source.compare(at - 2, 2, "\\x") != 0))
            return false;
    return remembered(parsed + kind, [&] { return parses(parsed); });
}

enum regex_status compile(const char *bytes, uint64_t count, const regex_options *given,
                          struct regex **out, regex_fault *fault)
{
    try {
        const std::string source(bytes, static_cast<size_t>(count));
        const re2::RE2::Options options = options_of(*given);
        uint32_t crosses = 0;
        const std::string written = rewrite(source, *given, &crosses);
        auto made =
            std::make_unique<struct regex>(written, options, given->is_copied, given->is_list,
                                           given->marks != REGEX_UNMARKED, crosses);

        if (given->when == REGEX_LATER ||
            (given->when == REGEX_PARSED && count <= SMALL_BYTES &&
             is_small(made->source, options, *given)) ||
            program_of(made.get()).ok()) {
            *out = made.release();
            return REGEX_OK;
        }
        if (program_of(made.get()).error_code() != re2::RE2::ErrorPatternTooLarge)
            made = std::make_unique<struct regex>(for_message(source, *given), options, false,
                                                  false, true, 0);
        const re2::RE2 &re = program_of(made.get());
        if (re.ok() || re.error_code() == re2::RE2::ErrorPatternTooLarge)
            return REGEX_LARGE; // too large, or nested too deeply only with rewrite()'s groups
        fault->at = place_of(re, made->source, *given);
        explain(re, fault);
        return REGEX_SYNTAX;
    } catch (const mistake &found) {
        fault->at = found.at;
        std::snprintf(fault->message, sizeof fault->message, "%s", found.what.c_str());
        return REGEX_SYNTAX;
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

bool is_quick(const struct regex *regex)
{
    try {
        return quick_of(regex) != nullptr;
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
        const quick *fast = quick_of(regex);

        if (fast != nullptr) {
            const int known = fast->match(text, from, to, anchor, spans, span_count);

            if (known >= 0)
                return known;
        }
        const re2::StringPiece piece(reinterpret_cast<const char *>(text),
                                     static_cast<size_t>(count));
        re2::StringPiece few[4];
        std::vector<re2::StringPiece> many;
        re2::StringPiece *found = few;

        if (span_count > 4) {
            many.resize(span_count);
            found = many.data();
        }
        if (!program_here(regex).Match(piece, static_cast<size_t>(from), static_cast<size_t>(to),
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

uint32_t list(const char *bytes, uint64_t count, const regex_options *options, uint32_t first,
              uint32_t last, regex_range *out, uint32_t room)
{
    try {
        const std::string part(bytes, static_cast<size_t>(count));
        const ranges made = listed_of(part, *options, last, first);

        for (size_t i = 0; i < made.size() && i < room; i++)
            out[i] = {made[i].first, made[i].second};
        return made.size() <= room ? static_cast<uint32_t>(made.size()) : UINT32_MAX;
    } catch (...) {
        return UINT32_MAX;
    }
}

uint32_t crosses_lines(const struct regex *regex)
{
    return regex->crosses;
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

} // namespace

extern "C" __attribute__((visibility("default"))) const struct regex_ops trawl_regex_ops = {
    REGEX_VERSION, compile, release,       is_ready,    is_quick,
    match,         list,    crosses_lines, group_count, group_named};
