# What grep has no word for.
printf 'aaaa\nabcd\n' > a
printf 'x\n' > b
trawl --count-matches aa a
trawl --count-matches --overlapping aa a b
trawl --positions aa a
trawl --positions -m 2 a a
echo "status $?"
trawl --positions -e '' -e ab a
