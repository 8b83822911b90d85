echo foo > f
trawl --positions --count-matches foo f; echo "status $?"
trawl --positions -v foo f; echo "status $?"
trawl --positions -c foo f; echo "status $?"
