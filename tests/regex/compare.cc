// compare: makes the library's calls, and compares the answers with RE2's (compare.h).
#include "compare.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <tuple>
#include <unistd.h>

extern "C" {
#include "regex/re2_syntax.h"
}

#define GROUPS_OF 6u /* of so many occurrences in a text, groups are compared */

uint64_t state;
int failures;
uint64_t device_chunks;

uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33) % below;
}

void want(trawl_status status)
{
    if (status != TRAWL_OK)
        std::exit(2);
}

static char line_end_of(const setup &given)
{
    return given.options.line_ends.count == 0 ? '\n'
                                              : static_cast<char>(given.options.line_ends.bytes[0]);
}

bool is_multi(const setup &given)
{
    return (given.options.flags & TRAWL_MULTILINE) != 0;
}

bool is_left_out(const trawl_plan_options &options, const std::string &expression)
{
    bool left_out =
        expression.find("\\C") != std::string::npos ||
        expression.find("\\B") != std::string::npos; // test_judges.py checks \B of words

    for (const char *edge : {"\\<", "\\>", "\\b{"}) // test_judges.py checks these
        if (expression.find(edge) != std::string::npos)
            return true;
    for (size_t at = 0; (at = expression.find("(?", at)) != std::string::npos; at++)
        left_out |= expression.find('m', at) < expression.find_first_of(":)", at);
    return left_out && (options.flags & TRAWL_WHOLE_WORD) != 0;
}

bool add_expression(setup *given, const std::string &expression)
{
    const trawl_plan_options &by = given->options;
    const bool is_perl = by.syntax == TRAWL_PERL || by.syntax == TRAWL_RIPGREP,
               is_line = line_end_of(*given) == '\n';
    regex_options read = {};
    syntax_options parse = {};
    syntax tree;
    bool good = false;

    read.longest = !is_perl;
    read.fold = (by.flags & TRAWL_IGNORE_CASE) != 0;
    read.dot_all = !is_line && !is_perl;
    read.bytes = by.alphabet != TRAWL_CHARACTERS;
    read.ripgrep = by.syntax == TRAWL_RIPGREP;
    read.unicode = read.ripgrep && !read.bytes;
    read.multi =
        is_multi(*given) || (!is_line && read.ripgrep && is_perl &&
                             (by.flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE | TRAWL_CRLF)) == 0);
    if (!read.bytes)
        read.letters.variants = trawl_unicode()->variants;
    parse.syntax = by.syntax;
    parse.rules = &read;
    given->expressions.push_back(expression);
    given->printed.emplace_back();
    if (syntax_parse(&parse, expression.data(), expression.size(), &tree, nullptr) != TRAWL_OK)
        return false;
    char *printed = re2_syntax(&tree.root, &read);
    given->printed.back() = printed != nullptr ? printed : "";
    free(printed);
    re2::RE2::Options options(read.bytes ? re2::RE2::Latin1 : re2::RE2::Quiet);
    options.set_log_errors(false);
    const re2::RE2 program(given->printed.back(), options);
    good = !expression.empty() && program.ok();
    syntax_release(&tree);
    return good;
}

void show(const setup &given, const char *call)
{
    std::printf("FAILED: %s: syntax %d flags 0x%x alphabet %d line end %d also %d %d, %zu bytes\n",
                call, static_cast<int>(given.options.syntax), given.options.flags,
                static_cast<int>(given.options.alphabet), line_end_of(given),
                given.options.line_ends.count > 1, given.options.line_ends.bytes[1],
                given.text.size());
    for (const std::string &expression : given.expressions)
        std::printf("  expression '%s'\n", expression.c_str());
    if (given.text.size() < 100)
        std::printf("  text '%s'\n", given.text.c_str());
    if (++failures > 10)
        std::exit(1);
}

