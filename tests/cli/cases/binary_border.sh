# A NUL in the block that a match's line ends in, or in the next one, from 96 KiB on. (No text had -o or -m so near
# the border, nor a window that ended in the line.)
for begin in 98280 98284 98285 98298 98303; do
    { yes xxxxxxxxxxxxxxxxxxxx | head -c $((begin - 1)); printf '\nfoo bar baz qux foo\nyy\n\0\nfoo\n'; } > t
    for options in -o '-o -m1' '-o -m1 -I' '-m1 -b' '-l -I'; do
        for window in '' --chunk-bytes=98304 --chunk-bytes=98310; do
            echo "$begin $options: $(trawl $options $window foo t 2>&1 | tr '\n' ' ')"
        done
    done
done | sort -u
