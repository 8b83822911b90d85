printf '%s\n' a b c d foo e f g h foo foo i > f
trawl -A1 foo f
trawl -n -B1 -A1 foo f
trawl -C1 --group-separator=## foo f
trawl -2 --no-group-separator -m1 foo f
trawl -A0 foo f
# Windows of every size: the first line of a window may have begun in the window before. (The line after as many lines
# as there is context was not tried.)
printf '%s\n' aaaaaaa bbbbbbb ccccccc needle ddddddd > windows
for before in 1 2 3; do
    for bytes in $(seq 1 24); do trawl -B$before --chunk-bytes=$bytes needle windows; done | sort | uniq -c
done
