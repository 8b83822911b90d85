/* contest: the rows of `trawl-bench commands`, and what their times say. */
#include <string.h>

#include "bench/contest.h"

#define MIB (1ull << 20)
#define BOTH_RG (RUNNER_BIT(RG) | RUNNER_BIT(RG_READ))
#define GREP_RG (RUNNER_BIT(GREP) | RUNNER_BIT(RG))
#define ALL_PEERS (RUNNER_BIT(GREP) | BOTH_RG)
#define PIPES (RUNNER_BIT(CAT) | RUNNER_BIT(WC))

const char *const runner_labels[RUNNERS] = {
#define RUNNER_LABEL(name, label) label,
    RUNNER_LIST(RUNNER_LABEL)
#undef RUNNER_LABEL
};

/* name, file, pattern or its length, options, threads, who runs, baseline, bars, fed, ignores */
const struct contest contests[] = {
    {"rare word -c, 1 thread", FILE_ENGLISH, "Habakkuk", 0, "-c", "1", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"rare word -c, 2 threads", FILE_ENGLISH, "Habakkuk", 0, "-c", "2", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"absent word -c, 1 thread", FILE_ENGLISH, "Qxzjvkw", 0, "-c", "1", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"absent word -c, 2 threads", FILE_ENGLISH, "Qxzjvkw", 0, "-c", "2", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"letters m=16 -c, 1 thread", FILE_LETTERS, NULL, 16, "-c", "1", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"letters m=16 -c, 2 threads", FILE_LETTERS, NULL, 16, "-c", "2", BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"frequent word -c, 1 thread", FILE_ENGLISH, "the", 0, "-c", "1", BOTH_RG, ALL_PEERS, 0, 0,
     false, false},
    {"frequent word -c", FILE_ENGLISH, "the", 0, "-c", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"frequent word -n", FILE_ENGLISH, "the", 0, "-n", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"frequent word -o", FILE_ENGLISH, "the", 0, "-o", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"rare word -c -i", FILE_ENGLISH, "habakkuk", 0, "-c -i", NULL, BOTH_RG, BOTH_RG, 1.0, 0, false,
     false},
    {"frequent word -c -i", FILE_ENGLISH, "the", 0, "-c -i", NULL, BOTH_RG, BOTH_RG, 1.0, 0, false,
     false},
    {"DNA lines m=8 -c", FILE_DNA70, NULL, 8, "-c", NULL, BOTH_RG, BOTH_RG, 4.0, 0, false, false},
    {"DNA lines m=16 -c", FILE_DNA70, NULL, 16, "-c", NULL, BOTH_RG, BOTH_RG, 4.0, 0, false, false},
    {"one line m=16 -c", FILE_DNA, NULL, 16, "-c", NULL, BOTH_RG, ALL_PEERS, 1.0, 64 * MIB, false,
     false},
    {"one line m=16 -o -b", FILE_DNA, NULL, 16, "-o -b", NULL, BOTH_RG, ALL_PEERS, 1.0, 64 * MIB,
     false, false},
    {"pipe, rare word -c", FILE_ENGLISH, "Habakkuk", 0, "-c", NULL, RUNNER_BIT(RG) | PIPES,
     RUNNER_BIT(CAT), 0.9, 0, true, false},
    {"1 KiB file -c", FILE_SMALL, "the", 0, "-c", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"1 KiB file -n", FILE_SMALL, "the", 0, "-n", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"1 KiB file -o", FILE_SMALL, "the", 0, "-o", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"1 KiB file -c -i", FILE_SMALL, "the", 0, "-c -i", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0,
     false, false},
    {"1 KiB file -v", FILE_SMALL, "the", 0, "-v", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"1 KiB file -c -w", FILE_SMALL, "the", 0, "-c -w", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0,
     false, false},
    {"1 KiB file -l", FILE_SMALL, "the", 0, "-l", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"10 MB file -c", FILE_MEDIUM, "Habakkuk", 0, "-c", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"10 MB file -n", FILE_MEDIUM, "the", 0, "-n", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false, false},
    {"10 MB file -o", FILE_MEDIUM, "the", 0, "-o", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false, false},
    {"10 MB file -c -i", FILE_MEDIUM, "habakkuk", 0, "-c -i", NULL, BOTH_RG, ALL_PEERS, 1.0, 0,
     false, false},
    {"10 MB file -v", FILE_MEDIUM, "the", 0, "-v", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false, false},
    {"10 MB file -c -w", FILE_MEDIUM, "the", 0, "-c -w", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"10 MB file -l", FILE_MEDIUM, "Habakkuk", 0, "-l", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"1 GiB file -v", FILE_ENGLISH, "the", 0, "-v", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false, false},
    {"1 GiB file -c -w", FILE_ENGLISH, "the", 0, "-c -w", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"1 GiB file -l", FILE_ENGLISH, "Qxzjvkw", 0, "-l", NULL, BOTH_RG, ALL_PEERS, 1.0, 0, false,
     false},
    {"tree -l absent", FILE_TREE, "Qxzjvkw", 0, "-l", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"tree -l", FILE_TREE, "unsafe", 0, "-l", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false, false},
    {"tree -c", FILE_TREE, "unsafe", 0, "-c", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false, false},
    {"tree -n", FILE_TREE, "unsafe", 0, "-n", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false, false},
    {"tree -o", FILE_TREE, "unsafe", 0, "-o", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false, false},
    {"tree -n -i", FILE_TREE, "Unsafe", 0, "-n -i", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"tree -c -v", FILE_TREE, "unsafe", 0, "-c -v", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"tree -n -w", FILE_TREE, "unsafe", 0, "-n -w", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"tree -n absent", FILE_TREE, "Qxzjvkw", 0, "-n", NULL, RUNNER_BIT(RG), GREP_RG, 1.0, 0, false,
     false},
    {"tree, ignore rules -l absent", FILE_TREE, "Qxzjvkw", 0, "-l", NULL, RUNNER_BIT(RG),
     RUNNER_BIT(RG), 1.0, 0, false, true},
    {"tree, ignore rules -c", FILE_TREE, "unsafe", 0, "-c", NULL, RUNNER_BIT(RG), RUNNER_BIT(RG),
     1.0, 0, false, true},
    {"tree, ignore rules -n", FILE_TREE, "unsafe", 0, "-n", NULL, RUNNER_BIT(RG), RUNNER_BIT(RG),
     1.0, 0, false, true},
};
const uint32_t contest_count = sizeof contests / sizeof contests[0];

enum runner contest_judge(const struct contest *contest)
{
    return contest->ignores ? RUNNER_RG : RUNNER_GREP;
}

double contest_ratio(const struct contest_result *result, enum runner *best)
{
    double trawl = samples_median(&result->runner[RUNNER_TRAWL].samples), least = 0;

    for (uint32_t i = 0; i < RUNNERS; i++) {
        const struct runner_result *peer = &result->runner[i];
        double seconds = samples_median(&peer->samples);

        /* A fast wrong answer has no time. */
        if ((result->contest->baseline >> i & 1) == 0 || !peer->ran || !peer->same_answer)
            continue;
        if (least == 0 || seconds < least) {
            least = seconds;
            *best = (enum runner)i;
        }
    }
    return trawl > 0 ? least / trawl : 0;
}

const char *contest_verdict(const struct contest_result *result)
{
    const struct contest *contest = result->contest;
    enum runner best = RUNNER_TRAWL;
    double ratio = contest_ratio(result, &best);

    if (ratio == 0)
        return "skipped";
    if (contest->memory_bar > 0 && result->runner[RUNNER_TRAWL].memory_bytes > contest->memory_bar)
        return "low";
    return contest->bar == 0 ? "" : ratio < contest->bar ? "low" : "ok";
}
