printf 'foo\nfoo foo\n' > f
trawl -c --stats foo f
# Small files without a match are searched together, and --stats still counts each file.
mkdir t
for i in 1 2 3 4 5 6 7 8 9; do printf 'bar %s\n' $i > t/$i; done
trawl -r --stats foo t f
# Small files are searched together. Wherever their first match lies, the counts that --count-matches prints add up to
# the occurrences of --stats.
for file in 2 5 6; do echo foo foo >> t/$file; done
for options in '' -j1 --mmap --no-mmap; do
    trawl -r --count-matches --stats $options foo t f 2> stats | awk -F: '{ n += $NF } END { print "count", n }'
    sed -n 's/^occurrences:/count/p' stats
done | uniq -c
