# as grep
# Options may follow operands. "--" ends the options, and so does an operand with POSIXLY_CORRECT.
printf 'foo\n-c\n' > f
trawl foo f -c
trawl -- -c f
POSIXLY_CORRECT=1 trawl foo f -c; echo "status $?"
POSIXLY_CORRECT=1 trawl -1 foo f
trawl -nefoo f
trawl -1v2 zzz f
seq 9 | trawl -1 -2 5 | tr '\n' ' ' # the later number counts
for number in 11111111111111111111{1,11,1111}; do
    trawl "-$number" zzz f 2> /dev/null; echo "status $?" # too many digits, as in grep
done
