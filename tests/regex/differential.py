#!/usr/bin/env python3
"""differential: searches random files for random expressions, by trawl and tg, and by grep and ripgrep.

usage: differential.py BUILD

Output and exit status have to be equal if the syntaxes mean the same (docs/regex.md). The drawn expressions have no
parts in which the programs differ by design.
"""
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../grep'))
import cases
import locales

PIECES = ['a', 'b', 'c', 'A', 'B', 'ab', 'abc', 'k', ' ', '_', '-', '1', '22', 'é', 'É', 'ко', 'x']
CLASSES = ['.', '[ab]', '[^a]', '[a-c]', '[[:digit:]]', '[[:space:]]', '[^[:space:]]', '[b_-]']
# Letters beyond ASCII, and classes to which ripgrep and tg give the meaning of Unicode.
WIDE_PIECES = ['é', 'ñ', '中', 'ⅷ', '²', '٣', '‿', 'ⓐ', '🄰', '\u0301', '👍', '\u200d', '\u00a0', '\u2003', '\u2028', 'ª']
WIDE_CLASSES = [r'\w', r'\W', r'\d', r'\D', r'\s', r'\S', r'[\w-]', r'[^\w]', r'[\W_]', r'[^\W_]', r'[^\W\d_]', r'[^\W]',
                r'[\W\d]', r'[^\S]', r'[^\d\s]', r'[a\W]', r'[а-яé]', r'[^\Sa]', r'[\S\d]', r'[^a\w]']  # fmt: skip
REPEATS = ['*', '+', '?', '{2}', '{1,2}', '{0,2}', '{2,}']
NAMES = ['alpha', 'alnum', 'upper', 'lower', 'punct', 'space', 'digit', 'print', 'graph', 'cntrl', 'blank', 'xdigit']
GREP_PIECES = [r'\.', '[]a]', '[^]a]', '[a\\]', '[^b-]', r'\w', r'\W', r'\s', r'\S', *(f'[[:{name}:]]' for name in NAMES),
               *(f'[^[:{name}:]_[:{other}:]-]' for name, other in zip(NAMES, ['digit', 'blank', 'punct'] * 4))]  # fmt: skip
# Pieces for texts of ASCII alone: GNU grep 3.8 overlooks word boundaries in repeated groups, and beside bytes of
# no character.
WORD_PIECES = [r'\<a', r'b\>', r'\bx', r'\Bx'] * 4
RG_PIECES = ['(?i:aB)', '(?:ab|c)', r'\x61', r'[^\x61]', r'\.', '[a-b-]', '(?s:.)', r'x\<*a', r'\b{start}?b', r'a\>{0,2}', r'b\b*?',
             r'(?:\<)*a', r'c\b{end}{1,2}']  # fmt: skip

WORDS = []  # has an item if ripgrep is version 15, whose -w means the same as tg's

# An expression that consists only of these parts is a string, except that '.' and '*' may be operators.
QUOTED_PIECES = [r'\\', r'\\', r'\*', r'\.', 'a', 'b', 'a*', r'\\*', '.']


def expression(draw, depth=2, wide=False, more=GREP_PIECES):
    parts = []
    for _ in range(draw.randint(1, 4)):
        kind = draw.random()
        if wide and kind < 0.5:
            part = draw.choice(WIDE_CLASSES if kind < 0.35 else WIDE_PIECES)
        elif kind < 0.5:
            part = draw.choice(PIECES)
        elif kind < 0.58:
            part = draw.choice(more)
            part = '(' + part + ')' if '|' in part else part
        elif kind < 0.75 or depth == 0:
            part = draw.choice(CLASSES)
        else:
            part = '(' + expression(draw, depth - 1, wide, more) + ')'
        if draw.random() < 0.25 and re.search(r'\\[<>bB]', part) is None:
            if len(part) > 1 and part[0] not in '([\\':
                part = '(' + part + ')'
            part += draw.choice(REPEATS)
        parts.append(part)
    made = ''.join(parts)
    if draw.random() < 0.15:
        made += '|' + expression(draw, 0, more=more)
    # GNU grep 3.8 misses lines if an anchor stands in a repeated group.
    if depth == 2 and draw.random() < 0.15:
        made = '^' + made
    if depth == 2 and draw.random() < 0.15:
        made += '$'
    return made


