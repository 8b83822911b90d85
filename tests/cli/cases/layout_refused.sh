# Options that say different things about what to print, and values that are none.
for options in '--json -c' '--json -l' '--json --count-matches' '--json --positions' \
    '--json --pattern-number' '--vimgrep --pattern-number' '--max-columns=x' '--max-columns-preview=end' \
    '--path-separator=ab' '--path-separator=' '--colors=match' '--colors=match:fg' '--colors=match:fg:purple' \
    '--colors=tie:fg:red' '--colors=match:style:odd' '--colors=match:fg:256' '--colors=match:fg:1,2' \
    '--colors=match:in:red'; do
    # shellcheck disable=SC2086
    trawl $options foo /dev/null; echo "status $?"
done
