# After -m standard input is left just after the last selected line.
seq 1 30 > f
(read -r first; trawl -n -b -m 2 1; echo "rest: $(head -n 1), $first") < f
# After -q where grep's buffer ended; to the null device one line is enough, but the input is used up.
seq 1 100000 > big
(trawl -q 1; wc -c) < big
(trawl 1 > /dev/null; wc -c) < big
(trawl -m2 1 > /dev/null; wc -c) < big
(trawl -m1 1 > /dev/null; wc -c) < big
# A NUL after the line that decides is no reason to read on.
{ seq 1 1000; printf '\0'; cat big; } > null
(trawl -v -l 1 > names; wc -c) < null
(set -o pipefail; seq 1 1000000 | trawl 1 > /dev/null; echo "status $?")
# Where nothing is printed, lines that follow each other are still counted under -v. The suite never
# had the null device as output there.
printf 'a1\na2\na3\nx\nb1\nb2\nx\nc1\n' > run
for count in 1 2 3 4; do (trawl -v -m $count x > /dev/null; wc -c) < run; done
(trawl -v -m 20000 --no-messages 99999 > /dev/null; wc -c) < big
