"""test_sites: which faults sites.py finds in a sample, what it writes, and that this runs."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import mutation
import sites

HERE = os.path.dirname(os.path.abspath(__file__))

SAMPLE = r"""
#include <stdio.h>
#define MACRO(a) ((a) < 3 ? (a) + 1 : (a))
#define TRAWL_OK 0
#define ANY_TRY(call) do { int s_ = (call); if (s_ != TRAWL_OK) return s_; } while (0)
#define ANY_FAIL(...) (7)
#define ANY_ASSERT(c) ((void)0)
enum { SIZE = 4 + 1, AREA = SIZE << 2 };
_Static_assert(SIZE < 10, "a < b");
static const int table[SIZE - 1] = {1 + 1};
static int held;
static void thing_release(int x) { held -= x; }
static int check(int a) { if (a > 4) return ANY_FAIL("a > b"); return TRAWL_OK; }
static int area(int a, int b, const int *p)
{
    static const int scale = 3 + 1;
    int row[SIZE + 1] = {0}, last = a - b + 1; /* a < b */
    ANY_ASSERT(a < b);
    ANY_TRY(check(a));
    row[b - 1] = *p & ~a;
    if (a == 3 && (long)sizeof(row + 1) > b || !(a >= b))
        last |= a << 2u;
    for (int i = SIZE - 1; i < b; i++)
        held += (unsigned)-1 > 2u;
    thing_release(last);
    switch (a) {
    case SIZE + 1: return *p * scale;
    default: return last + row[0] + table[0] + MACRO(a);
    }
}
int main(void) { int p = 6; int sum = area(3, 2, &p); printf("%d %d\n", sum, held); return 0; }
"""

# The text that has the switch, the fault's operator, the text while it is on.
EXPECTED = [
    ('a > 4', '> to >=', 'a >= 4'),
    ('ANY_FAIL("a > b")', 'failure turned OK', 'TRAWL_OK'),
    ('a - b + 1', '+ 1 dropped', 'a - b'),
    ('a - b + 1', '+ 1 to - 1', 'a - b - 1'),
    ('check(a)', 'failure swallowed', '((void)(check(a)), TRAWL_OK)'),
    ('b - 1', '- 1 dropped', 'b'),
    ('b - 1', '- 1 to + 1', 'b + 1'),
    ('*p & ~a', '& to |', '*p | ~a'),
    ('a == 3', '== to !=', 'a != 3'),
    ('a == 3 && (long)sizeof(row + 1) > b', '&& to ||', 'a == 3 || (long)sizeof(row + 1) > b'),
    ('(long)sizeof(row + 1) > b', '> to >=', '(long)sizeof(row + 1) >= b'),
    ('a == 3 && (long)sizeof(row + 1) > b || !(a >= b)', '|| to &&',
     'a == 3 && (long)sizeof(row + 1) > b && !(a >= b)'),
    ('a >= b', '>= to >', 'a > b'),
    ('last |= a << 2u', '|= to &=', 'last &= a << 2u'),
    ('a << 2u', '<< to >>', 'a >> 2u'),
    ('i < b', '< to <=', 'i <= b'),
    ('(unsigned)-1 > 2u', '> to >=', '(unsigned)-1 >= 2u'),
    ('thing_release(last)', 'call dropped', '(void)0'),
]  # fmt: skip


def ran(source, chosen, number):
    """What the sample prints with these switches, one of them on."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'sample.c')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(source.rendered(chosen))
        flags = ['-w', f'-DTRAWL_MUTANTS={len(chosen)}', '-include', os.path.join(HERE, 'mutant.h')]
        program = os.path.join(folder, 'sample')
        files = [path, os.path.join(HERE, 'mutant.c')]
        subprocess.run(['cc', '-D_GNU_SOURCE', *flags, '-o', program, *files], check=True)
        environment = dict(os.environ, TRAWL_MUTANT=str(number))
        done = subprocess.run([program], env=environment, capture_output=True, check=True)
        return done.stdout.decode().strip()


def main():
    failed = 0

    def check(got, expected):
        nonlocal failed
        if got != expected:
            failed += 1
            print(f'got      {got}\nexpected {expected}')

    source = sites.Source('sample.c', SAMPLE)
    places = list(source.sites())
    found = [site for place in places for site in place]
    shown = []
    for site in found:
        site.number = 1
        text = source.render(site.begin, site.end, [site], source.bare)
        parts = re.fullmatch(r'\(TRAWL_MUTANT\(1\) \? (?:\(void\))?\((.*)\) : .*\)', text)
        faulty = ' '.join(parts.group(1).split())
        shown.append((SAMPLE[site.begin : site.end], site.operator, faulty))
    check(sorted(shown), sorted(EXPECTED))
    for site in found:  # lines keep their numbers
        check(source.rendered([site]).count('\n'), SAMPLE.count('\n'))

    # 3 - 2 + 1 = 2, then 2 | 3 << 2 = 14; 14 + 0 + 2 + MACRO(3) = 19; the loop runs no turn.
    chosen = sites.draw(places, 100, 1)
    numbers = {site.text + ': ' + site.operator: site.number for site in chosen}
    check(ran(source, chosen, 0), '19 -14')
    name = next(name for name in numbers if name.startswith('last |= '))
    check(name, 'last |= a << 2u;: |= to &=')
    check(ran(source, chosen, numbers[name]), '5 0')
    check(ran(source, chosen, numbers['thing_release(last);: call dropped']), '19 0')

    # The same seed draws the same; where a line is added, the others stay.
    first = {site.key for site in sites.draw(places, 6, 5)}
    later = sites.Source('sample.c', SAMPLE.replace('held += ', 'held += (a < 1) + '))
    second = {site.key for site in sites.draw(list(later.sites()), 6, 5)}
    check(len(first & second) >= 4, True)
    check(first, {site.key for site in sites.draw(places, 6, 5)})
    check(first != {site.key for site in sites.draw(places, 6, 6)}, True)

    # The log of the ctest that runs this stays: the suite had not looked at what a failed test said.
    with tempfile.TemporaryDirectory() as build:
        log = pathlib.Path(build, 'Testing', 'Temporary', 'LastTest.log')
        log.parent.mkdir(parents=True)
        log.write_text('what a test printed')
        pathlib.Path(build, 'CTestTestfile.cmake').write_text('add_test(one true)\n')
        check([test['name'] for test in mutation.ctest_tests(build)], ['one'])
        check(log.read_text(), 'what a test printed')
    print(f'{len(found)} faults found, {failed} checks failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
