# A build without the gallery refuses algorithms with a message that says so. Its own methods still work.
echo kitty > a
trawl --algorithm=bmh kitty a; echo "status $?"
trawl --algorithm=nobody kitty a; echo "status $?"
trawl --list-algorithms; echo "status $?"
trawl -c kitty a; echo "status $?"
