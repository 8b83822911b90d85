# as grep
# -f reads strings from files, also from standard input. An empty file matches nothing, and an empty line matches
# everything.
printf 'one\ntwo\n\n' > f
printf 'two\none\n' > p
: > none
printf '\n' > blank
trawl -f p f
trawl -c -f p -f none -e zz f
trawl -c -f none f; echo "status $?"
trawl -c -v -f none f; echo "status $?"
trawl -c -f blank f
printf 'two' | trawl -f - f
trawl -f missing f; echo "status $?"
# Standard input stays open after it was read, and files of -f do not.
printf 'two\n' | (trawl -f - f -; echo "status $?"; cat)
printf 'two\none\n' | (trawl -c -f - -f - f; echo "status $?")
(ulimit -n 24; trawl -c $(yes -- '-f p' | head -n 40) f; echo "status $?")
# A string with a NUL is in no line, but counts as a string, so grep reads the file and counts lines.
printf '\0\n\n' > p
trawl -vc -f p < /dev/null; echo "status $?"
printf 'x\n' | trawl -vc -f p; echo "status $?"
trawl -vc '' < /dev/null; echo "status $?"
