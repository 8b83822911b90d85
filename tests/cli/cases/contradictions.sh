echo foo > f
trawl --positions --count-matches foo f; echo "status $?"
trawl --count-matches -v foo f; echo "status $?"
trawl --positions -c foo f; echo "status $?"
