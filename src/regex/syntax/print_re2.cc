// print_re2: writes a tree in RE2's syntax (print_re2.h).
//
// Some changes avoid faults of RE2, which joins alternatives of single characters to a set. Up to
// version 2023-11-01 the set of `n|[nN]` lacks the letter N: `[nN]` is stored as an n that ignores
// case, and the set already holds n. In all versions `[kK]|x` matches the Kelvin sign, for a
// similar reason. If each byte is a character, versions up to 2024-02-01 misread alternatives that
// begin with the same byte beyond ASCII. RE2 does not join parts that follow an empty group, so an
// empty group separates such alternatives.
#include "regex/syntax/print_re2.h"

#include <algorithm>
#include <cstring>

namespace
{

bool is_letter(char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

// Returns true if the set is a letter in both cases, and no other character.
bool is_pair(const chars &of)
{
    return of.own.size() == 2 && !of.negated && of.names.empty() && of.others.empty() &&
           of.own[0].first < 0x80 && is_letter(static_cast<char>(of.own[0].first)) &&
           of.own[0].first == of.own[0].second && of.own[1].first == of.own[1].second &&
           (of.own[0].first ^ 0x20) == of.own[1].first;
}

std::string counts_of(const syntax_node &repeat)
{
    const bool is_endless = repeat.most == SYNTAX_ENDLESS;
    std::string made = "{" + std::to_string(repeat.least);

    if (is_endless && repeat.least < 2)
        made = repeat.least == 0 ? "*" : "+";
    else if (repeat.least == 0 && repeat.most == 1)
        made = "?";
    else
        made += (is_endless                    ? ","
                 : repeat.most == repeat.least ? ""
                                               : "," + std::to_string(repeat.most)) +
                std::string("}");
    return made + (repeat.is_lazy ? "?" : "");
}

class printer
{
  public:
    printer(const syntax_node &tree, const regex_options &given)
        : root(tree), options(given), alternates(has_alternatives(tree))
    {
    }

    printed run()
    {
        put_lists(root);
        if (alternates && pairs && (others || has_three)) {
            apart = true;
            made = printed();
            put_lists(root);
        }
        if (options.marks == REGEX_MARKED_WORD)
            made.text = "(?m:^)(?:" + made.text + ")(?m:$)";
        return std::move(made);
    }

  private:
    const syntax_node &root;
    const regex_options &options;
    const bool alternates;
    bool pairs = false; // some character is a class of exactly a letter in both cases
    // for RE2, such a letter equals a third character: K the Kelvin sign, S the long s
    bool has_three = false;
    bool others = false; // some other character or class stands where case counts
    bool apart = false;
    printed made;

    static bool has_alternatives(const syntax_node &node)
    {
        return (node.kind == SYNTAX_GROUP && node.count > 1) ||
               std::any_of(node.items, node.items + node.count,
                           [](const syntax_node *item) { return has_alternatives(*item); });
    }
    void put(const syntax_node &node, bool is_repeated);
    void put_lists(const syntax_node &group);
    void put_group(const syntax_node &group);
    void put_repeat(const syntax_node &repeat);
    void put_edge(const syntax_node &edge, bool is_repeated);
    void put_character(const syntax_node &node, bool is_repeated);
};

void printer::put(const syntax_node &node, bool is_repeated)
{
    switch (node.kind) {
    case SYNTAX_CHAR:
    case SYNTAX_SET:
        put_character(node, is_repeated);
        break;
    case SYNTAX_EDGE:
        put_edge(node, is_repeated);
        break;
    case SYNTAX_REPEAT:
        put_repeat(node);
        break;
    case SYNTAX_GROUP:
        put_group(node);
        break;
    case SYNTAX_LIST:
        for (uint32_t i = 0; i < node.count; i++)
            put(*node.items[i], false);
        break;
    default:
        made.text += node.kind == SYNTAX_BYTE ? "\\C" : "(?:)";
    }
}

void printer::put_lists(const syntax_node &group)
{
    if (group.kind != SYNTAX_GROUP)
        return put(group, false);
    for (uint32_t i = 0; i < group.count; i++) {
        made.text += i > 0 ? "|" : "";
        put(*group.items[i], false);
    }
}

void printer::put_group(const syntax_node &group)
{
    if (group.bytes_count > 0 || group.bytes != nullptr) {
        const std::string open = "(?P<" + std::string(group.bytes, group.bytes_count) + ">";

        made.text += open;
        made.doubts.push_back({&group, open + ")"});
    } else {
        made.text += group.is_numbered ? "(" : "(?:";
    }
    put_lists(group);
    made.text += ")";
}

void printer::put_repeat(const syntax_node &repeat)
{
    const syntax_node &item = *repeat.items[0];
    // RE2 would read "a**" as a mistake, and "a*?" as a single operator
    const bool groups = item.kind == SYNTAX_REPEAT;

    made.text += groups ? "(?:" : "";
    put(item, true);
    made.text += groups ? ")" : "";
    made.text += counts_of(repeat);
    made.has_counts |= repeat.least > 1 || (repeat.most > 1 && repeat.most != SYNTAX_ENDLESS);
}

// Writes an assertion. RE2 has no edges of words but \b and \B, and without marks, its \b knows
// only ASCII words: so the expression may match too often. A program that reads marked copies of
// lines then decides (words.h). Such copies have no line ends.
void printer::put_edge(const syntax_node &edge, bool is_repeated)
{
    const char letter = edge.letter;
    const bool is_marked = options.marks != REGEX_UNMARKED;
    const bool by_lines = ((edge.flags & SYNTAX_MANY_LINES) != 0 || options.lines) &&
                          (options.marks == REGEX_UNMARKED || options.marks == REGEX_MARKED_LINES);
    const bool groups = is_repeated && is_marked && (letter == 'm' || letter == 'M');

    made.text += groups ? "(?:" : "";
    if (letter == '^' || letter == '$')
        made.text += std::string(by_lines ? "(?m:" : "") + letter + (by_lines ? ")" : "");
    else if (letter == 'm' || letter == 'M')
        made.text += "\\b";
    else if (letter != 'h' && letter != 'H')
        made.text += std::string("\\") + letter;
    if (is_marked && (letter == 'm' || letter == 'h'))
        made.text += "(?m:^)";
    else if (is_marked && (letter == 'M' || letter == 'H'))
        made.text += "(?m:$)";
    else if (letter == 'h' || letter == 'H')
        made.text += "(?:)";
    made.text += groups ? ")" : "";
}

void printer::put_character(const syntax_node &node, bool is_repeated)
{
    const bool folds = (node.flags & SYNTAX_FOLDS) != 0;
    const bool is_set = node.kind == SYNTAX_SET, is_marked = options.marks != REGEX_UNMARKED;
    const bool is_high = static_cast<uint8_t>(node.bytes[0]) >= 0x80;
    const std::string part = part_of(node);
    regex_options here = options;

    here.dot_all = (node.flags & SYNTAX_DOT_ALL) != 0;
    try {
        const written both = write_chars(part, here, folds);
        const bool is_two = is_pair(both.of);

        made.sets += is_set;
        if (!both.of.names.empty() || !both.of.others.empty())
            made.doubts.push_back({&node, both.text});
        pairs |= is_two;
        has_three |=
            is_two && std::strchr("kKsS", static_cast<int>(both.of.own[0].first)) != nullptr;
        others |= !is_two && !folds;
        if ((apart && is_two) ||
            (alternates && options.bytes && (is_high || (is_set && node.bytes_count > 2))))
            made.text += "(?:)";
        const bool groups = is_marked && is_repeated && both.text.size() > 1;
        made.text += groups ? "(?:" + both.text + ")" : both.text;
    } catch (const mistake &found) {
        throw mistake{node.from + (node.is_compact ? 0 : found.at), found.what, &node};
    }
}

} // namespace

printed print_re2(const syntax_node &root, const regex_options &options)
{
    return printer(root, options).run();
}
