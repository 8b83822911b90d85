// oracle: random expressions and texts. Every call of the library has to answer what RE2 answers
// when it reads each line alone. With --engine=cuda devices search loaded texts for atoms.
#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

#include "trawl_devices.h"

extern "C" void borders_set(uint64_t seed);
extern "C" void borders_set_part(uint64_t hits);
extern "C" void borders_set_device(uint64_t seed);

namespace
{

using hit = std::tuple<uint64_t, uint64_t, uint64_t>; // begin, pattern, end

uint64_t state;
int failures;
trawl_engine engine = TRAWL_ENGINE_CPU;
uint64_t device_chunks; // chunks in which devices searched for atoms

uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33) % below;
}

template <size_t N> const char *pick(const char *const (&from)[N])
{
    return from[draw(N)];
}

// ---- Cases -------------------------------------------------------------------------------------

// An expression, and a string that it matches, unless a word's edge or a line's edge forbids the
// match. The tables below hold such pairs.
struct drawn {
    std::string expression, sample;
};

drawn itself(const char *text)
{
    return {text, text};
}

drawn random_atom(bool perl)
{
    static const char *const plain[] = {"a",     "b", "c", "A", "B", " ",  "ab", "cab", "bca",
                                        "abcab", "k", "s", "é", "É", "ко", "Ко", "_",   "-"};
    static const char *const both[] = {
        ".",     "-", "[ab]", "b",   "[^a]",        "1",  "[a-c]",        "c", "a.c",   "abc",
        "[éx]",  "é", "\\.",  ".",   "[[:alpha:]]", "b",  "[^[:space:]]", ".", "(^|-)", "-",
        "( |$)", " ", ".*",   "c -", ".+",          " b", "\\b",          "",  "\\b",   "",
        "\\B",   "",  "^",    "",    "$",           ""};
    static const char *const more[] = {
        "\\w", "k", "\\s",   " ", "\\d",   "1", "\\pL", "к",  "(?i:ab)", "aB", "(?:bc|a)", "bc",
        "\\W", "-", "(?i)k", "K", "\\x61", "a", "\\n",  "\n", "[^\\n]",  "b",  ".*?",      "-"};
    const char *const *row = &both[2 * draw(std::size(both) / 2)];

    if (perl && draw(4) == 0)
        row = &more[2 * draw(std::size(more) / 2)];
    else if (draw(2) == 0)
        return itself(pick(plain));
    return {row[0], row[1]};
}

drawn random_expression(bool perl, int depth)
{
    struct repeat {
        const char *sign;
        uint32_t least, most;
    };
    static const repeat repeats[] = {{"*", 0, 3},     {"+", 1, 3},   {"?", 0, 1},
                                     {"{1,2}", 1, 2}, {"{2}", 2, 2}, {"{0,3}", 0, 3}};
    drawn made;
    const uint32_t parts = 1 + draw(4);

    for (uint32_t i = 0; i < parts; i++) {
        drawn part = random_atom(perl);

        if (depth > 0 && draw(4) == 0) {
            part = random_expression(perl, depth - 1);
            part.expression = "(" + part.expression + ")";
        }
        if (draw(5) == 0 && !part.sample.empty() && part.expression != "(?i)k") {
            const repeat &by = repeats[draw(std::size(repeats))];
            const std::string once = part.sample;

            part.expression = "(" + part.expression + ")" + by.sign;
            if (perl && draw(4) == 0)
                part.expression += "?";
            part.sample.clear();
            for (uint32_t times = by.least + draw(by.most - by.least + 1); times > 0; times--)
                part.sample += once;
        }
        made.expression += part.expression;
        made.sample += part.sample;
    }
    if (draw(depth < 2 ? 3 : 6) == 0) {
        const drawn other = random_expression(perl, std::max(depth - 1, 0));

        made.expression += "|" + other.expression;
        if (draw(2) == 0)
            made.sample = other.sample;
    }
    if (draw(8) == 0)
        made.expression = (perl && draw(2) == 0 ? "\\A" : "^") + made.expression;
    if (draw(8) == 0)
        made.expression += perl && draw(2) == 0 ? "\\z" : "$";
    return made;
}

