# 0 selected, 1 not, 2 error; -q lets a match win.
printf 'foo\n' > f
trawl foo f; echo "status $?"
trawl bar f; echo "status $?"
trawl foo missing f; echo "status $?"
trawl -q foo missing f; echo "status $?"
trawl -q foo f missing; echo "status $?"
trawl -s foo missing f; echo "status $?"
trawl foo .; echo "status $?"
trawl -m0 foo missing; echo "status $?"
trawl -L foo f; echo "status $?"
trawl -L bar f; echo "status $?"
trawl -l foo f; echo "status $?"
