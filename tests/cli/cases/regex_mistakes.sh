# Mistakes are shown with a mark below; what trawl has not names the tools that have it.
printf 'ab\n' > f
trawl -E 'a(b' f; echo "status $?"
trawl --perl-regexp 'é(b' f; echo "status $?"
trawl -E -e ab -e 'x[' f; echo "status $?"
trawl -P --hex 61 f; echo "status $?"
trawl -E --edits=1 abc f; echo "status $?"
trawl -P --multiline -x -n --pattern-number 'a.' f; echo "status $?"
trawl -P -e a -e '\pL{900}\pL{900}' f; echo "status $?"