// Pieces and samples, of which some lost a byte.
std::string random_text(uint8_t line_end, const std::vector<std::string> &samples)
{
    static const char *const pieces[] = {
        "a", "b",        "c",  "A",    "B",    "C",     " ",
        "_", "-",        ".",  "ab",   "cab",  "abcab", "é",
        "É", "к",        "Ко", "\xff", "\xc3", "k",     "\xe2\x84\xaa",
        "s", "\xc5\xbf", "\r", "1",    "bca"};
    static const uint32_t sizes[] = {0, 1, 3, 20, 100, 200, 400, 3000};
    std::string text;
    const uint32_t count = draw(50) == 0 ? 40000 : sizes[draw(std::size(sizes))],
                   line = 1 + draw(draw(8) == 0 ? 2000 : 40), sampled = draw(3) == 0 ? 300 : 6;

    for (uint32_t i = 0; i < count; i++)
        if (draw(line) == 0)
            text += draw(3) == 0 ? std::string("\r") + static_cast<char>(line_end)
                                 : std::string(1, static_cast<char>(line_end));
        else if (draw(200) == 0)
            text += draw(2) == 0 ? '\0' : '\n';
        else if (draw(sampled) == 0) {
            std::string sample = samples[draw(static_cast<uint32_t>(samples.size()))];

            if (draw(4) == 0 && !sample.empty())
                sample.erase(draw(static_cast<uint32_t>(sample.size())), 1);
            text += sample;
        } else
            text += pick(pieces);
    return text;
}

struct setup {
    std::vector<std::string> expressions;
    std::vector<std::string> translated; // in RE2's syntax
    std::string text;
    trawl_plan_options options;
};

// ---- What RE2 says -----------------------------------------------------------------------------

bool is_word(const std::string &line, int64_t at)
{
    return at >= 0 && at < static_cast<int64_t>(line.size()) &&
           (std::isalnum(static_cast<unsigned char>(line[static_cast<size_t>(at)])) != 0 ||
            line[static_cast<size_t>(at)] == '_');
}

size_t step(const std::string &line, size_t at, bool characters)
{
    static const char *const any = "(?s)."; // a whole character, or none
    static const re2::RE2 one(any, re2::RE2::Quiet);
    re2::StringPiece found;

    if (characters && at < line.size() &&
        one.Match(line, at, line.size(), re2::RE2::ANCHOR_START, &found, 1))
        return at + found.size();
    return at + 1;
}

// The first match at `from` or later that meets the conditions; false: there is none.
bool next_match(const re2::RE2 &re, const setup &given, const std::string &line, size_t from,
                bool empty, size_t *begin, size_t *end)
{
    const bool characters = given.options.alphabet == TRAWL_CHARACTERS;
    re2::StringPiece found;

    if ((given.options.flags & TRAWL_WHOLE_LINE) != 0) {
        *begin = 0;
        *end = line.size();
        return from == 0 && (empty || !line.empty()) &&
               re.Match(line, 0, line.size(), re2::RE2::ANCHOR_BOTH, nullptr, 0);
    }
    while (from <= line.size()) {
        if (!re.Match(line, from, line.size(), re2::RE2::UNANCHORED, &found, 1))
            return false;
        *begin = static_cast<size_t>(found.data() - line.data());
        *end = *begin + found.size();
        from = step(line, *begin, characters);
        if ((given.options.flags & TRAWL_WHOLE_WORD) == 0) {
            if (empty || *end > *begin)
                return true;
            continue;
        }
        if (is_word(line, static_cast<int64_t>(*begin) - 1))
            continue;
        for (size_t least = *begin + (empty ? 0 : 1), to = *end + 1; to-- > least;)
            if (!is_word(line, static_cast<int64_t>(to)) &&
                re.Match(line, *begin, to, re2::RE2::ANCHOR_BOTH, nullptr, 0)) {
                *end = to;
                return true;
            }
    }
    return false;
}

