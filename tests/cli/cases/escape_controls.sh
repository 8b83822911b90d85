# What a text could tell a terminal is printed as \xHH; standard output is no terminal here.
printf 'a\x1b[31mfoo\x07\xff \xe2\x80\xaeb\xc2\x85\t\xc3\xa9\r\n' > "$(printf 'e\x1b[2Jvil\n\x7f')"
trawl -a --escape-controls=always foo ./*
trawl -aHo --escape-controls=always foo ./*
trawl -l --escape-controls=always --path-separator=+ foo ./*
trawl -c --escape-controls=always foo ./* /dev/null
trawl -a --escape-controls foo ./* | od -An -tx1
trawl -a --escape-controls=always --escape-controls=never foo ./* | od -An -tx1 | head -1
trawl --escape-controls=always foo "$(printf 'no\x1bsuch')"; echo "status $?"
trawl --escape-controls=maybe foo; echo "status $?"
printf 'x\ny foo\x01\0foo\x02\0' | trawl -z --escape-controls=always foo | tr '\0' '!'
# Names of --files had been printed as they are: no case had one with controls.
mkdir listed
touch "listed/$(printf 'a\033[31mb')"
trawl --files --escape-controls=always listed
