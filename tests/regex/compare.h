// compare: compares the library's answers with RE2's when RE2 reads each line by itself, or the
// whole text.
#ifndef TRAWL_TESTS_REGEX_COMPARE_H
#define TRAWL_TESTS_REGEX_COMPARE_H

#include <string>
#include <vector>

#include "asks.h"
#include "trawl.h"

// Functions of regex_borders.c.
extern "C" void borders_set(uint64_t seed);
extern "C" void borders_set_part(uint64_t hits);
extern "C" void borders_set_states(uint32_t states);
extern "C" void borders_set_device(uint64_t seed);

struct setup {
    std::vector<std::string> expressions;
    std::vector<std::string> printed; // in RE2's syntax
    std::string text;
    trawl_plan_options options;
};

// Returns true if occurrences may cross lines (TRAWL_MULTILINE): RE2 then reads the text as one
// line.
bool is_multi(const setup &given);

// Adds an expression. Returns true if RE2 accepts what the library's printer writes for it.
bool add_expression(setup *given, const std::string &expression);

// Returns true if compare() skips the expression, because RE2 does not define the right answer:
// expressions with \<, \> or \b{ and, if only whole words match, also expressions with \B, \C or
// (?m).
bool is_left_out(const trawl_plan_options &options, const std::string &expression);

extern uint64_t state; // of the random numbers of draw()
extern int failures;
extern uint64_t device_chunks; // chunks in which devices searched for atoms

uint32_t draw(uint32_t below);
// Exits with 2 unless the status is TRAWL_OK.
void want(trawl_status status);
// Prints the case, and counts a failure. Exits at the eleventh failure.
void show(const setup &given, const char *call);
// Makes all calls with the text in memory, in the file `path` or in a pipe; path NULL: only in
// memory. If `loads`, devices also load the text.
void compare(const setup &given, trawl_searcher *searcher, const trawl_plan *plan, const char *path,
             bool loads);
// Compares the groups of some occurrences in the text.
void compare_groups(const setup &given, const trawl_plan *plan);
// Searches pieces of the text as records.
void compare_records(setup given, trawl_searcher *searcher, const trawl_plan *plan);

#endif
