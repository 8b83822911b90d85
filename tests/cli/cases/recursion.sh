mkdir -p t/sub t/skip
echo foo > t/a.txt
echo foo > t/sub/b.c
echo foo > t/skip/c.txt
ln -s a.txt t/link
trawl -r foo t | sort
trawl -R foo t | sort
trawl -r --include='*.txt' foo t | sort
trawl -r --exclude='*.txt' foo t
trawl -r --exclude-dir=skip foo t | sort
printf '*.c  \n\n' > globs
trawl -r --exclude-from=globs foo t | sort
(cd t && trawl -rl foo | sort)
trawl -d skip foo t; echo "status $?"
trawl foo t; echo "status $?"
