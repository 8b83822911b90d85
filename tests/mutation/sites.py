"""sites: places in C source where a small fault can be put in, and the source with switches there.

A site is an operator or a call inside a function. Its fault is chosen at run time, so that a tree
with any number of switches is compiled once: `a < b` becomes
`(TRAWL_MUTANT(12) ? a <= b : a < b)`. Lines keep their numbers.
"""

import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tidy'))
import c_source  # noqa: E402

# Binary operators by how closely they bind: one that binds less ends an operand.
PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ['||', '&&', '|', '^', '&', '== !=', '< > <= >=', '<< >>', '+ -', '* / %'], 1
    )
    for operator in operators.split()
}
ASSIGNMENTS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}
PAIRS = '< <=,> >=,== !=,&& ||,<< >>,& |,&= |=,<<= >>='
EXCHANGED = {}
for pair in PAIRS.split(','):
    one, other = pair.split()
    EXCHANGED.update({one: other, other: one})

# Calls whose loss is a fault of its own. The kernels' barriers and fences are sim_mutation's.
SIGNAL = re.compile(
    r'(?!simt_)(\w*(signal|broadcast|wake|notify|interrupt|fence)|atomic_(store|fetch_|exchange))'
)
CLEAN_UP = re.compile(
    r'\w*(release|free|close|unlock|destroy|unmap|leave|join|reset|clear|forget|drop|unload)'
    r'|\w+_end$'
)
FORWARDS = re.compile(r'[A-Z_]+_TRY(_[A-Z]+)*$')  # macros that return a status unless it is OK
FAILS = re.compile(r'[A-Z_]+_FAIL(_[A-Z]+)*$')  # macros that make one
OK = 'TRAWL_OK'

UNEVALUATED = re.compile(
    r'sizeof|_?[Ss]tatic_assert|\w*_ASSERT|(__builtin_)?offsetof|_?[Aa]lign(as|of)|__attribute__'
)
CONTROLS = {'if', 'while', 'for', 'switch'}
NO_OPERAND = {'return', 'case', 'else', 'do', 'goto'}
TYPE = re.compile(
    r'(const|volatile|static|struct|enum|union|unsigned|signed|int|char|void|bool|float|double'
    r'|long|short|register|_Atomic|atomic_\w+|\w+_t|__m\d+\w*)$'
)
CONSTANT = re.compile(r"(\d.*|'.*'|[A-Z][A-Z0-9_]*|sizeof|\W+)$")
ONE = re.compile(r'1[uUlL]*$')
TOKEN = re.compile(
    r'"[^"]*"|\'[^\']*\'|[A-Za-z_]\w*|\.?\d(?:[eE][+-]|[\w.])*|<<=|>>=|->|\+\+|--|<<|>>'
    r'|[<>=!+*/%&|^-]=|&&|\|\||\S'
)


class Site:
    """A switch: while it is on, `faulty` stands there: texts, and (begin, end) of the source."""

    def __init__(self, operator, group, span, faulty, is_void=False):
        self.operator, self.group, self.faulty, self.is_void = operator, group, faulty, is_void
        self.begin, self.end = span
        self.file = self.function = self.text = self.key = ''
        self.line = self.number = 0
        self.lines, self.ended, self.usual_s = range(0), '', 0
        self.is_noticed = self.is_reached = False


