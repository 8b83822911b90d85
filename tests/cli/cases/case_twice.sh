# Strings that are equal under -i find each place once, of a list and of a saved set. (No test gave such
# strings but where their numbers are printed.)
printf 'a xA\nS\305\277 \303\251\303\211\n' > t
for strings in '-e a -e A -e a' '-e s -e S -e ſ' '-e é -e É -e e' '-e A -e a -e b'; do
    trawl --save-patterns set -i $strings
    trawl --save-patterns plain $strings
    for given in "$strings" '-f set' '-f plain'; do
        trawl -i $given --positions t | tr '\n' ' '
        trawl -i $given --count-matches --overlapping t | tr '\n' ' '
        trawl -i $given -o --overlapping t | tr '\n' ' '
        trawl -i $given --positions -m2 --pattern-number t | tr '\n' ' '
        trawl -i $given --count-by-pattern t | tr '\n' ' '; echo
    done
done
trawl -e a -e A --positions t | tr '\n' ' '; echo
LC_ALL=C trawl -i -e é -e É -e A -e a --positions t | tr '\n' ' '; echo
