// re2: implements re2.h's table of functions with the library RE2. Exceptions are caught here, and
// RE2 is told to log nothing.
#include "regex/re2.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

/* RE2 locks its program during each match; with 16 threads, a copy for each is 1.7 to 4 times as
 * fast. So a thread that has used a program COPY_AFTER times gets a
 * copy, if another thread has used it as often. Larger programs are not copied, because that takes
 * as long as compiling. */
#define COPY_AFTER 4096u
#define COPY_INSTRUCTIONS_MAX 32768

// A copy of a program. All copies of a program form a chain; threads add copies at its start.
struct copy {
    const re2::RE2 program;
    const copy *next;
};

// Serial number of the program made last; the first program has number 1.
static std::atomic<uint64_t> programs_made{0};

struct regex {
    const re2::RE2 program;
    const bool is_copied;
    const uint64_t serial = ++programs_made;
    mutable std::atomic<uint64_t> often{0}; // how many threads have used the program often
    mutable std::atomic<const copy *> copies{nullptr};

    regex(const re2::StringPiece &text, const re2::RE2::Options &by, const regex_options &given)
        : program(text, by), is_copied(given.is_copied)
    {
    }
    ~regex()
    {
        for (const copy *one = copies.load(), *next; one != nullptr; one = next) {
            next = one->next;
            delete one;
        }
    }
};

namespace
{

// RE2 uses std::call_once, so exceptions in it pass through pthread_once. glibc then loads
// libgcc_s, and ends the process if memory is lacking. So libgcc_s is loaded with this library.
__attribute__((constructor)) void load_unwinder() noexcept
{
    std::once_flag once;

    try {
        std::call_once(once, [] { throw 0; });
    } catch (...) {
        return;
    }
}

// Returns the program, or a copy, for a thread that has used it often. The first such thread keeps
// the program itself, and so do all threads if the program is large (COPY_INSTRUCTIONS_MAX). Other
// threads get copies, up to one for each core, and beyond that
// share these copies.
const re2::RE2 *copy_of(const struct regex *regex)
{
    const re2::RE2 &program = regex->program;
    const uint64_t index = regex->often++,
                   cores = std::max(1u, std::thread::hardware_concurrency());
    const copy *kept = regex->copies.load(std::memory_order_acquire);

    if (index == 0 || program.ProgramSize() > COPY_INSTRUCTIONS_MAX)
        return &program;
    if (index < cores) {
        auto *made = new copy{{program.pattern(), program.options()}, kept};

        while (!regex->copies.compare_exchange_weak(made->next, made))
            continue;
        return &made->program;
    }
    for (uint64_t i = index % cores; i > 0 && kept != nullptr && kept->next != nullptr; i--)
        kept = kept->next;
    return kept != nullptr ? &kept->program : &program;
}

// Returns the program, or the copy of it, that the calling thread uses. A thread remembers the
// programs that it used last. Serial numbers are never reused, so a thread cannot mistake a new
// program for one that was freed.
const re2::RE2 &program_here(const struct regex *regex)
{
    static thread_local __attribute__((tls_model("initial-exec"))) struct {
        uint64_t serial, calls;
        const re2::RE2 *program;
    } asked[16];
    auto &here = asked[regex->serial % 16];

    if (here.serial != regex->serial)
        here = {regex->serial, 0, &regex->program};
    if (++here.calls == COPY_AFTER && regex->is_copied)
        here.program = copy_of(regex);
    return *here.program;
}

re2::RE2::Options options_of(const regex_options &given)
{
    re2::RE2::Options options;

    options.set_log_errors(false);
    options.set_longest_match(given.longest);
    options.set_dot_nl(given.dot_all);
    options.set_max_mem(static_cast<int64_t>(given.memory_bytes));
    if (given.bytes)
        options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return options;
}

enum trawl_status compile(const char *text, uint64_t count, const regex_options *given,
                          struct regex **out, char message[REGEX_MESSAGE_BYTES])
{
    try {
        auto made = std::make_unique<struct regex>(
            re2::StringPiece(text, static_cast<size_t>(count)), options_of(*given), *given);

        if (made->program.ok()) {
            *out = made.release();
            return TRAWL_OK;
        }
        if (made->program.error_code() == re2::RE2::ErrorPatternTooLarge)
            return TRAWL_LIMIT;
        std::snprintf(message, REGEX_MESSAGE_BYTES, "%s: %s", made->program.error().c_str(),
                      made->program.error_arg().c_str());
        return TRAWL_ARGUMENT;
    } catch (...) {
        return TRAWL_MEMORY;
    }
}

void release(struct regex *regex)
{
    delete regex;
}

int match(const struct regex *regex, const uint8_t *text, uint64_t count, uint64_t from,
          uint64_t to, enum regex_anchor anchor, regex_span *span)
{
    static const re2::RE2::Anchor anchors[] = {re2::RE2::UNANCHORED, re2::RE2::ANCHOR_START,
                                               re2::RE2::ANCHOR_BOTH};

    try {
        const re2::StringPiece piece(reinterpret_cast<const char *>(text),
                                     static_cast<size_t>(count));
        re2::StringPiece found;

        if (!program_here(regex).Match(piece, static_cast<size_t>(from), static_cast<size_t>(to),
                                       anchors[anchor], span != nullptr ? &found : nullptr,
                                       span != nullptr ? 1 : 0))
            return 0;
        if (span != nullptr) {
            span->begin = static_cast<uint64_t>(found.data() - piece.data());
            span->end = span->begin + found.size();
        }
        return 1;
    } catch (...) {
        return -1;
    }
}

} // namespace

extern "C" __attribute__((visibility("default")))
const struct regex_ops trawl_regex_ops = {REGEX_VERSION, compile, release, match};