// begins: of the lines that match; ends: the ends of all lines.
void by_re2(const setup &given, std::vector<hit> *hits, std::vector<uint64_t> *begins,
            std::vector<uint64_t> *ends)
{
    const char line_end =
        static_cast<char>(given.options.line_end_set != 0 ? given.options.line_end : '\n');
    std::vector<std::unique_ptr<re2::RE2>> all;
    re2::RE2::Options options;

    options.set_log_errors(false);
    options.set_longest_match(given.options.syntax != TRAWL_PERL ||
                              (given.options.flags & TRAWL_WHOLE_WORD) != 0);
    options.set_case_sensitive((given.options.flags & TRAWL_IGNORE_CASE) == 0);
    options.set_dot_nl(line_end != '\n');
    if (given.options.alphabet != TRAWL_CHARACTERS)
        options.set_encoding(re2::RE2::Options::EncodingLatin1);
    for (const std::string &expression : given.translated)
        all.emplace_back(new re2::RE2(expression, options));
    for (size_t at = 0; at < given.text.size();) {
        size_t after = at;
        bool matches = false, ended;

        while (after < given.text.size() && given.text[after] != line_end &&
               !(given.options.line_end_also_set != 0 && given.text[after] == '\0'))
            after++;
        ended = after < given.text.size();
        std::string line = given.text.substr(at, after - at);
        if (ended && (given.options.flags & TRAWL_CRLF) != 0 && !line.empty() &&
            line.back() == '\r')
            line.pop_back();
        for (uint32_t i = 0; i < all.size(); i++) {
            size_t begin = 0, end = 0;

            matches |= next_match(*all[i], given, line, 0, true, &begin, &end);
            for (end = 0; next_match(*all[i], given, line, end, false, &begin, &end);)
                hits->emplace_back(at + begin, i, at + end);
        }
        if (matches)
            begins->push_back(at);
        at = after + (ended ? 1 : 0);
        ends->push_back(at);
    }
    std::sort(hits->begin(), hits->end());
}

// ---- What the library says ---------------------------------------------------------------------

int take(void *context, const trawl_match *matches, uint64_t count)
{
    auto *hits = static_cast<std::vector<hit> *>(context);

    for (uint64_t i = 0; i < count; i++)
        hits->emplace_back(matches[i].begin, matches[i].pattern_index, matches[i].end);
    return 0;
}

struct windows {
    std::string text;
    std::vector<hit> hits;
};

int take_window(void *context, const trawl_window *window)
{
    auto *into = static_cast<windows *>(context);

    if (window->begin != into->text.size())
        failures++;
    into->text.append(reinterpret_cast<const char *>(window->bytes), window->bytes_count);
    return take(&into->hits, window->matches, window->match_count);
}

void show(const setup &given, const char *call)
{
    std::printf("FAILED: %s: syntax %d flags 0x%x alphabet %d line end %d also %d, %zu bytes\n",
                call, static_cast<int>(given.options.syntax), given.options.flags,
                static_cast<int>(given.options.alphabet), given.options.line_end,
                given.options.line_end_also_set, given.text.size());
    for (const std::string &expression : given.expressions)
        std::printf("  expression '%s'\n", expression.c_str());
    if (given.text.size() < 100)
        std::printf("  text '%s'\n", given.text.c_str());
    if (++failures > 10)
        std::exit(1);
}

void want(trawl_status status)
{
    if (status != TRAWL_OK)
        std::exit(2);
}

