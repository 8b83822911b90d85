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
# Where nothing is printed, lines that follow each other are still counted under -v.
printf 'a1\na2\na3\nx\nb1\nb2\nx\nc1\n' > run
for count in 1 2 3 4; do (trawl -v -m $count x > /dev/null; wc -c) < run; done
(trawl -v -m 20000 --no-messages 99999 > /dev/null; wc -c) < big
# From a block with a NUL on, grep takes one line, or under -v a run of selected lines that follow each other. It stops
# once it has counted as many lines as -m allows. The random command lines of tests/grep seldom have all of this: -m, a
# NUL, several lines in the block of the NUL, and standard output that is read.
printf 'foo\0\nbar\nbaz\nfoo\nqux\n' > zero
{ yes x | head -n 6; printf '\0a\n'; } > six
for options in '-v -m 2 foo' '-v -m 2 a' '-v -m 3 a' '-v -m 4 foo' '-v -x -m 3 foo' '-m 2 -v -c a'; do
    (trawl $options > out 2> said; wc -c) < zero
done
for count in 1 2 6; do (trawl -m $count x > out 2> said; wc -c) < six; done
{ yes ab | head -n 2; printf 'b\0\nc\n'; } > two
(trawl -x -v -m 4 a > /dev/null 2> said; wc -c) < two
