# as grep
# The output goes to a file of the searched tree: only this file is not searched, wherever it is met.
mkdir t; for i in 1 2 5; do printf 'foo %s\n' $i > t/$i; : > t/$i.none; done
trawl -r foo t > t/out; echo "status $?"
sort t/out
trawl -rh foo t >> t/5; echo "status $?"
sort t/5
trawl -rc foo t > t/out; echo "status $?"
sort t/out
trawl -rl foo t > t/5.none; echo "status $?"
sort t/5.none
