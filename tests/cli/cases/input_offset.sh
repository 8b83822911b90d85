# After -m standard input is left just behind the last selected line.
seq 1 30 > f
(read -r first; trawl -n -b -m 2 1; echo "rest: $(head -n 1), $first") < f
