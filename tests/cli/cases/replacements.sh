# --replacements: each match is printed as the line of its string's number.
# (A line of many strings could be replaced by one text alone; and -o --overlapping --replace crashed, since
# no case had matches that overlap replaced.)
printf 'a cat, a cow\ncattle and cats\nnothing\n' > t
printf 'cat\ncow\ncattle\n' > p
printf 'feline\n$0\nherd' > v
trawl -f p --replacements=v t; echo "status $?"
trawl -f p --replacements=v --passthru t
trawl -no -f p --replacements=v t
trawl -w -f p --replacements=v t
trawl -x -e nothing -e not -e no --replacements=- t < p
trawl -v -f p --replacements=v t
trawl -c -f p --replacements=v t
echo "equal ones: the first given; and the empty string"
printf 'one\n\nthree\n' | trawl -i -e Cat -e COW -e cAT --replacements=- t
printf 'one\n\nthree\n' | LC_ALL=C.UTF-8 trawl -i -e Cat -e COW -e cAT --replacements=- t
printf 'one\ntwo\nthree\n' | trawl -e '' -e cow -e cow --replacements=- t
echo "overlapping"
echo abab > u
printf '1\n22\n333\n' > w
trawl --overlapping -e ab -e abab -e ba --replacements=w u
trawl --overlapping -o -e ab -e abab -e ba --replacements=w u
trawl --overlapping -o --replace='<$0>' -e aba -e bab u
echo "too few lines"
trawl -f p -e and --replacements=v t; echo "status $?"
echo "mistakes"
trawl -f p --replacements=/dev/null t; echo "status $?"
head -n 1 p | trawl -f p --replacements=- t; echo "status $?"
trawl cat --replacements=missing t; echo "status $?"
trawl cat --replacements=v --replace=x t; echo "status $?"