class Source:
    """The tokens of a file, its brackets and its sites."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.bare = c_source.TOKEN.sub(
            lambda m: c_source.blank(m.group()) if m.group()[0] == '/' else m.group(), text
        )
        kept = c_source.without_directives(c_source.code_only(text)).split('\n')
        code = '\n'.join(
            line or c_source.blank(whole) for line, whole in zip(kept, text.split('\n'))
        )
        self.tokens = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(code)]
        self.words = [token[0] for token in self.tokens] + ['', '']
        self.match = {}
        opened = []
        for i, word in enumerate(self.words):
            if word in ('(', '[', '{'):
                opened.append(i)
            elif word in (')', ']', '}') and opened:
                self.match[i] = opened.pop()
                self.match[self.match[i]] = i
        self.directives = [i for i, line in enumerate(kept) if not line and text.split('\n')[i]]

    def is_cast(self, close):
        """Is this ) that of a cast?"""
        inside = self.words[self.match.get(close, close) + 1 : close]
        return bool(inside) and bool(TYPE.match(inside[0])) and inside[-1] not in ('(', ')')

    def is_binary(self, i):
        before = self.words[i - 1]
        if before == ')':
            return not self.is_cast(i - 1)
        return before == ']' or (before[:1].isalnum() or before[:1] in '_"\'') and (
            before not in NO_OPERAND
        )

    def left(self, i, level):
        """The first token of the operand that ends before token i, of an operator so close."""
        j = i
        while j > 0:
            word = self.words[j - 1]
            if word in (')', ']', '}'):
                begin = self.match.get(j - 1, j - 1)
                if word == '}' and self.words[begin - 1] != ')':
                    break
                if word == ')' and self.words[begin - 1] in CONTROLS:
                    break
                j = begin
            elif word in ('(', '[', '{', ';', ',', '?', ':') or word in ASSIGNMENTS:
                break
            elif word in NO_OPERAND:
                break
            elif word in PRECEDENCE and self.is_binary(j - 1) and PRECEDENCE[word] < level:
                break
            else:
                j -= 1
        return j

    def right(self, i, level):
        """The token after the operand that begins after token i."""
        j = i + 1
        while j < len(self.tokens):
            word = self.words[j]
            if word in ('(', '[', '{'):
                j = self.match.get(j, j) + 1
                continue
            if word in (')', ']', '}', ';', ',') or not word:
                break
            if level and (word in ('?', ':') or word in ASSIGNMENTS):
                break
            if word in PRECEDENCE and j > i + 1 and self.is_binary(j) and PRECEDENCE[word] <= level:
                break
            j += 1
        return j

    def place(self, first, last):
        return self.tokens[first][1], self.tokens[last - 1][2]

    def binary(self, i):
        """What can go wrong with the operator at token i."""
        word = self.words[i]
        level = PRECEDENCE.get(word, 0)
        first, last = self.left(i, level), self.right(i, level)
        span = self.place(first, last)
        if first == i or last == i + 1:
            return
        if all(CONSTANT.match(each) for each in self.words[first:last]):
            return
        before, after = self.place(first, i), self.place(i + 1, last)
        if word in ('+', '-') and last == i + 2 and ONE.match(self.words[i + 1]):
            yield Site(f'{word} 1 dropped', 'one off', span, [before])
            other = '-' if word == '+' else '+'
            yield Site(f'{word} 1 to {other} 1', 'one off', span, [before, f' {other} ', after])
        if word in EXCHANGED:
            group = (
                'and, or' if word in ('&&', '||')
                else 'comparison' if level in (6, 7) else 'bits'
            )  # fmt: skip
            other = EXCHANGED[word]
            yield Site(f'{word} to {other}', group, span, [before, f' {other} ', after])

    def call(self, i):
        """What can go wrong with the call whose name is token i."""
        name, close = self.words[i], self.match[i + 1]
        span = self.place(i, close + 1)
        arguments = self.place(i + 2, close) if close > i + 2 else None
        if FORWARDS.match(name) and arguments:
            yield Site(
                'failure swallowed', 'status', arguments, ['((void)(', arguments, f'), {OK})']
            )
        elif FAILS.match(name):
            yield Site('failure turned OK', 'status', span, [OK])
        before = self.words[i - 1]
        if self.words[i - 3 : i] == ['(', 'void', ')']:
            before = self.words[i - 4]
        elif before == ')' and self.words[self.match.get(i - 1, 0) - 1] in CONTROLS:
            before = ';'
        if self.words[close + 1] != ';' or before not in (';', '{', '}', ':', 'else'):
            return
        if re.match(r'atomic_(store|exchange)$', name):
            weak = [f'{name}_explicit(', arguments, ', memory_order_relaxed)']
            yield Site('order relaxed', 'signal', span, weak, True)
        for group, pattern in (('signal', SIGNAL), ('clean-up', CLEAN_UP)):
            if pattern.match(name):
                yield Site('call dropped', group, span, ['(void)0'], True)
                return

    def skipped(self, begin, end):
        """Tokens between two that are no sites: what is not evaluated, constants, array sizes."""
        skip, i, statement, assigned = set(), begin, begin, False
        while i < end:
            word = self.words[i]
            if word in (';', '{', '}'):
                statement, assigned = i + 1, False
            elif word == '=':
                assigned = True
            elif word == ',':
                assigned = False
            if UNEVALUATED.match(word) and self.words[i + 1] == '(':
                skip.update(range(i, self.match[i + 1]))
            elif word in ('static', 'case'):
                stop = i
                while self.words[stop] not in (';' if word == 'static' else ':', ''):
                    stop = self.match.get(stop, stop) + 1 if self.words[stop] in '([{' else stop + 1
                skip.update(range(i, stop))
            elif word == '[' and (
                self.words[i - 1] in ('{', ',')
                or (TYPE.match(self.words[statement]) and not assigned)
            ):
                skip.update(range(i, self.match.get(i, i)))
            i += 1
        return skip

    def function_name(self, body, name):
        """What stands before the parameters, in KERNEL(name)(parameters) too; not an attribute."""
        i = self.match.get(body - 1, 0) - 1
        name = self.words[i] if i > 0 else name
        return self.words[i - 1] if name == ')' else name

    def sites(self):
        """All sites of the file, one list for each place: its faults."""
        lines = self.text.split('\n')
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        seen = {}
        for first, last, function in c_source.functions(self.text):
            inside = [
                i for i, token in enumerate(self.tokens)
                if starts[first - 1] <= token[1] < starts[last]
            ]  # fmt: skip
            body = next((i for i in inside if self.words[i] == '{'), None)
            if body is None:
                continue
            function = self.function_name(body, function)
            skip = self.skipped(body, inside[-1] + 1)
            for i in inside:
                word = self.words[i]
                if i <= body or i in skip:
                    continue
                if word in PRECEDENCE or word in EXCHANGED:
                    found = list(self.binary(i)) if self.is_binary(i) else []
                elif self.words[i + 1] == '(' and (word[0].isalpha() or word[0] == '_'):
                    found = list(self.call(i)) if i + 1 in self.match else []
                else:
                    continue
                line = self.text.count('\n', 0, self.tokens[i][1])
                found = [site for site in found if self.is_whole(site, starts)]
                for site in found:
                    site.file, site.function, site.line = self.name, function, line + 1
                    site.text = ' '.join(lines[line].split())
                    top = self.text.count('\n', 0, site.begin) + 1
                    site.lines = range(top, top + 1 + self.text.count('\n', site.begin, site.end))
                    key = f'{self.name}: {function}: {site.operator}: {site.text}'
                    seen[key] = seen.get(key, 0) + 1
                    site.key = key + (f' #{seen[key]}' if seen[key] > 1 else '')
                if found:
                    yield found

    def is_whole(self, site, starts):
        """Does no line of the preprocessor stand inside it?"""
        return not any(site.begin <= starts[i] < site.end for i in self.directives)

    def rendered(self, sites):
        """The file with a switch at each of these."""
        return self.render(0, len(self.text), sites, self.text)

    def render(self, begin, end, sites, text):
        inside = [site for site in sites if begin <= site.begin and site.end <= end]
        top = [
            site for i, site in enumerate(inside)
            if not any(
                (other.begin, -other.end, j) < (site.begin, -site.end, i) and other.end >= site.end
                for j, other in enumerate(inside)
            )
        ]  # fmt: skip
        result, at = [], begin
        for site in sorted(top, key=lambda each: each.begin):
            rest = [each for each in inside if each is not site]
            faulty = ''.join(
                part if isinstance(part, str) else self.render(*part, rest, self.bare)
                for part in site.faulty
            )
            right = self.render(site.begin, site.end, rest, self.bare)
            faulty = faulty.replace('\n', ' ')
            cast = '(void)' if site.is_void else ''
            switch = f'(TRAWL_MUTANT({site.number}) ? {cast}({faulty}) : {cast}({right}))'
            result += [text[at : site.begin], switch]
            at = site.end
        return ''.join(result) + text[at:end]


def draw(places, count, seed):
    """One fault of each of `count` places. Where the source changes, the rest of them stay."""

    def rank(text):
        return hashlib.sha256(f'{seed} {text}'.encode()).digest()

    chosen = [min(place, key=lambda site: rank(site.key + ' fault')) for place in places]
    chosen = sorted(chosen, key=lambda site: rank(site.key))[:count]
    chosen.sort(key=lambda site: (site.file, site.line, site.begin))
    for number, site in enumerate(chosen, 1):
        site.number = number
    return chosen
