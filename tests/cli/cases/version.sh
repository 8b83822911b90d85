trawl -V
trawl --version --nonesuch; echo "status $?"