def basic(text):
    """Return the expression, whose escapes mean the same in both syntaxes, in the basic syntax."""
    out, in_class = '', 0
    i = 0
    while i < len(text):
        if text[i] == '[':
            end = i + re.match(r'\[\^?\]?(?:\[:\w+:\]|[^\]])*\]', text[i:]).end()
            out += text[i:end]
            i = end
            continue
        if text[i] == '\\':
            out += text[i : i + 2]
            i += 2
            continue
        out += '\\' + text[i] if text[i] in '(){}|+?' else text[i]
        i += 1
    return out


def text(draw, wide, ascii):
    lines = []
    pieces = PIECES + WIDE_PIECES if wide or draw.random() < 0.5 else PIECES
    pieces = [piece for piece in pieces if piece.isascii() or not ascii]
    for _ in range(draw.choice([0, 1, 3, 30, 300])):
        lines.append(''.join(draw.choice(pieces) for _ in range(draw.randint(0, 12))))
    made = '\n'.join(lines).encode()
    if draw.random() < 0.8:
        made += b'\n'
    if draw.random() < 0.1:
        made = made.replace(b'x', b'\xff')
    if draw.random() < 0.2:
        made = made.replace(b'\n', b'\r\n')
    return made


def run(command, environment):
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=60)
    return done.stdout, done.returncode


def grep_case(draw, name, ascii, crlf):
    options = [o for o in ['-i', '-v', '-w', '-x', '-n', '-b', '-c', '-o', '-l', '-a', '-z', '-A1', '-B2', '--color=always'] if draw.random() < 0.15]
    if draw.random() < 0.1:
        options += ['-m', '2']
    more = GREP_PIECES + WORD_PIECES * ascii
    made = expression(draw, more=more)
    syntax = '-E'
    if draw.random() < 0.2:
        syntax, made = '-G', basic(made)
    patterns = ['-e', made]
    if draw.random() < 0.15:
        other = expression(draw, more=more)
        patterns += ['-e', basic(other) if syntax == '-G' else other]
    return ['grep', syntax, *options, *patterns, name], ['trawl', syntax, *options, *patterns, name]


def rg_case(draw, name, ascii, crlf):
    options = ['-w'] * len(WORDS) + ['-i', '-v', '-x', '-n', '-b', '-c', '-o', '--column', '--vimgrep', '-S', '--passthru', '-C1']
    options = [o for o in options if draw.random() < 0.1] + ['--crlf'] * (draw.random() < (0.6 if crlf else 0.05))
    made = expression(draw, wide=draw.random() < 0.5, more=RG_PIECES)
    if draw.random() < 0.2:
        made = re.sub(r'([*+?}])', r'\1?', made, count=1)
    if '--crlf' in options and '|' not in made and draw.random() < 0.5:
        made = made.rstrip('$') + '$'
    if draw.random() < (0.5 if crlf else 0.2):
        options += ['-r', draw.choice(['<$0>', '[$1]', '<$1>', '${1}x', '$2$1', 'n'])]
    patterns = ['-e', made]
    if draw.random() < 0.15:
        patterns += ['-e', expression(draw, more=RG_PIECES)]
    common = ['-j1', '--no-config', *options, *patterns, name]
    return ['rg', *common], ['tg', *common]


def long_cases(name):
    """Yield pairs of commands for a line with more occurrences than the library keeps at a time."""
    pattern = ['-e', '(A|b) ?', name]
    for options in [['-r', '<$1>'], ['-r', '<$1>', '-o'], ['-b', '-o']]:
        yield ['rg', '-j1', '--no-config', *options, *pattern], ['tg', '-j1', '--no-config', *options, *pattern]
    for options in [['-c', '-w'], ['-c', '-x'], ['-v']]:
        yield ['grep', '-aE', *options, *pattern], ['trawl', '-aE', *options, *pattern]


