printf '%s\n' a b c d foo e f g h foo foo i > f
trawl -A1 foo f
trawl -n -B1 -A1 foo f
trawl -C1 --group-separator=## foo f
trawl -2 --no-group-separator -m1 foo f
trawl -A0 foo f
