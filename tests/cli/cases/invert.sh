# as grep
# -v where most lines match: many matching lines are skipped at once, but no line without a match is.
awk 'BEGIN { for (i = 1; i <= 1000; i++) print (i ~ /^(1|64|65|129|130|500|515|999)$/ ? "other" : "a match, aa"), i }' > lines
trawl -v -n a lines
trawl -v -n -e a -e aa -e match lines | tail -1
trawl -v -c a lines
trawl -v -n -m 3 -A 1 a lines
trawl -v -n -B 1 a lines | tail -2
head -200 lines | trawl -v -b a | tail -1
awk 'NR != 500' lines | tr 5 '\n' | trawl -v -n a | head -4
seq 1000 | trawl -v -m 700 5 | tail -1 # lines between two matches are counted together
