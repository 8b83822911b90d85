# as grep
# After -m standard input is left just after the last selected line.
seq 1 30 > f
(read -r first; trawl -n -b -m 2 1; echo "rest: $(head -n 1), $first") < f
# After -q, standard input is left where grep's buffer ended. If the output is the null device, a single selected line
# decides the exit status, but the input is used up.
seq 1 100000 > big
(trawl -q 1; wc -c) < big
(trawl 1 > /dev/null; wc -c) < big
(trawl -m2 1 > /dev/null; wc -c) < big
(trawl -m1 1 > /dev/null; wc -c) < big
# A NUL after the line that decides is no reason to read on.
{ seq 1 1000; printf '\0'; cat big; } > null
(trawl -v -l 1 > names; wc -c) < null
(set -o pipefail; seq 1 1000000 | trawl 1 > /dev/null; echo "status $?")
# From a block with a NUL on, grep takes one line, once it has counted as many as -m allows.
{ yes x | head -n 6; printf '\0a\n'; } > six
for count in 1 2 6; do (trawl -m $count x > out 2> said; wc -c) < six; done