trawl_text *open_text(const setup &given, const char *path, uint32_t kind, int *descriptor)
{
    trawl_text *text = nullptr;
    int ends[2];

    *descriptor = -1;
    if (kind == 0) {
        want(trawl_text_from_memory(given.text.data(), given.text.size(), &text, nullptr));
    } else if (kind == 1) {
        want(trawl_text_open_file(path, &text, nullptr));
    } else if (pipe(ends) == 0) {
        (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        if (write(ends[1], given.text.data(), given.text.size()) !=
            static_cast<ssize_t>(given.text.size()))
            std::exit(2);
        close(ends[1]);
        *descriptor = ends[0];
        want(trawl_text_from_descriptor(ends[0], nullptr, &text, nullptr));
    }
    return text;
}

// The begins of the lines that hold a hit.
std::vector<uint64_t> lines_of(const std::vector<hit> &hits, const std::vector<uint64_t> &ends)
{
    std::vector<uint64_t> begins;

    for (const hit &each : hits) {
        const auto end = std::upper_bound(ends.begin(), ends.end(), std::get<0>(each));
        const uint64_t begin = end == ends.begin() ? 0 : end[-1];

        if (begins.empty() || begins.back() != begin)
            begins.push_back(begin);
    }
    return begins;
}

// The hits without overlap: the longest of the hits that begin first, and so on. Keeps no empty
// hit.
std::vector<hit> spans_of(const std::vector<hit> &hits)
{
    std::vector<hit> spans;
    uint64_t end = 0;

    for (const hit &each : hits) {
        const uint64_t begin = std::get<0>(each);

        if (!spans.empty() && std::get<0>(spans.back()) == begin)
            std::get<2>(spans.back()) = end = std::max(end, std::get<2>(each));
        else if (begin >= end && std::get<2>(each) > begin)
            spans.emplace_back(begin, 0, end = std::get<2>(each));
    }
    return spans;
}

void compare(const setup &given, trawl_searcher *searcher, const trawl_plan *plan, const char *path)
{
    std::vector<hit> wanted, got;
    std::vector<uint64_t> begins, ends;

    by_re2(given, &wanted, &begins, &ends);
    for (uint32_t call = 0; call < 8; call++) {
        const bool loads = engine == TRAWL_ENGINE_CUDA && !given.text.empty();
        const uint32_t kind = loads ? 0 : given.text.size() < 100000 ? draw(3) : draw(2);
        trawl_stats stats = {};
        uint64_t count = 0;
        int descriptor;
        trawl_text *text = open_text(given, path, kind, &descriptor);
        trawl_match first;
        bool found = false;
        windows window;

        got.clear();
        stats.size = sizeof stats;
        if (loads)
            want(trawl_text_load(searcher, text, nullptr));
        if (call == 0) {
            if (trawl_positions(searcher, plan, text, take, &got, nullptr) != TRAWL_OK ||
                got != wanted)
                show(given, "positions");
        } else if (call == 1) {
            if (trawl_count(searcher, plan, text, &count, nullptr) != TRAWL_OK ||
                count != wanted.size())
                show(given, "count");
        } else if (call == 2 || call == 3) {
            if (trawl_count_lines(searcher, plan, text, call == 3, UINT64_MAX, &count, nullptr) !=
                    TRAWL_OK ||
                count != (call == 2 ? begins.size() : ends.size() - begins.size()))
                show(given, call == 2 ? "lines" : "lines without");
        } else if (call == 4) {
            if (trawl_first(searcher, plan, text, &first, &found, nullptr) != TRAWL_OK ||
                found == wanted.empty() ||
                (found && hit(first.begin, first.pattern_index, first.end) != wanted[0]))
                show(given, "first");
        } else {
            static const uint32_t flags[] = {TRAWL_WINDOW_LINE_ENDS, TRAWL_WINDOW_LINES,
                                             TRAWL_WINDOW_SPANS};

            if (trawl_windows(searcher, plan, text, flags[call - 5], take_window, &window,
                              nullptr) != TRAWL_OK ||
                window.text != given.text || (call == 5 && window.hits != wanted) ||
                (call > 5 && lines_of(window.hits, ends) != begins) ||
                (call == 7 && spans_of(window.hits) != spans_of(wanted)))
                show(given, call == 5   ? "windows"
                            : call == 6 ? "windows of lines"
                                        : "windows of spans");
        }
        want(trawl_searcher_stats(searcher, &stats, nullptr));
        device_chunks += stats.device_chunk_count;
        trawl_text_close(text);
        if (descriptor >= 0)
            close(descriptor);
    }
}

int take_record(trawl_searcher *searcher, const trawl_plan *plan, const std::vector<uint64_t> &at,
                const std::string &tape, std::vector<hit> *cells)
{
    trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;
    trawl_matrix_search *matrix = nullptr;
    trawl_matrix_batch batch;

    records.bytes = reinterpret_cast<const uint8_t *>(tape.data());
    records.offsets = at.data();
    records.record_count = at.size() - 1;
    if (trawl_matrix_open(searcher, plan, &records, TRAWL_MATRIX_CELLS, &matrix, nullptr) !=
        TRAWL_OK)
        return 1;
    do {
        std::memset(&batch, 0, sizeof batch);
        batch.size = sizeof batch;
        if (trawl_matrix_next(matrix, &batch, nullptr) != TRAWL_OK)
            return 1;
        for (uint64_t i = 0; i < batch.cell_count; i++)
            cells->emplace_back(batch.cell_records[i], batch.cell_patterns[i],
                                batch.cell_begins[i]);
    } while (!batch.last);
    trawl_matrix_close(matrix);
    return 0;
}

// Records are lines of their own. by_re2 would cut records at line ends, so blanks stand there.
void compare_records(setup given, trawl_searcher *searcher, const trawl_plan *plan)
{
    std::vector<uint64_t> at{0};
    std::vector<hit> cells, wanted;

    for (char &byte : given.text)
        if (byte == static_cast<char>(given.options.line_end) || byte == '\0')
            byte = ' ';

    while (at.back() < given.text.size())
        at.push_back(std::min<uint64_t>(given.text.size(), at.back() + draw(30)));
    for (uint64_t i = 0; i + 1 < at.size(); i++) {
        setup one = given;
        std::vector<hit> hits;
        std::vector<uint64_t> begins, ends;

        one.text = given.text.substr(at[i], at[i + 1] - at[i]);
        by_re2(one, &hits, &begins, &ends);
        for (uint32_t p = 0; p < given.expressions.size(); p++)
            for (const hit &h : hits)
                if (std::get<1>(h) == p) {
                    wanted.emplace_back(i, p, std::get<0>(h));
                    break;
                }
    }
    for (int i = 0; i < 2; i++) { // a worker ends with the last record, and begins with the first
        cells.clear();
        if (take_record(searcher, plan, at, given.text, &cells) != 0 || cells != wanted)
            show(given, i == 0 ? "records" : "records again");
    }
}

// ---- Draws -------------------------------------------------------------------------------------

// RE2 of 2023 overlooks matches where each byte is a character and alternatives begin with the same
// byte beyond ASCII, unless an empty group stands before the byte.
std::string apart(const std::string &expression)
{
    std::string made;
    bool in_class = false;

    for (const char byte : expression) {
        if (!in_class && (byte == '[' || static_cast<unsigned char>(byte) >= 0x80))
            made += "(?:)";
        in_class = byte == '[' || (in_class && byte != ']');
        made += byte;
    }
    return made;
}

setup random_setup()
{
    static const trawl_plan_options defaults = TRAWL_PLAN_OPTIONS_INIT;
    std::vector<std::string> samples;
    setup made;
    const bool perl = draw(3) > 0;
    const uint32_t count = draw(4) > 0 ? 1 : draw(8) > 0 ? 1 + draw(4) : 1 + draw(40);

    made.options = defaults;
    made.options.syntax = perl ? TRAWL_PERL : TRAWL_EXTENDED;
    made.options.flags = (draw(4) == 0 ? TRAWL_IGNORE_CASE : 0u) |
                         (draw(6) == 0 ? TRAWL_WHOLE_WORD : 0u) |
                         (draw(6) == 0 ? TRAWL_WHOLE_LINE : 0u) | (draw(6) == 0 ? TRAWL_CRLF : 0u);
    made.options.alphabet = draw(3) > 0 ? TRAWL_CHARACTERS : TRAWL_BYTES;
    made.options.expression_mib = draw(4) == 0 ? 8 : 0;
    made.options.line_end_set = 1;
    made.options.line_end = draw(6) == 0 ? 0 : '\n';
    made.options.line_end_also_set = static_cast<uint8_t>(draw(3) == 0);
    for (uint32_t i = 0; i < count; i++) {
        const drawn one = random_expression(perl, 2);

        if (re2::RE2(one.expression, re2::RE2::Quiet).ok()) {
            made.expressions.push_back(one.expression);
            made.translated.push_back(
                made.options.alphabet == TRAWL_CHARACTERS ? one.expression : apart(one.expression));
            samples.push_back(one.sample);
        }
    }
    if (!samples.empty())
        made.text = random_text(made.options.line_end, samples);
    return made;
}

// Opens a plan and a searcher for the case, and makes all calls.
void search(const setup &given, trawl_searcher_options options, const char *path)
{
    std::vector<trawl_pattern> patterns;
    trawl_searcher *searcher = nullptr;
    trawl_plan *plan = nullptr;
    trawl_error error;
    FILE *file = std::fopen(path, "wb");

    (void)std::fwrite(given.text.data(), 1, given.text.size(), file);
    (void)std::fclose(file);
    for (const std::string &expression : given.expressions)
        patterns.push_back({expression.data(), expression.size()});
    options.engine = engine;
    if (trawl_plan_build(patterns.data(), patterns.size(), &given.options, &plan, &error) !=
        TRAWL_OK) {
        std::printf("%s\n", error.message);
        show(given, "plan");
        return;
    }
    want(trawl_searcher_open(&options, &searcher, nullptr));
    compare(given, searcher, plan, path);
    if (given.options.line_end == '\n' && given.text.size() < 5000)
        compare_records(given, searcher, plan);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
}

void one_case(const char *path)
{
    static const uint64_t chunks[] = {0, 0, 1, 7, 100, 5000};
    const setup given = random_setup();
    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    if (given.expressions.empty())
        return;
    borders_set(state);
    borders_set_device(state);
    options.threads = 1 + draw(3);
    options.map = draw(2) == 0 ? TRAWL_MAP_ALWAYS : TRAWL_MAP_NEVER;
    options.chunk_bytes = chunks[draw(6)];
    if (options.chunk_bytes == 1 && given.text.size() > 5000)
        options.chunk_bytes = 0;
    search(given, options, path);
}

// ---- Long lines --------------------------------------------------------------------------------

// A result holds `part` hits, and the line has part - 1, part and part + 1 occurrences, and as many
// around twice that number.
void border_cases(const char *path)
{
    static const trawl_plan_options defaults = TRAWL_PLAN_OPTIONS_INIT;
    static const std::vector<std::string> sets[] = {
        {"a[ab]?"}, {"x*b"}, {"ab", "b", "[a-c]b?"}, {"\\w+ ", "a", "^.{5}", "b.a", "[^b]$"}};
    static const uint32_t flags[] = {0, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE, TRAWL_IGNORE_CASE};
    setup given;

    given.options = defaults;
    given.options.syntax = TRAWL_PERL;
    given.options.alphabet = TRAWL_CHARACTERS;
    given.options.line_end_set = 1;
    given.options.line_end = '\n';
    for (const uint64_t part : {1, 2, 7})
        for (uint64_t count = part - 1; count <= 2 * part + 1; count++)
            for (const auto &set : sets)
                for (const uint32_t flag : flags) {
                    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

                    given.expressions = given.translated = set;
                    given.options.flags = flag;
                    given.text = "no\n";
                    for (uint64_t i = 0; i < count; i++)
                        given.text += i % 3 == 1 ? "AB\xff " : "ab ";
                    given.text += draw(2) == 0 ? "-" : "-\nab b";
                    options.threads = 1 + draw(2);
                    options.chunk_bytes = draw(2) == 0 ? 0 : 5;
                    borders_set_part(part);
                    search(given, options, path);
                }
}

std::atomic<uint64_t> live, most;

void *take_memory(void *context, uint64_t bytes, uint64_t alignment)
{
    const uint64_t now = live += bytes;

    (void)context;
    if (now > most)
        most = now;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void give_memory(void *context, void *memory, uint64_t bytes)
{
    (void)context;
    live -= bytes;
    free(memory);
}

int count_matches(void *context, const trawl_match *matches, uint64_t count)
{
    (void)matches;
    *static_cast<uint64_t *>(context) += count;
    return 0;
}

// However many occurrences a line has, their memory is that of a part.
void bounded_memory()
{
    static const trawl_allocator allocator = {nullptr, take_memory, give_memory};
    const trawl_pattern patterns[] = {{"a[ab]?", 6}, {"b", 1}};
    trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    std::string line;

    for (int i = 0; i < 200000; i++)
        line += "ab ";
    trawl_set_allocator(&allocator);
    borders_set_part(500);
    plan_options.syntax = TRAWL_PERL;
    options.engine = TRAWL_ENGINE_CPU;
    for (uint64_t patterns_count : {1, 2}) {
        trawl_plan *plan = nullptr;
        trawl_searcher *searcher = nullptr;
        trawl_text *text = nullptr;
        uint64_t count = 0, listed = 0, base;

        want(trawl_plan_build(patterns, patterns_count, &plan_options, &plan, nullptr));
        want(trawl_searcher_open(&options, &searcher, nullptr));
        want(trawl_text_from_memory(line.data(), line.size(), &text, nullptr));
        most = base = live;
        want(trawl_count(searcher, plan, text, &count, nullptr));
        want(trawl_positions(searcher, plan, text, count_matches, &listed, nullptr));
        if (count != 200000 * patterns_count || listed != count || most - base > 400000) {
            std::printf("FAILED: %llu occurrences, %llu listed, %llu bytes of memory\n",
                        (unsigned long long)count, (unsigned long long)listed,
                        (unsigned long long)(most - base));
            failures++;
        }
        trawl_text_close(text);
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
    }
    trawl_set_allocator(nullptr);
}

} // namespace

int main(int argc, char **argv)
{
    const char *seed = std::getenv("TRAWL_TEST_SEED"), *divisor = std::getenv("TRAWL_TEST_DIVISOR");
    uint64_t amount = 3600 / (divisor != nullptr ? static_cast<uint64_t>(std::atoi(divisor)) : 1);
    char path[] = "/tmp/trawl_regex_XXXXXX";
    const int made = mkstemp(path);

    if (argc > 1 && std::strcmp(argv[1], "--engine=cuda") == 0)
        engine = TRAWL_ENGINE_CUDA;
    state = seed != nullptr ? std::strtoull(seed, nullptr, 0) : 1;
    std::printf("TRAWL_TEST_SEED=%llu, %llu cases\n", static_cast<unsigned long long>(state),
                static_cast<unsigned long long>(amount));
    if (made < 0)
        return 2;
    close(made);
    bounded_memory();
    border_cases(path);
    for (uint64_t i = 0; i < amount; i++)
        one_case(path);
    unlink(path);
    if (engine == TRAWL_ENGINE_CUDA) {
        std::printf("devices searched %llu chunks\n", (unsigned long long)device_chunks);
        failures += device_chunks < amount;
    }
    return failures > 0;
}
