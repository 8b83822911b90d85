// quick: finds matches of sequences of characters, such as `\w+@\w+`, several times as fast as RE2.
#ifndef TRAWL_REGEX_QUICK_H
#define TRAWL_REGEX_QUICK_H

#include <memory>
#include <string>
#include <vector>

#include "regex/re2.h"

// A sequence in which no character that a repetition takes could begin what follows the repetition.
// So there is one way to match at a place, and the first try decides.
class quick
{
  public:
    // Reads an expression that rewrite wrote. Returns NULL if the expression is no such sequence.
    static std::unique_ptr<const quick> make(const std::string &source, bool bytes, bool lines);
    // As regex_ops.match for a single span; -1: RE2 has to decide.
    int match(const uint8_t *text, uint64_t from, uint64_t to, enum regex_anchor anchor,
              regex_span *span) const;

  private:
    struct item {
        uint8_t kinds[256] = {}; // what each byte is (quick.cc)
        uint64_t least = 1, most = 1;
    };

    std::vector<item> items;

    bool add(const std::string &part, bool is_bytes, bool lines);
    bool repeat(const std::string &source, size_t *at);
    bool is_plain() const;
};

#endif
