# An array of NumPy's: to a file with the header last, into a pipe with the records counted first.
printf 'kitty and puppy\npuppy, elephant\n\nno end, kitty' > a
trawl --matrix=npy -e kitty -e puppy a a > array; echo "status $?"
head -c 128 array; tail -c +129 array | od -An -v -t d8 -w16
trawl --matrix=npy -e kitty -e puppy a a | cmp - array && echo same
trawl --matrix=npy -e kitty -e puppy a - < a | cmp - array && echo same
cat a | trawl --matrix=npy -e kitty -e puppy a - > array2; cmp array array2 && echo same
cat a | trawl --matrix=npy -e kitty -e puppy a - | wc -c
echo before > both
trawl --matrix=npy kitty a 1<> /dev/null; echo "status $?"
trawl --matrix=npy kitty a >> both; echo "status $?"
tail -c +8 both | head -c 128
{ echo before; trawl --matrix=npy kitty a; echo after; } > both
tail -c +8 both | head -c 128; tail -n 1 both | tail -c 6
trawl --matrix=npy nothing /dev/null | tr -d ' ' | tail -c +11; echo "status $?"
trawl --matrix=npy -f /dev/null a | tr -d ' ' | tail -c +11
trawl --matrix=npy kitty a missing > array; echo "status $?"
trawl --matrix=npy -H kitty a; echo "status $?"
trawl --matrix=npy kitty a > /dev/full; echo "status $?"