def quoted_cases(draw, name):
    """Yield pairs of commands for patterns made of quoted and plain characters, which are strings, and for similar
    patterns with an operator '.' or '*', which are expressions."""
    with open(name, 'w') as file:
        for count in range(5):
            for characters in itertools.product('ab\\*.', repeat=count):
                file.write(''.join(characters) + '\n')
    for number in range(60):
        made = ''.join(draw.choice(QUOTED_PIECES) for _ in range(draw.randint(1, 5)))
        program, options = draw.choice([('grep', ['-E']), ('grep', ['-G']), ('grep', ['-Ex']), ('grep', ['-P']), ('rg', ['-j1', '--no-config'])])
        yield [program, *options, '-n', made, name], [{'grep': 'trawl', 'rg': 'tg'}[program], *options, '-n', made, name]


def empties(made):
    """Return True if an expression may match the empty string. ripgrep lists empty occurrences, and trawl does not."""
    made = re.sub(r'\[\^?\[:\w+:\]\]', '[0]', made)
    try:
        return re.search(made, '', re.M) is not None or re.search('\\A(?:%s)' % made, 'zz') is not None
    except re.error:
        return True


def matches_nothing(wanted, pattern):
    """Return True if grep says that the expression matches the empty line."""
    syntax = '-G' if '-G' in wanted else '-E'
    done = subprocess.run(['grep', syntax, '-qxe', pattern], input=b'\n', check=False)
    return done.returncode == 0


def differs_by_design(wanted):
    """Return True if docs/regex.md says that the programs differ for this command."""
    patterns = [wanted[i + 1] for i, word in enumerate(wanted) if word == '-e']
    if '-C1' in wanted and {'--passthru', '-o', '--vimgrep'} & set(wanted):  # ripgrep prints context
        return True
    if '-v' in wanted and ('-o' in wanted or '-r' in wanted):
        return True
    # grep treats the line end as a part of the occurrence
    if wanted[0] == 'grep' and {'-w', '-x'} <= set(wanted) and {'-o', '--color=always'} & set(wanted):
        return True
    if wanted[0] == 'grep' and '-w' in wanted and any(matches_nothing(wanted, p) for p in patterns):
        return True
    if {'-w', '--crlf'} <= set(wanted) and any(empties(p) for p in patterns):
        return True
    if wanted[0] == 'rg':
        return any(empties(p) or '|' in p and '$' in p or p.startswith('^') for p in patterns) and any(
            o in wanted for o in ('-o', '-r', '--vimgrep', '--column', '-c')
        )
    return False


def overlooks(wanted, got, programs, environment):
    """Return True if trawl finds all whole words that grep finds, and further words: grep overlooks words that begin
    inside a longer match."""
    if wanted[0] != 'grep' or '-w' not in wanted or not {'-o', '--color=always'} & set(wanted):
        return False
    kept = [[programs[one[0]], '-ob', *(word for word in one[1:] if word not in ('--color=always', '-c', '-l'))] for one in (wanted, got)]
    first, second = (set(run(command, environment)[0].split(b'\0' if '-z' in wanted else b'\n')) for command in kept)
    return first < second


