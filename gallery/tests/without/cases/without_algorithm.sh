# A build without the gallery says so, and searches by its own methods.
echo kitty > a
trawl --algorithm=bmh kitty a; echo "status $?"
trawl --algorithm=nobody kitty a; echo "status $?"
trawl --list-algorithms; echo "status $?"
trawl -c kitty a; echo "status $?"
