# Dense records, of characters shorter than the strings that they equal without case.
awk 'BEGIN {
    for (i = 0; i < 300; i++) { for (j = 0; j < 40; j++) printf "sksksSKsksk"; print "" }
    printf "ksksks" }' > a
awk 'BEGIN {
    for (i = 0; i < 30; i++) { string = string (i % 2 ? "K" : "ſ"); print string; print "ab" i }
    print "K\nKſ\nſ\nſs\nks" }' > strings
LC_ALL=C.UTF-8 trawl --matrix=tsv -i -f strings a | tail -n 2
