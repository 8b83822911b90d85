# as grep
# A NUL stands in the block (grep's buffer of 96 KiB) in which a match's line ends, or in the next block.
for begin in 98280 98281 98284 98285 98298 98303; do
    { yes xxxxxxxxxxxxxxxxxxxx | head -c $((begin - 1)); printf '\nfoo bar baz qux foo\nyy\n\0\nfoo\n'; } > t
    for options in -o '-o -m1' '-o -m1 -I' '-m1 -b' '-l -I'; do
        for window in '' --chunk-bytes=98304 --chunk-bytes=98310; do
            echo "$begin $options: $(trawl $options $window foo t 2>&1 | tr '\n' ' ')"
        done
    done
done | sort -u
# Nothing of a block may be printed before the next chunk has shown whether the block has a NUL.
{ yes fooaaaaaaaaaaaaaaaaaaaaaaaaaa | head -c 262200; printf '\0'; yes foo | head -c 200000; } > t
{ yes x | head -c 180000; yes y | tr -d '\n' | head -c 70000; printf 'foo\n'; yes x | head -c 13000; printf '\0'; } > u
for options in '' -n -C1 -o; do
    for file in t u; do
        trawl $options --chunk-bytes=262144 foo $file 2>&1 | sed 's/^grep: /trawl: /' | wc -c
    done
done
# A file that -I passes over leaves no separator before the lines of the next file.
printf ' \n\0b\n' > spaced; printf 'b \n' > next
trawl -I -B2 ' ' spaced next
