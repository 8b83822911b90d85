# An option that is nearly one.
for option in --cuont --max-colum=3 --igonre-case --only-matchin --foo --context-seperator=x --x --nul-datta; do
    trawl $option foo; echo "status $?"
done
