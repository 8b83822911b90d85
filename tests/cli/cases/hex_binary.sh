# A string with a NUL: the NUL ends no line, but the file still counts as binary, so its lines are not printed.
printf 'a\0b\nc\0d\na\0b' > f
trawl --hex '6100' f; echo "status $?"
trawl -c --hex '6100' f
trawl -c -v --hex '6100' f
trawl -x -c --hex '610062' f
trawl -o -b --hex '6100' f; echo "status $?"
trawl -a -o -b --hex '6100' f | od -An -c
trawl -I -c --hex '6100' f; echo "status $?"
trawl -l --hex '6300' f
cat f | trawl -c --hex '6100'
