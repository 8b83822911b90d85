# FASTA: the ends of a sequence's lines do not matter, other lines are not searched. Numbers by hand.
# one: acgtACGTACGT; empty; two: TTTACGA; three: ACGNT.
printf '>one it is ACG\nacgtAC\r\nGTA\n;ACG\nCGT\n>empty\n>two\n\nTTT\nA\nC\nG\nA\n>three\tx\nACGNT' > f.fa
printf 'AACG\n>named ACG\nCG' > plain
trawl --fasta ACGTA f.fa; echo "status $?"
trawl --fasta -c --alphabet=dna ACG f.fa plain
trawl --fasta -H -m2 ACG f.fa
trawl --fasta -l ACGA f.fa plain
trawl --fasta -L ACGA f.fa plain
trawl --fasta GTT f.fa; echo "status $?"
trawl --fasta ACG - < plain
trawl --fasta --alphabet=dna --reverse-complement -e CGTACG -e TCGT f.fa
trawl --fasta --alphabet=dna --pattern-number --mismatches=1 -e TTTACG -e ACGNY -e TTAACG f.fa
trawl --fasta --any-base ACGAT f.fa
trawl --fasta --alphabet=dna --edits=1 --exact=5-6 TTACGA f.fa
cat f.fa | trawl --fasta --alphabet=dna --mismatches=3 TCGTAC
trawl --fasta --json --reverse-complement -e AAA -e TTAC f.fa | sed 's/"stats".*//; s/"elapsed.*//'
trawl --fasta --color=always -Z -H TTTA f.fa | tr '\0\33' '0E'
# A sequence longer than many blocks.
{ printf '>long\n'; yes ACGTTGCATT | head -n 60; echo GATTACA; } > long.fa
trawl --fasta --chunk-bytes=5 GATTACA long.fa
