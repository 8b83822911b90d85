# as grep
printf 'foo\n' > f
trawl foo f >> f; echo "status $?"
trawl -c foo < f >> f; echo "status $?"
cat f
