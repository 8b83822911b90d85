// oracle: random expressions and texts. Every call to the library must give RE2's answer, line by
// line, so that answers do not depend on atoms (strings of which each match contains one), steps,
// chunks and devices. test_judges.py checks what expressions mean. With --engine=cuda, devices
// search loaded texts for atoms.
#include "compare.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace
{

trawl_engine engine = TRAWL_ENGINE_CPU;

template <size_t N> const char *pick(const char *const (&from)[N])
{
    return from[draw(N)];
}

// ---- Cases -------------------------------------------------------------------------------------

// An expression, and a string that it matches, unless a word boundary or a line end prevents the
// match. The tables below consist of such pairs.
struct drawn {
    std::string expression, sample;
};

drawn itself(const char *text)
{
    return {text, text};
}

drawn random_atom(trawl_syntax syntax)
{
    static const char *const plain[] = {"a",   "b",   "c",     "A", "B",   " ",  "ab",
                                        "cab", "bca", "abcab", "k", "s",   "é",  "É",
                                        "ко",  "Ко",  "_",     "-", "жко", "\r", "b\r"};
    static const char *const both[] = {
        ".",     "-", "[ab]",      "b", "[^a]",   "1",   "[a-c]",       "c",  "a.c",          "abc",
        "[éx]",  "é", "[^\u212a]", "b", "\\.",    ".",   "[[:alpha:]]", "b",  "[^[:space:]]", ".",
        "(^|-)", "-", "( |$)",     " ", ".*",     "c -", ".+",          " b", "\\b",          "",
        "\\b",   "",  "\\B",       "",  "^",      "",    "$",           "",   "[а-я]",        "о",
        "[^é]",  "к", "[А-яk]",    "Ж", "[^ -ÿ]", "ж",   "[é€]",        "€"};
    static const char *const more[] = {
        "\\w",      "k",  "\\s",     " ",  "\\d",    "1", "\\pL",     "к",  "(?i:ab)", "aB",
        "(?:bc|a)", "bc", "\\W",     "-",  "(?i)k",  "K", "\\Q.*\\E", ".*", "\\x6B",   "k",
        "\\x61",    "a",  "\\n",     "\n", "[^\\n]", "b", ".*?",      "-",  "\\C",     "b",
        "[^\\W]",   "s",  "\\p{Lu}", "Ж",  "(?m:^)", "",  "(?m:$)",   "",   "(?-m:^)", "",
        "\\s",      " "};
    static const char *const sets[] = {"[a-c&&[^b]]", "c", "[\\w--k]",   "a", "[[ab]é]", "é",
                                       "[^[a-c]k]",   "-", "[а-я~~[ж]]", "к", "(?-u:k)", "k",
                                       "\\u{436}",    "ж", "(?x: a b )", "ab"};
    const char *const *row = &both[2 * draw(std::size(both) / 2)];

    if (draw(20) == 0) // no text has x or y outside of a sample
        return draw(2) == 0 ? drawn{"x(ab){1,2}y", "xababy"} : drawn{"x[ab]?y", "xby"};
    if (syntax == TRAWL_RIPGREP && draw(6) == 0)
        row = &sets[2 * draw(std::size(sets) / 2)];
    else if (syntax != TRAWL_EXTENDED && draw(4) == 0)
        row = &more[2 * draw(std::size(more) / 2)];
    else if (draw(2) == 0)
        return itself(pick(plain));
    return {row[0], row[1]};
}

// Returns true if the expression is a character or a class, so that repeating it needs no group.
bool is_character(const drawn &part)
{
    const size_t first = static_cast<uint8_t>(part.sample[0]) < 0x80 ? 1 : 2;

    return part.sample.size() == first && std::strchr("(*+?)", part.expression[0]) == nullptr &&
           std::strchr("*+?)", part.expression.back()) == nullptr;
}

const char *open_group(bool perl)
{
    static const char *const groups[] = {
        "(", "(", "(?:", "(?i:", "(?i:", "(?-i:", "(?s:", "(?-s:", "(?m:", "(?U:", "(?i-s:"};

    return perl ? pick(groups) : "(";
}

drawn random_expression(trawl_syntax syntax, int depth)
{
    const bool perl = syntax != TRAWL_EXTENDED;
    struct repeat {
        const char *sign;
        uint32_t min, max;
    };
    static const repeat repeats[] = {{"*", 0, 3},   {"+", 1, 3},     {"?", 0, 1},   {"{1,2}", 1, 2},
                                     {"{2}", 2, 2}, {"{0,3}", 0, 3}, {"{2,}", 2, 5}};
    // what stands for itself, but might be taken for a part of the group's opening
    static const char *const opened[] = {"=", "!", "<", ">", ":", "-", "#", "P", "'", "]"};
    drawn made;
    const uint32_t parts = 1 + draw(4);

    for (uint32_t i = 0; i < parts; i++) {
        drawn part = random_atom(syntax);

        if (depth > 0 && draw(4) == 0) {
            const std::string first = draw(5) == 0 ? pick(opened) : "";

            part = random_expression(syntax, depth - 1);
            part = {open_group(perl) + first + part.expression + ")", first + part.sample};
        }
        if (draw(5) == 0 && !part.sample.empty() && part.expression != "(?i)k") {
            const repeat &by = repeats[draw(std::size(repeats))];
            const std::string once = part.sample;

            if (draw(2) == 0 || !is_character(part))
                part.expression = "(" + part.expression + ")";
            part.expression += by.sign;
            if (perl && draw(4) == 0)
                part.expression += "?";
            part.sample.clear();
            for (uint32_t times = by.min + draw(by.max - by.min + 1); times > 0; times--)
                part.sample += once;
        }
        made.expression += part.expression;
        made.sample += part.sample;
    }
    for (uint32_t sides = draw(12) == 0 ? 2 : 0; sides > 0; sides--) // N characters around it
        if (draw(4) > 0) {
            static const char *const sets[] = {".", ".", "[^a]", "[a-c ]", "[^é]", "(b|.)"};
            static const char *const counts[] = {"{0,70}",  "{1,90}", "{0,60}", "{2,40}",
                                                 "{60,70}", "{70}",   "{0,200}"};
            const std::string around =
                std::string(pick(sets)) + pick(counts) + (perl && draw(4) == 0 ? "?" : "");

            made.expression = sides == 2 ? around + made.expression : made.expression + around;
        }
    if (draw(depth < 2 ? 3 : 6) == 0) {
        const drawn other = random_expression(syntax, std::max(depth - 1, 0));

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

// Alternatives. Each contains a word, or a group of such alternatives. The library searches for the
// words with exactly the flags of the groups around them.
drawn random_alternatives(trawl_syntax syntax, int depth)
{
    const bool perl = syntax != TRAWL_EXTENDED;
    static const char *const words[] = {"abcab", "cabbage", "жко", "bcak", "Éa_b", "sAbk"};
    drawn made;

    for (uint32_t left = 2 + draw(2); left > 0; left--) {
        const bool begins = draw(2) == 0;
        const drawn atom = draw(2) == 0   ? drawn{"b+", "bb"}
                           : draw(2) == 0 ? random_atom(syntax)
                                          : itself("");
        drawn one = itself(pick(words));

        if (depth > 0 && draw(2) == 0) {
            one = random_alternatives(syntax, depth - 1);
            one.expression = open_group(perl) + one.expression + ")";
        }
        one.expression =
            begins ? atom.expression + one.expression : one.expression + atom.expression;
        one.sample = begins ? atom.sample + one.sample : one.sample + atom.sample;
        made.expression += (made.expression.empty() ? "" : "|") + one.expression;
        if (draw(left) == 0)
            made.sample = one.sample;
    }
    return made;
}

// Returns a text of pieces and samples. Some samples lack a byte, have a letter or all letters in
// the other case, or have one to three bytes repeated; half of the samples are lines.
std::string random_text(uint8_t line_end, const std::vector<std::string> &samples)
{
    static const char *const pieces[] = {
        "a", "b",        "c",    "A",       "B",    "C",     " ",
        "_", "-",        ".",    "ab",      "cab",  "abcab", "é",
        "É", "к",        "Ко",   "\xff",    "\xc3", "k",     "\xe2\x84\xaa",
        "s", "\xc5\xbf", "\r",   "1",       "bca",  "жо",    "Ж",
        "€", "\xd0",     "\xb0", "\xe2\x82"};
    static const uint32_t sizes[] = {0, 1, 3, 20, 100, 200, 400, 3000};
    std::string text;
    const uint32_t most = engine == TRAWL_ENGINE_CUDA ? 5000 : 40000;
    const uint32_t count = draw(50) == 0 ? most : sizes[draw(std::size(sizes))],
                   line = 1 + draw(draw(8) == 0 ? 2000 : 40), sampled = draw(3) == 0 ? 300 : 6;

    for (uint32_t i = 0; i < count; i++)
        if (draw(line) == 0)
            text += draw(3) == 0 ? std::string("\r") + static_cast<char>(line_end)
                                 : std::string(1, static_cast<char>(line_end));
        else if (draw(30) == 0)
            text += draw(2) == 0 ? '\0' : '\n';
        else if (draw(sampled) == 0) {
            std::string sample = samples[draw(static_cast<uint32_t>(samples.size()))];

            if (draw(2) == 0 && !sample.empty()) {
                const size_t at = draw(static_cast<uint32_t>(sample.size()));

                if (draw(3) == 0)
                    for (char &byte : sample) // all ASCII letters have the other case
                        byte = static_cast<char>(std::isalpha(static_cast<unsigned char>(byte)) != 0
                                                     ? byte ^ 0x20
                                                     : byte);
                else if (draw(3) == 0 && std::isalpha(static_cast<unsigned char>(sample[at])) != 0)
                    sample[at] = static_cast<char>(sample[at] ^ 0x20);
                else if (draw(2) == 0)
                    sample.erase(at, 1);
                else
                    sample.insert(at, sample, at, 1 + draw(3));
            }
            if (draw(2) == 0)
                sample = static_cast<char>(line_end) + sample + static_cast<char>(line_end);
            text += sample;
        } else
            text += pick(pieces);
    return text;
}

// ---- Draws -------------------------------------------------------------------------------------

// Returns the expression, half of the time behind what may cross lines.
drawn behind_head(const drawn &one)
{
    static const char *const heads[] = {"\\s+",        "[^a]*",     "\\w+\\s*",
                                        "(?s:.{2,9})", "[ab\\s]*?", "\\W"};

    return draw(2) == 0
               ? one
               : drawn{pick(heads) + std::string("(?:") + one.expression + ")", " \n" + one.sample};
}

// If `letters`, a letter ends lines, and in most cases the expressions ignore case.
setup random_setup(bool letters)
{
    static const trawl_plan_options defaults = TRAWL_PLAN_OPTIONS_INIT;
    static const char *const begins[] = {"^", "(?m:^)", "(?-m:^)", "\\A"};
    std::vector<std::string> samples;
    setup made;
    static const trawl_syntax syntaxes[] = {TRAWL_PERL, TRAWL_RIPGREP, TRAWL_EXTENDED};
    const trawl_syntax syntax = syntaxes[draw(3)];
    const bool perl = syntax != TRAWL_EXTENDED;
    // a book: many expressions, most of which begin with the same few strings
    static const char *const stems[] = {"cab", "abca", "k-", "ab b", "жко", "c"};
    const bool is_book = !letters && draw(20) == 0;
    const uint32_t count = is_book       ? 2 + draw(draw(5) == 0 ? 300 : 30)
                           : draw(4) > 0 ? 1
                           : draw(8) > 0 ? 1 + draw(4)
                                         : 1 + draw(40);

    uint8_t *const ends = made.options.line_ends.bytes;

    made.options = defaults;
    made.options.syntax = syntax;
    made.options.flags = (draw(4) == 0 ? TRAWL_IGNORE_CASE : 0u) |
                         (draw(6) == 0 ? TRAWL_WHOLE_WORD : 0u) |
                         (draw(6) == 0 ? TRAWL_WHOLE_LINE : 0u) | (draw(6) == 0 ? TRAWL_CRLF : 0u);
    made.options.alphabet = draw(3) > 0 ? TRAWL_CHARACTERS : TRAWL_BYTES;
    made.options.expression_mib = draw(4) == 0 ? (draw(2) == 0 ? 2 : 8) : 0;
    ends[0] = static_cast<uint8_t>(draw(6) == 0 ? "\0\xba"[draw(2)] : '\n');
    made.options.line_ends.count = draw(3) == 0 ? 2 : 1;
    ends[1] = static_cast<uint8_t>("\0\0 ab"[draw(5)]);
    if (letters) {
        made.options.flags = draw(3) == 0 ? 0 : TRAWL_IGNORE_CASE;
        ends[draw(3) == 0] = static_cast<uint8_t>("aAbB"[draw(4)]);
    }
    if (perl && !letters && draw(8) == 0) {
        made.options.flags = TRAWL_MULTILINE | (draw(4) == 0 ? TRAWL_IGNORE_CASE : 0u);
        ends[0] = '\n';
        made.options.line_ends.count = 1;
    }
    if (made.options.line_ends.count == 1) /* the plan rejects a value without meaning */
        ends[1] = 0;
    for (uint32_t i = 0; i < count; i++) {
        drawn one =
            letters || draw(3) == 0 ? random_alternatives(syntax, 2) : random_expression(syntax, 2);

        if (is_book && draw(4) > 0) {
            const char *stem = stems[draw(draw(2) == 0 ? 2 : std::size(stems))];

            one = {stem + std::string(perl ? "(?:" : "(") + one.expression + ")",
                   stem + one.sample};
        }
        one = is_multi(made) ? behind_head(one) : one;
        for (uint32_t edges = is_multi(made) ? draw(4) : 0; edges > 1; edges--)
            one.expression = pick(begins) + one.expression;
        if (is_left_out(made.options, one.expression))
            continue;
        if (syntax != TRAWL_RIPGREP && !re2::RE2(one.expression, re2::RE2::Quiet).ok())
            continue;
        if (add_expression(&made, one.expression) || syntax != TRAWL_RIPGREP) {
            if (one.expression.find("0}") != std::string::npos) // needs more memory than its share
                made.options.expression_mib = 0;
            samples.push_back(one.sample);
        } else { // ripgrep rejects it; test_judges.py checks that the library does, too
            made.expressions.pop_back();
            made.printed.pop_back();
        }
    }
    if (!samples.empty())
        made.text = random_text(ends[0], samples);
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
    trawl_plan_options asked = given.options;
    trawl_status status = trawl_plan_build(patterns.data(), patterns.size(), &asked, &plan, &error);
    // with 2 MiB, automata forget what they know, but few programs are too large
    if (status == TRAWL_LIMIT && asked.expression_mib == 2) {
        asked.expression_mib = 8;
        status = trawl_plan_build(patterns.data(), patterns.size(), &asked, &plan, &error);
    }
    if (status != TRAWL_OK) {
        std::printf("%s\n", error.message);
        show(given, "plan");
        return;
    }
    want(trawl_searcher_open(&options, &searcher, nullptr));
    compare(given, searcher, plan, path, engine == TRAWL_ENGINE_CUDA);
    compare_groups(given, plan);
    if (given.options.line_ends.bytes[0] == '\n' && given.text.size() < 5000 && !is_multi(given))
        compare_records(given, searcher, plan);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
}

void one_case(const char *path, bool letters)
{
    static const uint64_t chunks[] = {0, 0, 1, 7, 100, 5000};
    const setup given = random_setup(letters);
    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    if (given.expressions.empty())
        return;
    borders_set(state);
    borders_set_device(state);
    options.threads = 1 + draw(3);
    options.map = draw(2) == 0 ? TRAWL_MAP_ALWAYS : TRAWL_MAP_NEVER;
    options.chunk_bytes = chunks[draw(6)];
    // more chunks would take too long, especially on a simulated device
    if (given.text.size() / (engine == TRAWL_ENGINE_CUDA ? 200 : 5000) > options.chunk_bytes)
        options.chunk_bytes = 0;
    search(given, options, path);
}

// Searches a text whose last line has no end and matches at its begin, so that the automaton's last
// lane has ended when another makes all forget their states.
void last_lane(const char *path)
{
    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    setup given;

    given.options = TRAWL_PLAN_OPTIONS_INIT;
    given.options.syntax = TRAWL_PERL;
    (void)add_expression(&given, "[ab]*a[ab]{4}c");
    (void)add_expression(&given, "z");
    for (uint32_t k = 0; k < 900; k++)
        given.text += "ab\n"[draw(k % 20 == 0 ? 3 : 2)];
    given.text += "\nz" + std::string(250, 'b');
    options.threads = 1;
    borders_set_states(20);
    search(given, options, path);
}

// ---- Groups ------------------------------------------------------------------------------------

// Returns an expression of groups and repetitions, many of which may be empty.
std::string random_groups(bool perl, int depth)
{
    static const char *const parts[] = {"a", "a", "b", "b", "[ab]", "ab", ".", "é", "", "^", "$"};
    static const char *const signs[] = {"*", "+", "?", "*", "{2}", "{0,2}", "{1,3}", "{2,}"};
    std::string made;

    for (uint32_t left = 1 + draw(3); left > 0; left--) {
        if (depth > 0 && draw(2) == 0) {
            made += perl && draw(4) == 0 ? "(?:" : "(";
            for (uint32_t lists = 1 + draw(3); lists > 0; lists--)
                made += random_groups(perl, depth - 1) + (lists > 1 ? "|" : ")");
        } else {
            const char *part = perl && draw(12) == 0 ? "\\b" : pick(parts);

            made += part;
            if (*part == '\0' || std::strchr("^$\\", *part) != nullptr || std::strlen(part) == 2)
                continue;
        }
        if (draw(2) == 0)
            made += std::string(pick(signs)) + (perl && draw(3) == 0 ? "?" : "");
    }
    return made;
}

// Returns true if a lazy repetition ends an alternative. If that is repeated, and both may be
// empty, as in ((x*?)*)?, RE2 prefers another way than Perl, ripgrep and trawl.
bool ends_lazily(const std::string &expression)
{
    for (size_t i = 1; i + 1 < expression.size(); i++)
        if (expression[i] == '?' && std::strchr("*+?}", expression[i - 1]) != nullptr &&
            std::strchr("|)", expression[i + 1]) != nullptr)
            return true;
    return false;
}

void group_cases(uint64_t amount)
{
    static const trawl_syntax syntaxes[] = {TRAWL_PERL, TRAWL_RIPGREP, TRAWL_EXTENDED};

    for (uint64_t i = 0; i < amount; i++) {
        const trawl_syntax syntax = syntaxes[draw(3)];
        setup given;
        trawl_plan *plan = nullptr;

        given.options = TRAWL_PLAN_OPTIONS_INIT;
        given.options.syntax = syntax;
        given.options.flags = (draw(4) == 0 ? TRAWL_WHOLE_WORD : 0u) |
                              (draw(8) == 0 ? TRAWL_WHOLE_LINE : 0u) |
                              (draw(4) == 0 ? TRAWL_IGNORE_CASE : 0u);
        given.options.alphabet = draw(3) > 0 ? TRAWL_CHARACTERS : TRAWL_BYTES;
        if (!add_expression(&given, random_groups(syntax != TRAWL_EXTENDED, 3)) ||
            ends_lazily(given.expressions[0]))
            continue;
        for (uint32_t left = 60; left > 0; left--)
            given.text += draw(8) == 0 ? "\n" : draw(8) == 0 ? "é" : draw(3) == 0 ? "a" : "b";
        const trawl_pattern pattern = {given.expressions[0].data(), given.expressions[0].size()};
        borders_set(state);
        want(trawl_plan_build(&pattern, 1, &given.options, &plan, nullptr));
        compare_groups(given, plan);
        trawl_plan_free(plan);
    }
}

// ---- Long lines --------------------------------------------------------------------------------

// Searches lines with part - 1 to 2 * part + 1 words, where an engine's result has at most `part`
// hits.
void border_cases(const char *path)
{
    static const trawl_plan_options defaults = TRAWL_PLAN_OPTIONS_INIT;
    static const std::vector<std::string> sets[] = {
        {"a[ab]?"}, {"x*b"}, {"ab", "b", "[a-c]b?"}, {"\\w+ ", "a", "^.{5}", "b.a", "[^b]$"}};
    static const uint32_t flags[] = {0, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE, TRAWL_IGNORE_CASE};
    setup given;
    uint64_t row = 0;

    given.options = defaults;
    given.options.syntax = TRAWL_PERL;
    given.options.alphabet = TRAWL_CHARACTERS;
    given.options.line_ends = {1, {'\n'}};
    for (const uint64_t part : {1, 2, 7})
        for (uint64_t count = part - 1; count <= 2 * part + 1; count++)
            for (const auto &set : sets)
                for (const uint32_t flag : flags) {
                    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

                    if (engine == TRAWL_ENGINE_CUDA && row++ % 5 != 0)
                        continue; // a device leaves these borders to the host
                    given.options.flags = flag;
                    given.expressions.clear();
                    given.printed.clear();
                    for (const std::string &one : set)
                        (void)add_expression(&given, one);
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

// Checks that a line with many occurrences uses no more memory than one with a few.
void bounded_memory()
{
    static const trawl_memory allocator = {sizeof allocator, nullptr, take_memory, give_memory};
    const trawl_pattern patterns[] = {{"a[ab]?", 6}, {"b", 1}};
    trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    std::string line;

    for (int i = 0; i < 200000; i++)
        line += "ab ";
    want(trawl_set_memory(&allocator, nullptr));
    borders_set_part(500);
    plan_options.syntax = TRAWL_PERL;
    options.engine = TRAWL_ENGINE_CPU;
    const trawl_text_options memory = TRAWL_TEXT_MEMORY(line.data(), line.size());
    for (uint64_t patterns_count : {1, 2}) {
        trawl_plan *plan = nullptr;
        trawl_searcher *searcher = nullptr;
        trawl_text *text = nullptr;
        uint64_t count = 0, listed = 0, base;

        want(trawl_plan_build(patterns, patterns_count, &plan_options, &plan, nullptr));
        want(trawl_searcher_open(&options, &searcher, nullptr));
        want(trawl_text_open(nullptr, &memory, &text, nullptr));
        most = base = live;
        want(trawl_count(searcher, plan, text, &count, nullptr));
        want(ask_positions(searcher, plan, text, count_matches, &listed, nullptr));
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
    want(trawl_set_memory(nullptr, nullptr));
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
    if (engine == TRAWL_ENGINE_CPU)
        bounded_memory();
    last_lane(path);
    border_cases(path);
    if (engine == TRAWL_ENGINE_CPU)
        group_cases(5 * amount);
    for (uint64_t i = 0; i < amount; i++)
        one_case(path, i % 6 == 5);
    unlink(path);
    if (engine == TRAWL_ENGINE_CUDA) {
        std::printf("devices searched %llu chunks\n", (unsigned long long)device_chunks);
        failures += device_chunks < amount;
    }
    return failures > 0;
}
