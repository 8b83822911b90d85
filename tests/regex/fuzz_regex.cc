// fuzz_regex: makes expressions and a text from bytes. The library must reject what RE2 rejects,
// and otherwise give RE2's answer, line by line.
//
// Byte 0      bits 0-3: flags of the plan; bit 4: the line end is NUL; bit 5: NUL ends lines, too;
//             bits 6-7: syntax (1: Perl's, with Unicode's classes)
// Byte 1      sizes of the engine, chunk size, seed
// Byte 2      modulo 3: number of expressions less 1; bits 4-7: repetitions of the text less 1
// then        per expression: its length, its bytes
// then        the text
#include <cstdio>
#include <cstdlib>

#include "compare.h"

extern "C" {
#include "fuzz/fuzz.h"
}

namespace
{

constexpr size_t header_bytes = 3, expression_bytes_max = 64, expressions_max = 3;
constexpr size_t text_bytes_max = 2000;
constexpr uint64_t chunks[] = {0, 1, 7, 100};

void read_options(const uint8_t *bytes, trawl_plan_options *options)
{
    static const trawl_plan_options defaults = TRAWL_PLAN_OPTIONS_INIT;
    static const uint32_t flags[] = {TRAWL_IGNORE_CASE, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE,
                                     TRAWL_CRLF};
    static const trawl_syntax syntaxes[] = {TRAWL_PERL, TRAWL_RIPGREP, TRAWL_EXTENDED, TRAWL_BASIC};

    *options = defaults;
    for (uint32_t i = 0; i < std::size(flags); i++)
        if ((bytes[0] >> i & 1) != 0)
            options->flags |= flags[i];
    options->line_ends.count = 1 + (bytes[0] >> 5 & 1);
    options->line_ends.bytes[0] = (bytes[0] & 16) != 0 ? 0 : '\n';
    options->syntax = syntaxes[bytes[0] >> 6];
    options->alphabet = TRAWL_CHARACTERS;
}

// Opens each searcher once, because a fuzzer tries millions of inputs.
trawl_searcher *searcher_for(uint32_t chunk)
{
    static trawl_searcher *pool[std::size(chunks)];

    if (pool[chunk] == nullptr) {
        trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

        options.engine = TRAWL_ENGINE_CPU;
        options.threads = 1;
        options.chunk_bytes = chunks[chunk];
        want(trawl_searcher_open(&options, &pool[chunk], nullptr));
    }
    return pool[chunk];
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    std::vector<trawl_pattern> patterns;
    trawl_plan *plan = nullptr;
    bool accepted = true;
    trawl_error error;
    setup given;
    size_t at = header_bytes;

    if (bytes_count < header_bytes)
        return 0;
    read_options(bytes, &given.options);
    for (size_t i = 0; i <= bytes[2] % expressions_max && at < bytes_count; i++) {
        size_t count = bytes[at++] % expression_bytes_max;

        count = std::min(count, bytes_count - at);
        if (is_left_out(given.options,
                        std::string(reinterpret_cast<const char *>(bytes) + at, count)))
            return 0;
        accepted &=
            add_expression(&given, std::string(reinterpret_cast<const char *>(bytes) + at, count));
        at += count;
    }
    for (int i = 0; i <= bytes[2] / 16 && given.text.size() < text_bytes_max; i++)
        given.text.append(reinterpret_cast<const char *>(bytes) + at, bytes_count - at);
    for (const std::string &expression : given.expressions)
        patterns.push_back({expression.data(), expression.size()});
    borders_set(bytes[1]);
    const trawl_status status =
        trawl_plan_build(patterns.data(), patterns.size(), &given.options, &plan, &error);

    if (status == TRAWL_OK && accepted) {
        state = bytes[1];
        compare(given, searcher_for(bytes[1] % std::size(chunks)), plan, nullptr, false);
    } else if (status == TRAWL_OK || (accepted && status != TRAWL_LIMIT)) {
        show(given, status == TRAWL_OK ? "a plan that RE2 refuses" : error.message);
    }
    trawl_plan_free(plan);
    if (failures > 0)
        abort();
    return 0;
}
