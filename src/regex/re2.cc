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
#include "regex/syntax/print_re2.h"

/* With this little memory, RE2 checks an expression but makes no program. */
#define MEMORY_TO_PARSE 64
/* An expression with at most this many nodes and classes, without counted repetitions, has a small
 * program: a class takes at most 1,213 instructions, and 16 MiB have room for 349,000. */
#define SMALL_NODES 600u
#define SMALL_SETS 200u
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
    const regex_options given;
    const uint64_t serial = ++programs_made;
    quick_sequence sequence; // from which `fast` is made
    mutable std::atomic<const re2::RE2 *> program{nullptr};
    mutable std::atomic<uint64_t> often{0}; // number of threads that have asked often
    mutable std::atomic<const copy *> copies{nullptr};
    // the fast matcher; `slow` says that there is none
    mutable std::atomic<const quick *> fast{nullptr};

    regex(std::string bytes, const re2::RE2::Options &by, const regex_options &asked)
        : source(std::move(bytes)), options(by), given(asked)
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
        auto made = quick::make(regex->sequence, regex->given);
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

    if (!regex->given.is_list && (index == 0 || program.ProgramSize() > COPY_INSTRUCTIONS_MAX))
        return &program;
    if (index < cores) {
        re2::RE2::Options options = regex->options;

        options.set_max_mem(options.max_mem() * (regex->given.is_list ? STATES_SHARE : 1));
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
    auto &here = asked[regex->given.is_list ? 16 : regex->serial % 16];

    if (here.serial != regex->serial)
        here = {regex->serial, 0, &program_of(regex)};
    if (++here.calls == (regex->given.is_list ? LIST_COPY_AFTER : COPY_AFTER) &&
        regex->given.is_copied)
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

// Returns true if RE2 finds no mistake in an expression.
bool parses(const std::string &text, re2::RE2::Options options)
{
    options.set_max_mem(MEMORY_TO_PARSE);
    return re2::RE2(text, options).error_code() == re2::RE2::ErrorPatternTooLarge;
}

// Returns true if the expression is free of mistakes, and its program is sure to be small.
bool is_small(const syntax_node &root, const printed &of, const regex_options &given)
{
    const std::string kind = given.bytes ? "b" : "u";

    return root.size <= SMALL_NODES && of.sets <= SMALL_SETS && !of.has_counts &&
           std::all_of(of.doubts.begin(), of.doubts.end(), [&](const printed::doubt &each) {
               return remembered(each.text + kind,
                                 [&] { return parses(each.text, options_of(given)); });
           });
}

// Returns the mistake that RE2 finds in `text`, which stands for the node.
mistake mistake_of(const syntax_node &node, const std::string &text, const regex_options &options)
{
    const re2::RE2 re(text, options_of(options));
    const std::string &part = re.error_arg(), &whole = re.error();
    const size_t at = node.is_compact ? 0 : std::string(node.bytes, node.bytes_count).find(part);
    const bool is_name = part.compare(0, 2, "[:") == 0 || part.compare(0, 2, "\\p") == 0 ||
                         part.compare(0, 2, "\\P") == 0;
    // RE2 would quote the whole text
    const size_t end = node.kind == SYNTAX_GROUP ? whole.find(": ") : std::string::npos;

    return {node.from + (at == std::string::npos ? 0 : at),
            is_name   ? "unknown class or property: " + part.substr(0, 100)
            : re.ok() ? "a class that RE2 does not know"
                      : whole.substr(0, std::min<size_t>(end, 150))};
}

// Returns the mistake for which RE2 refuses the expression: among what only RE2 knows.
mistake found_by_re2(const syntax_node &root, const printed &of, const regex_options &given)
{
    for (const printed::doubt &each : of.doubts)
        if (!parses(each.text, options_of(given)))
            return mistake_of(*each.node, each.text, given);
    return {root.from, "RE2 does not know this syntax"};
}

enum regex_status compile(const struct syntax_node *root, const regex_options *given,
                          struct regex **out, regex_fault *fault)
{
    try {
        const printed of = print_re2(*root, *given);
        auto made = std::make_unique<struct regex>(of.text, options_of(*given), *given);

        if (!made->sequence.read(*root, *given)) {
            made->sequence = {};
            made->fast = &slow;
        }
        if (given->when == REGEX_LATER ||
            (given->when == REGEX_PARSED && is_small(*root, of, *given)) ||
            program_of(made.get()).ok()) {
            *out = made.release();
            return REGEX_OK;
        }
        if (program_of(made.get()).error_code() == re2::RE2::ErrorPatternTooLarge)
            return REGEX_LARGE;
        throw found_by_re2(*root, of, *given);
    } catch (const mistake &found) {
        const mistake known =
            found.what.empty() ? mistake_of(*found.node, part_of(*found.node), *given) : found;

        fault->at = known.at;
        std::snprintf(fault->message, sizeof fault->message, "%s", known.what.c_str());
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

uint32_t list(const struct syntax_node *node, const regex_options *options, uint32_t first,
              uint32_t last, regex_range *out, uint32_t room)
{
    try {
        const ranges made = listed_of(part_of(*node), *options, last, first);

        for (size_t i = 0; i < made.size() && i < room; i++)
            out[i] = {made[i].first, made[i].second};
        return made.size() <= room ? static_cast<uint32_t>(made.size()) : UINT32_MAX;
    } catch (...) {
        return UINT32_MAX;
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

} // namespace

extern "C" __attribute__((visibility("default"))) const struct regex_ops trawl_regex_ops = {
    REGEX_VERSION, compile, release, is_ready, is_quick, match, list, group_count, group_named};
