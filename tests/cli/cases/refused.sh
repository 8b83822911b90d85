# The messages about refused command lines: an example of each. (tests/cli/options.py checks what is refused.)
refused() { trawl "$@" f; [ $? = 2 ] || echo "not refused: $*"; }
each() { for options in "$@"; do refused $options; done; } # several words each
echo abcd > f
set -f
for words in '' '--version --nonesuch' 'foo -A' '-K foo'; do trawl $words; [ $? = 2 ] || echo "not refused: $words"; done
each '--no foo' '--count=3 foo' '--cuont' '--max-colum=3' '--hex 6x' '--hex 616'
each '-j abc foo' '-j 1025 foo' '-A x foo' '-m 1k foo' '--max-filesize 1X' '--max-filesize 99999999999999999999'
each '--engine=fast foo' '--directories=x foo' '--devices=x foo' '--instruction-set=x foo' '--method=grams foo' '--method=every -e bar -e foo' \
    '--path-separator=ab foo' '-g [a foo' '-g {a foo' '-t nothing foo' '--type-add x foo' '--type-add a:include:x foo' '--ignore-file nothing foo'
refused --method=x foo 2>&1 | sed 's/auto every .*/auto every/'
for colors in match match:fg:purple tie:fg:red match:style:odd match:in:red; do refused --colors=$colors foo; done
for format in foo '{path}' 'x:{line}' 'x:{path' 'x:{path}}' 'x:{path}{column}'; do refused --hyperlink-format=$format foo; done
each '--positions --count-matches foo' '--json -c foo' '--json -l foo' '-v --pattern-number foo' '--count-by-pattern -m1 foo'
each '--mismatches=1 --edits=1 abcd' '--edits=2 ab' '--mismatches=1 -e abcd -e x' '--alphabet=dna axcd' '--alphabet=utf8 --reverse-complement abcd' \
    '--alphabet=bytes --any-base abcd' '--edits=1 --exact=3-2 abcd' '--exact=1 abcd' '--distance abcd' '--every-end --mismatches=1 abcd' \
    '--edits=1 --method=set abcd' '--edits=1 --crlf -x abcd' '--edits=1 --distance -v abcd' '--fasta -C1 61' '--fasta --hex 61'
refused --fasta ''
# A message about a mistake in an expression marks the mistake. A message about what trawl lacks names
# tools that have it.
each '-E -e ab -e x[' '-P --hex 61' '-E --edits=1 abc' '-P --multiline -x -n --pattern-number a.' '-P -e a -e \pL{900}\pL{900}'
