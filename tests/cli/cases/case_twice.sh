# Strings that are equal under -i find each place once. (No test gave such strings but where their
# numbers are printed.)
printf 'a xA\nS\305\277 \303\251\303\211\n' > t
for strings in '-e a -e A -e a' '-e s -e S -e ſ' '-e é -e É -e e' '-e A -e a -e b'; do
    trawl -i $strings --positions t | tr '\n' ' '
    trawl -i $strings --count-matches --overlapping t | tr '\n' ' '
    trawl -i $strings -o --overlapping t | tr '\n' ' '
    trawl -i $strings --positions -m2 --pattern-number t | tr '\n' ' '
    trawl -i $strings --count-by-pattern t | tr '\n' ' '; echo
done
trawl -e a -e A --positions t | tr '\n' ' '; echo
LC_ALL=C trawl -i -e é -e É -e A -e a --positions t | tr '\n' ' '; echo
