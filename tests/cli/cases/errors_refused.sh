# Options that say nothing together are refused by name.
echo abcd > f
refused() { trawl "$@" f; [ $? = 2 ] || echo "not refused: $*"; }
refused --mismatches=1 --edits=1 abcd
refused --mismatches=32 abcd
refused --edits=x abcd
refused --edits=2 ab
refused --mismatches=1 -e abcd -e x
refused --edits=1 ''
refused --fasta ''
refused --alphabet=rna abcd
refused --alphabet=dna axcd
refused --alphabet=utf8 --reverse-complement abcd
refused --alphabet=bytes --any-base abcd
for exact in 0-2 3-2 x 1- 1-2-3 -1 99999999999999999999; do
    refused --edits=1 --exact=$exact abcd
done
refused --exact=1 abcd
refused --distance abcd
refused --every-end --mismatches=1 abcd
refused --edits=1 --method=set abcd
refused --mismatches=1 --algorithm=bmh abcd
refused --edits=1 --crlf -x abcd
refused --edits=1 --distance -v abcd
for option in -v -w -x -z -C1 --passthru --replace=x --vimgrep --hex --positions \
    --count-by-pattern; do
    refused --fasta $option 61
done
