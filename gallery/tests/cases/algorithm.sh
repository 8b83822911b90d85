# Published algorithms give the lines that the command gives without them; --explain names them. Names and
# options that do not fit are refused.
printf 'An ant\nin a band\nof 1000 cans\nBANANA\n' > a
printf 'an\0an\nan\n' > b
for name in $(trawl --list-algorithms | awk '$2 ~ /cpu/ && $1 !~ /matrix/ { print $1 }'); do
    for options in "-n an" "-io an" "-c -e an -e band" "-w an" "--positions an" "-v an" "-az an"; do
        # shellcheck disable=SC2086
        trawl $options a b > expected 2>&1; echo "$?" >> expected
        # shellcheck disable=SC2086
        trawl --algorithm="$name" $options a b > got 2>&1; echo "$?" >> got
        cmp expected got
    done
    echo "$name: $(trawl --algorithm="$name" --explain --debug an | grep -c -e "^algorithm: $name$" -e '^source: .')"
done
trawl --algorithm=nobody an a; echo "status $?"
trawl --algorithm=bmh:16 an a; echo "status $?"
trawl --algorithm=pss-gm:256,debug --explain --debug an | grep -v '^[sl]'; echo "status $?"
trawl --algorithm=qs --method=every an a; echo "status $?"
trawl --algorithm=strstr --hex 610062 a; echo "status $?"
trawl --algorithm=rabin-karp-matrix an a; echo "status $?"
