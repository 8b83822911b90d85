// quick: matches simple sequences of characters, like `\w+@\w+`, several times as fast as RE2.
#ifndef TRAWL_REGEX_QUICK_H
#define TRAWL_REGEX_QUICK_H

#include <memory>
#include <string>
#include <vector>

#include "regex/re2.h"

// A sequence of characters with repetitions. No character that a repetition takes could also begin
// what follows the repetition. So at each position there is only one way to match, and the first
// try decides.
class quick
{
  public:
    // Reads an expression that rewrite() has written. Returns NULL if it is not such a sequence.
    static std::unique_ptr<const quick> make(const std::string &source, bool bytes, bool lines);
    // Finds a match as regex_ops.match does, for a single span. Returns -1 if RE2 has to decide.
    int match(const uint8_t *text, uint64_t from, uint64_t to, enum regex_anchor anchor,
              regex_span *span) const;

  private:
    struct item {
        uint8_t kinds[256] = {}; // for each byte, whether it fits (enum kind in quick.cc)
        uint64_t least = 1, most = 1;
    };

    std::vector<item> items;

    bool add(const std::string &part, bool is_bytes, bool lines);
    bool repeat(const std::string &source, size_t *at);
    bool is_plain() const;
};

#endif
