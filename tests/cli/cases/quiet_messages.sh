# as grep
mkdir d
trawl -s foo missing d; echo "status $?"
trawl -r foo missing; echo "status $?"