def main():
    build = os.path.abspath(sys.argv[1])
    seed = int(os.environ.get('TRAWL_TEST_SEED') or 1)
    amount = max(40, 2400 // int(os.environ.get('TRAWL_TEST_DIVISOR') or 1))
    draw = random.Random(seed)
    print(f'TRAWL_TEST_SEED={seed}, {amount} cases')
    failures, broken = 0, False
    rg = cases.ripgrep() or 'rg'
    version = subprocess.check_output([rg, '--version']) if shutil.which(rg) else b''
    has_rg = b'ripgrep 13.' in version or b'ripgrep 15.' in version
    WORDS.extend([True] * (b'ripgrep 15.' in version))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(build, 'trawl'), os.path.join(folder, 'tg'))
        name = os.path.join(folder, 'text')
        found = ['C.UTF-8', 'C.UTF-8', 'C', *(one for one in locales.prepare(os.path.join(build, 'trawl'), False) if locales.letters(one))]
        environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TRAWL_CONFIG_PATH': '/dev/null'}
        programs = {
            'grep': 'grep',
            'rg': rg,
            'trawl': os.path.join(build, 'trawl'),
            'tg': os.path.join(folder, 'tg'),
        }
        with open(name, 'wb') as file:
            file.write(b'no\n' + b'A\xffb b' * 400000 + b'\nb\n')
        every = os.path.join(folder, 'every')
        with open(every, 'wb') as file:  # blocks with letters, digits and blanks that did not change since ripgrep 13
            for block in (range(1, 0x80), range(0xA0, 0x530), range(0x1680, 0x1682), range(0x2000, 0x2070), range(0x2460, 0x2500),
                          range(0x2FF0, 0x3010), range(0xFE30, 0xFE50), range(0xFF00, 0xFF60), range(0x1F120, 0x1F1A0)):  # fmt: skip
                file.write(b''.join(chr(code).encode() + b'\n' for code in block if code != 10))
        fixed = [*long_cases(name), *quoted_cases(draw, os.path.join(folder, 'quoted'))]
        fixed = [case for case in fixed if has_rg or case[0][0] == 'grep']
        for part in WIDE_CLASSES if has_rg else []:
            fixed.append([[program, '-j1', '--no-config', '-n', f'^{part}$', every] for program in ('rg', 'tg')])
        unended = os.path.join(os.path.dirname(name), 'unended')  # the last line has no line end
        with open(unended, 'wb') as file:
            file.write(b'a\nb')
        for options in [['-n'], ['-c'], ['-c', '-v'], ['-c', '-r', 'n'], ['-c', '-v', '-r', 'n'], ['-v', '-b'], ['-o', '-r', 'n']] if has_rg else []:
            for made in ('x.y', '[a]', '[^a]'):
                fixed.append([[program, '-j1', '--no-config', *options, '-e', made, unended] for program in ('rg', 'tg')])
        for number in range(-len(fixed), amount):
            if number >= 0 and number % 4 == 0:
                wide = has_rg and draw.random() < 0.3
                with open(name, 'wb') as file:
                    ascii = not wide and draw.random() < 0.5
                    made = text(draw, wide, ascii)
                    file.write(made)
                broken, crlf = b'\xff' in made, b'\r\n' in made
            case = rg_case if number >= 0 and (wide or (has_rg and draw.random() < 0.4)) else grep_case
            wanted, got = fixed[number] if number < 0 else case(draw, name, ascii and not broken, crlf)
            environment['LC_ALL'] = draw.choice(found) if case is grep_case and number >= 0 else 'C.UTF-8'
            if number >= 0 and differs_by_design(wanted):
                continue
            if broken and {'-A1', '-B2'} & set(wanted):  # grep may print context after a line that it does not print
                continue
            first = run([programs[wanted[0]], *wanted[1:]], environment)
            second = run([programs[got[0]], *got[1:]], environment)
            if '--crlf' in wanted:  # ripgrep also ends the lines that it adds with a carriage return
                first, second = ((out.replace(b'\r\n', b'\n'), status) for out, status in (first, second))
            if first == second or overlooks(wanted, got, programs, environment):
                continue
            failures += 1
            print('DIFFERENT:', environment['LC_ALL'], ' '.join(f"'{word}'" for word in wanted))
            print('  text:', open(wanted[-1], 'rb').read()[:300])
            print('  wanted:', first[0][:300], first[1])
            print('  got:   ', second[0][:300], second[1])
            if failures > 10:
                break
    sys.exit(failures > 0)


if __name__ == '__main__':
    main()
