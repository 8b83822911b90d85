# FASTA in forms that tests/grep/approximate.py does not draw: several files, any base, exact parts, JSON, colours.
# The sequences: one, acgtACGTACGT; empty; two, TTTACGA; three, ACGNT.
printf '>one it is ACG\nacgtAC\r\nGTA\n;ACG\nCGT\n>empty\n>two\n\nTTT\nA\nC\nG\nA\n>three\tx\nACGNT' > f.fa
printf 'AACG\n>named ACG\nCG' > plain
trawl --fasta -c --alphabet=dna ACG f.fa plain
trawl --fasta -L ACGA f.fa plain
trawl --fasta ACG - < plain
trawl --fasta --any-base ACGAT f.fa
trawl --fasta --json --reverse-complement -e AAA -e TTAC f.fa | sed 's/"stats".*//; s/"elapsed.*//'
trawl --fasta --color=always -Z -H TTTA f.fa | tr '\0\33' '0E'
