# The short help fits on a screen, and within 80 columns.
trawl --help | awk 'length > 80 { print "too long: " $0 } END { print NR <= 24 ? "fits" : NR " lines" }'
trawl --help-long | awk 'length > 80 { print "too long: " $0 } END { print NR > 100 ? "long" : NR " lines" }'
trawl --help | head -1