namespace
{

using hit = std::tuple<uint64_t, uint64_t, uint64_t>; // begin, pattern, end

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

// Returns true if `at` is between the bytes of a character, where \B does not match, unlike RE2's.
bool is_within(const std::string &line, size_t at, bool characters)
{
    for (size_t back = 1; characters && back <= 3 && back <= at; back++)
        if (step(line, at - back, true) > at)
            return true;
    return false;
}

// Returns the end of the match that begins at `begin` and ends at a word boundary, by the first
// alternative of the expression that fits; npos if there is no match. `words` is the expression as
// a group, followed by what may follow a word. The search ends at the line's first byte outside of
// a character.
size_t first_end(const re2::RE2 &words, const std::string &line, size_t begin, bool characters)
{
    std::string cut = line;
    size_t to = line.size();
    re2::StringPiece found[2];

    for (size_t at = begin; characters && at < to; at = step(line, at, true))
        if (static_cast<signed char>(line[at]) < 0 && step(line, at, true) == at + 1)
            cut[to = at] = '\n';
    if (!words.Match(cut, begin, to, re2::RE2::ANCHOR_START, found, 2))
        return std::string::npos;
    return begin + found[1].size();
}

// Finds the first match at `from` or later. If the plan requires whole words or lines, the match
// must be a whole word or line. If `empty`, the match may be empty.
bool next_match(const re2::RE2 &re, const re2::RE2 &words, const setup &given,
                const std::string &line, size_t from, bool empty, size_t *begin, size_t *end)
{
    const bool characters = given.options.alphabet == TRAWL_CHARACTERS,
               whole = characters && re.pattern().find("\\C") == std::string::npos &&
                       (is_multi(given) || re.pattern().find("(?m") == std::string::npos);
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
        if (*end == *begin && is_within(line, *begin, whole))
            continue;
        if ((given.options.flags & TRAWL_WHOLE_WORD) == 0) {
            if (empty || *end > *begin)
                return true;
            continue;
        }
        if (is_word(line, static_cast<int64_t>(*begin) - 1))
            continue;
        *end = *begin;
        for (size_t to = line.size() + 1; to-- > *begin && *end == *begin;)
            if (!is_word(line, static_cast<int64_t>(to)) &&
                re.Match(line, *begin, to, re2::RE2::ANCHOR_BOTH, nullptr, 0))
                *end = given.options.syntax == TRAWL_PERL || given.options.syntax == TRAWL_RIPGREP
                           ? first_end(words, line, *begin, characters)
                           : to;
        if (*end > *begin || (empty && !is_word(line, static_cast<int64_t>(*end)) &&
                              re.Match(line, *begin, *end, re2::RE2::ANCHOR_BOTH, nullptr, 0)))
            return *end <= line.size() && !is_word(line, static_cast<int64_t>(*end)) &&
                   re.Match(line, *begin, *end, re2::RE2::ANCHOR_BOTH, nullptr, 0);
    }
    return false;
}

// An expression for RE2, and the same followed by a non-word character or the line's end.
struct judge {
    std::unique_ptr<re2::RE2> all, words;
};

std::vector<judge> make_judges(const setup &given)
{
    std::vector<judge> judges;
    re2::RE2::Options options;

    options.set_log_errors(false);
    options.set_longest_match(given.options.syntax != TRAWL_PERL &&
                              given.options.syntax != TRAWL_RIPGREP);
    if (given.options.alphabet != TRAWL_CHARACTERS)
        options.set_encoding(re2::RE2::Options::EncodingLatin1);
    for (const std::string &printed : given.printed)
        judges.push_back({std::unique_ptr<re2::RE2>(new re2::RE2(printed, options)),
                          std::unique_ptr<re2::RE2>(new re2::RE2(
                              "(" + printed + ")(?:(?-i:[^0-9A-Za-z_])|(?m:$))", options))});
    return judges;
}

