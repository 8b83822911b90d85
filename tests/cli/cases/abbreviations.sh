# An abbreviation means what it means to grep, even where an option beyond grep begins alike.
printf 'foo\nfoo\n' > f
trawl --cou foo f
trawl --count-m foo f
trawl --inv bar f
trawl foo f --line-n
