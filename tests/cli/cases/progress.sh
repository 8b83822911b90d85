printf 'foo\n' > f
trawl --progress foo f
# The suite had only looked at a report that prints lines, and says what it found as it goes.
for report in -c --count-matches --count-by-pattern -l --positions --matrix; do
    printf 'foo\nbar foo\n' | trawl --progress $report foo 2>&1 > out | sed "s|.*GB/s|$report|"
done