// Finds all hits, hits without overlap, the starts of the lines that match, and the ends of all
// lines. Hits without overlap: the longest of the hits of all expressions that begin first; then
// the same from that hit's end on, and so on. If cells is not NULL, the text is a record, whose
// cells are added to *cells.
void by_re2(const setup &given, std::vector<hit> *hits, std::vector<hit> *spans,
            std::vector<uint64_t> *begins, std::vector<uint64_t> *ends, uint64_t record = 0,
            std::vector<hit> *cells = nullptr)
{
    const char line_end = line_end_of(given);
    const std::vector<judge> judges = make_judges(given);

    for (size_t at = 0; at < given.text.size() || (cells != nullptr && ends->empty());) {
        size_t after = at;
        bool matches = false, ended;

        while (after < given.text.size() && (is_multi(given) || given.text[after] != line_end) &&
               !(given.options.line_ends.count > 1 &&
                 given.text[after] == static_cast<char>(given.options.line_ends.bytes[1])))
            after++;
        ended = after < given.text.size();
        std::string line = given.text.substr(at, after - at);
        // The text's end counts as a line end, a record's does not.
        if ((given.options.flags & TRAWL_CRLF) != 0 && !line.empty() && line.back() == '\r' &&
            (ended || (cells == nullptr && !is_multi(given))))
            line.pop_back();
        for (uint32_t i = 0; i < judges.size(); i++) {
            size_t begin = 0, end = 0, first = 0;
            const bool is_matched =
                next_match(*judges[i].all, *judges[i].words, given, line, 0, true, &first, &end);

            matches |= is_matched;
            if (cells != nullptr && is_matched)
                cells->emplace_back(record, i,
                                    next_match(*judges[i].all, *judges[i].words, given, line, 0,
                                               false, &begin, &end)
                                        ? begin
                                        : first);
            for (end = 0; next_match(*judges[i].all, *judges[i].words, given, line, end, false,
                                     &begin, &end);)
                hits->emplace_back(at + begin, i, at + end);
        }
        for (size_t end = 0, from = 0;; from = end) {
            size_t best = std::string::npos, begin = 0, to = 0;

            for (uint32_t i = 0; i < judges.size(); i++) {
                if (!next_match(*judges[i].all, *judges[i].words, given, line, from, false, &begin,
                                &to))
                    continue;
                if (begin < best || (begin == best && to > end))
                    end = to;
                best = std::min(best, begin);
            }
            if (best == std::string::npos)
                break;
            spans->emplace_back(at + best, 0, at + end);
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

trawl_text *open_text(const setup &given, const char *path, uint32_t kind, int *descriptor)
{
    trawl_text *text = nullptr;
    int ends[2];

    *descriptor = -1;
    if (kind == 0) {
        const trawl_text_options memory = TRAWL_TEXT_MEMORY(given.text.data(), given.text.size());

        want(trawl_text_open(nullptr, &memory, &text, nullptr));
    } else if (kind == 1) {
        want(trawl_text_open(path, nullptr, &text, nullptr));
    } else if (pipe(ends) == 0) {
        (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        if (write(ends[1], given.text.data(), given.text.size()) !=
            static_cast<ssize_t>(given.text.size()))
            std::exit(2);
        close(ends[1]);
        *descriptor = ends[0];
        trawl_text_options options = TRAWL_TEXT_OPTIONS_INIT;

        options.source = TRAWL_SOURCE_DESCRIPTOR;
        options.descriptor = ends[0];
        want(trawl_text_open(nullptr, &options, &text, nullptr));
    }
    return text;
}

// Returns the starts of the lines that contain a hit.
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

// Returns true if each nonempty hit is one of `wanted`.
bool are_matches(const std::vector<hit> &hits, const std::vector<hit> &wanted)
{
    return std::all_of(hits.begin(), hits.end(), [&](const hit &each) {
        return std::get<2>(each) == std::get<0>(each) ||
               std::binary_search(wanted.begin(), wanted.end(), each);
    });
}

// Returns the longest of the hits with the same start, without empty hits.
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

// Feeds the text in pieces. Matches come in order, since they are decided at each line's end, or
// where a long line is cut. Returns true, too, if one cannot be cut.
bool feed(const setup &given, trawl_searcher *searcher, const trawl_plan *plan,
          const std::vector<hit> &wanted)
{
    std::vector<hit> hits;
    trawl_status status = TRAWL_OK;
    trawl_stream_options options = TRAWL_STREAM_OPTIONS_INIT;
    const size_t size = given.text.size(), most = 2 + draw(2) * size / 8;
    trawl_stream *stream = nullptr;

    // finding where to cut takes time for each expression
    options.line_bytes_max =
        draw(2) == 0 || given.expressions.size() > 20 ? size + 1 : 1 + draw(300);
    want(trawl_stream_open(plan, &options, &stream, nullptr));
    for (size_t at = 0, piece; at < size && status == TRAWL_OK; at += piece) {
        piece = std::min(size - at, static_cast<size_t>(draw(static_cast<uint32_t>(most))));
        status = trawl_stream_feed(searcher, stream, given.text.data() + at, piece, take, &hits,
                                   nullptr);
    }
    if (status == TRAWL_OK)
        status = trawl_stream_end(searcher, stream, take, &hits, nullptr);
    trawl_stream_close(stream);
    if (status == TRAWL_LIMIT && options.line_bytes_max <= 300) // what was found is right
        return hits.size() <= wanted.size() && std::equal(hits.begin(), hits.end(), wanted.begin());
    return status == TRAWL_OK && hits == wanted;
}

int take_cells(void *context, const trawl_cells *cells)
{
    for (uint64_t i = 0; i < cells->cell_count; i++)
        static_cast<std::vector<hit> *>(context)->emplace_back(
            cells->records[i], cells->patterns[i], cells->begins[i]);
    return 0;
}

int take_record(trawl_searcher *searcher, const trawl_plan *plan, const trawl_record_array &records,
                std::vector<hit> *cells)
{
    trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    trawl_record_array array = records;
    trawl_records *staying = nullptr;

    array.flags = TRAWL_RECORDS_STAY;
    out.cells = take_cells;
    out.context = cells;
    if (trawl_records_load(searcher, &array, &staying, nullptr) != TRAWL_OK)
        return 1;
    const bool done =
        ask_records_into(searcher, plan, staying, TRAWL_RECORDS_CELLS, &out, nullptr) == TRAWL_OK;
    trawl_records_unload(staying);
    return done ? 0 : 1;
}

// Compares the columns of each record's matches, and of its first match. matches: their begin,
// expression and end.
bool are_matches_of(trawl_searcher *searcher, const trawl_plan *plan, trawl_records *records,
                    const std::vector<std::vector<hit>> &matches)
{
    const auto none = static_cast<uint32_t>(-1);
    const size_t count = matches.size();
    std::vector<uint32_t> firsts(count + 1), begins, ends, patterns;
    bool same = true;

    for (size_t i = 0; i < count; i++)
        firsts[i + 1] = firsts[i] + static_cast<uint32_t>(matches[i].size());
    for (const trawl_what what : {TRAWL_RECORDS_FIRST, TRAWL_RECORDS_MATCHES}) {
        const bool first = what == TRAWL_RECORDS_FIRST;
        std::vector<uint32_t> got_firsts(count + 1);
        trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
        uint64_t found = 0;
        size_t at = 0;

        out.room = first ? count : firsts[count];
        for (std::vector<uint32_t> *column : {&begins, &ends, &patterns})
            column->assign(out.room + 1, 7);
        out.cell_bytes = sizeof(uint32_t);
        out.values = first ? nullptr : got_firsts.data();
        out.begins = begins.data();
        out.ends = ends.data();
        out.patterns = patterns.data();
        same = ask_records_into(searcher, plan, records, what, &out, nullptr) == TRAWL_OK && same;
        for (const std::vector<hit> &one : matches) {
            found += first ? !one.empty() : one.size();
            if (first && one.empty()) {
                same = begins[at] == none && ends[at] == none && patterns[at] == none && same;
                at++;
            }
            for (size_t i = 0; i < (first ? std::min<size_t>(one.size(), 1) : one.size()); i++) {
                same = begins[at] == std::get<0>(one[i]) && patterns[at] == std::get<1>(one[i]) &&
                       ends[at] == std::get<2>(one[i]) && same;
                at++;
            }
        }
        same = out.count == found && (first || got_firsts == firsts) && same;
    }
    return same;
}

// Compares the answers of trawl_ask_records. counts: the occurrences in each record. cells: the
// pairs of a record and an expression that matches there, if only zero bytes.
bool are_answers(trawl_searcher *searcher, const trawl_plan *plan, const trawl_record_array &array,
                 const std::vector<uint32_t> &counts, const std::vector<hit> &cells,
                 const std::vector<std::vector<hit>> &matches)
{
    std::vector<uint64_t> rows(cells.size() + 1), columns(cells.size() + 1);
    std::vector<uint8_t> bits(counts.size() / 8 + 1), bytes(counts.size()), got_bits(bits.size()),
        got_bytes(bytes.size());
    std::vector<uint32_t> got_counts(counts.size(), 9);
    void *const values[] = {got_bits.data(), got_bytes.data(), got_counts.data(), rows.data()};
    trawl_records *records = nullptr;
    uint64_t any = 0;
    bool same = true;

    for (const hit &cell : cells) {
        const uint64_t row = std::get<0>(cell);

        any += 1u - bytes[row];
        bytes[row] = 1;
        bits[row / 8] |= static_cast<uint8_t>(1u << row % 8);
    }
    want(trawl_records_load(searcher, &array, &records, nullptr));
    for (uint32_t shape = 0; shape < 4; shape++) {
        const bool is_cells = TRAWL_RECORDS_BITS + shape == TRAWL_RECORDS_CELLS;
        trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);

        out.values = values[shape];
        out.patterns = is_cells ? columns.data() : nullptr;
        out.room = is_cells ? cells.size() : counts.size();
        same = ask_records_into(searcher, plan, records,
                                static_cast<trawl_what>(TRAWL_RECORDS_BITS + shape), &out,
                                nullptr) == 0 &&
               out.count == (is_cells ? cells.size() : any) && same;
    }
    same = are_matches_of(searcher, plan, records, matches) && same;
    trawl_records_unload(records);
    for (size_t i = 0; i < cells.size(); i++)
        same = rows[i] == std::get<0>(cells[i]) && columns[i] == std::get<1>(cells[i]) && same;
    return same && got_bits == bits && got_bytes == bytes && got_counts == counts;
}

void list_bytes(const setup &given, trawl_searcher *searcher, const trawl_plan *plan,
                const std::vector<hit> &wanted)
{
    trawl_match list[64];
    uint64_t count = 0;
    bool same = trawl_list_bytes(searcher, plan, given.text.data(), given.text.size(), 0, list, 64,
                                 &count, nullptr) == TRAWL_OK &&
                count == std::min<uint64_t>(wanted.size(), 64);

    for (uint64_t i = 0; same && i < count; i++)
        same = hit(list[i].begin, list[i].pattern_index, list[i].end) == wanted[i];
    if (!same)
        show(given, "list of bytes");
}

// Returns the line of a hit without its end, and sets *at to where it begins.
std::string line_of(const setup &given, const hit &one, uint64_t *at)
{
    const auto &ends = given.options.line_ends;
    const auto is_end = [&](uint8_t byte) {
        return !is_multi(given) && (byte == static_cast<uint8_t>(line_end_of(given)) ||
                                    (ends.count > 1 && byte == ends.bytes[1]));
    };
    uint64_t after = std::get<2>(one);

    for (*at = std::get<0>(one); *at > 0 && !is_end(static_cast<uint8_t>(given.text[*at - 1]));)
        --*at;
    while (after < given.text.size() && !is_end(static_cast<uint8_t>(given.text[after])))
        after++;
    if ((given.options.flags & TRAWL_CRLF) != 0 && after > *at && given.text[after - 1] == '\r')
        after--;
    return given.text.substr(*at, after - *at);
}

// Compares the groups of an occurrence with RE2's, and those of the match that is found from its
// begin on.
void compare_hit(const setup &given, const trawl_plan *plan, const re2::RE2 &re, const hit &one)
{
    const auto count = static_cast<size_t>(re.NumberOfCapturingGroups()) + 1;
    std::vector<trawl_range> found(count), again(count), wanted(count);
    std::vector<re2::StringPiece> parts(count);
    trawl_line *opened = nullptr;
    uint64_t at;
    const std::string line = line_of(given, one, &at);
    const trawl_range match = {std::get<0>(one) - at, std::get<2>(one) - at};

    (void)re.Match(line, match.begin, match.end, re2::RE2::ANCHOR_BOTH, parts.data(),
                   static_cast<int>(count));
    for (size_t i = 0; i < count; i++) {
        wanted[i] = {UINT64_MAX, UINT64_MAX};
        if (parts[i].data() != nullptr)
            wanted[i].begin = static_cast<uint64_t>(parts[i].data() - line.data());
        if (parts[i].data() != nullptr)
            wanted[i].end = wanted[i].begin + parts[i].size();
    }
    want(trawl_line_open(plan, std::get<1>(one), line.data(), line.size(), nullptr, &opened,
                         nullptr));
    want(trawl_line_groups(opened, match, found.data(), count, nullptr));
    want(trawl_line_match(opened, match.begin, again.data(), count, nullptr));
    trawl_line_close(opened);
    for (size_t i = 0; i < count; i++)
        for (const trawl_range &got : {found[i], again[i]})
            if (got.begin != wanted[i].begin || got.end != wanted[i].end) {
                std::printf("group %zu of expression %u: %lld-%lld, expected %lld-%lld\n", i,
                            static_cast<unsigned>(std::get<1>(one)), (long long)got.begin,
                            (long long)got.end, (long long)wanted[i].begin,
                            (long long)wanted[i].end);
                show(given, "groups");
            }
}

} // namespace

void compare_groups(const setup &given, const trawl_plan *plan)
{
    const std::vector<judge> judges = make_judges(given);
    std::vector<hit> hits, spans;
    std::vector<uint64_t> begins, ends;

    by_re2(given, &hits, &spans, &begins, &ends);
    for (uint64_t left = std::min<uint64_t>(hits.size(), GROUPS_OF); left > 0; left--) {
        const hit &one = hits[draw(static_cast<uint32_t>(hits.size()))];

        compare_hit(given, plan, *judges[std::get<1>(one)].all, one);
    }
}

void compare(const setup &given, trawl_searcher *searcher, const trawl_plan *plan, const char *path,
             bool loads)
{
    std::vector<hit> wanted, spans, got;
    std::vector<uint64_t> begins, ends;

    by_re2(given, &wanted, &spans, &begins, &ends);
    for (uint32_t call = 0; call < 9; call++) {
        const bool multi = is_multi(given);

        if (multi && (call == 2 || call == 3 || call == 6 || call == 8))
            continue; // RE2 has no lines, and a stream does not accept such a plan
        const uint32_t kind = loads || multi || path == nullptr ? 0
                              : given.text.size() < 100000      ? draw(3)
                                                                : draw(2);
        trawl_stats stats = {};
        uint64_t count = 0;
        int descriptor;
        trawl_text *text = open_text(given, path, kind, &descriptor);
        trawl_match first;
        bool found = false;
        windows window;

        got.clear();
        stats.size = sizeof stats;
        if (loads && !given.text.empty())
            want(trawl_text_load(searcher, text, nullptr));
        if (call == 0) {
            if (ask_positions(searcher, plan, text, take, &got, nullptr) != TRAWL_OK ||
                got != wanted)
                show(given, "positions");
        } else if (call == 1) {
            if (trawl_count(searcher, plan, text, &count, nullptr) != TRAWL_OK ||
                count != wanted.size())
                show(given, "count");
            list_bytes(given, searcher, plan, wanted);
        } else if (call == 2 || call == 3) {
            if (ask_count_lines(searcher, plan, text, call == 3, UINT64_MAX, &count, nullptr) !=
                    TRAWL_OK ||
                count != (call == 2 ? begins.size() : ends.size() - begins.size()))
                show(given, call == 2 ? "lines" : "lines without");
        } else if (call == 4) {
            if (trawl_first(searcher, plan, text, &first, &found, nullptr) != TRAWL_OK ||
                found == wanted.empty() ||
                (found && hit(first.begin, first.pattern_index, first.end) != wanted[0]))
                show(given, "first");
        } else if (call == 8) {
            if (given.text.size() < 20000 && !feed(given, searcher, plan, wanted))
                show(given, "stream");
        } else {
            static const uint32_t flags[] = {TRAWL_LINE_ENDS, TRAWL_LINES, TRAWL_SPANS};

            if (trawl_windows(searcher, plan, text, flags[call - 5], take_window, &window,
                              nullptr) != TRAWL_OK ||
                window.text != given.text || (call == 5 && window.hits != wanted) ||
                (call > 5 && !multi && lines_of(window.hits, ends) != begins) ||
                (call == 6 && !are_matches(window.hits, wanted)) ||
                (call == 7 && spans_of(window.hits) != spans))
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

// Searches pieces of the text as records. RE2 reads each record as one line, so tildes replace the
// line ends in the records.
void compare_records(setup given, trawl_searcher *searcher, const trawl_plan *plan)
{
    trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;
    std::vector<uint64_t> at{0};
    std::vector<hit> cells, spans, wanted;
    std::vector<uint32_t> counts;
    std::vector<std::vector<hit>> matches;

    for (char &byte : given.text)
        if (byte == line_end_of(given) || byte == '\0' ||
            (given.options.line_ends.count > 1 &&
             byte == static_cast<char>(given.options.line_ends.bytes[1])))
            byte = '~';

    while (at.back() < given.text.size())
        at.push_back(std::min<uint64_t>(given.text.size(), at.back() + draw(30)));
    for (uint64_t i = 0; i + 1 < at.size(); i++) {
        setup one = given;
        std::vector<hit> hits;
        std::vector<uint64_t> begins, ends;

        one.text = given.text.substr(at[i], at[i + 1] - at[i]);
        by_re2(one, &hits, &spans, &begins, &ends, i, &wanted);
        counts.push_back(static_cast<uint32_t>(hits.size()));
        matches.push_back(hits);
    }
    records.bytes = reinterpret_cast<const uint8_t *>(given.text.data());
    records.offsets = at.data();
    records.record_count = counts.size();
    for (int i = 0; i < 2; i++) { // a worker ends with the last record, and begins with the first
        cells.clear();
        if (take_record(searcher, plan, records, &cells) != 0 || cells != wanted)
            show(given, i == 0 ? "records" : "records again");
        if (!are_answers(searcher, plan, records, counts, wanted, matches))
            show(given, "shapes of records");
    }
}
