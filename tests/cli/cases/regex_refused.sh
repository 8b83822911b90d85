trawl -E 'a|b' f; echo "status $?"
trawl -G 'a' f; echo "status $?"
trawl --perl-regexp 'a' f; echo "status $?"
