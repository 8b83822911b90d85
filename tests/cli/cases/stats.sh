printf 'foo\nfoo foo\n' > f
trawl -c --stats foo f
# small files that hold nothing are searched together, and still counted one by one
mkdir t
for i in 1 2 3 4 5 6 7 8 9; do printf 'bar %s\n' $i > t/$i; done
trawl -r --stats foo t f
