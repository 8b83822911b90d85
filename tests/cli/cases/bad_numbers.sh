# Each names the option and the value, and nothing is searched.
echo foo > f
for option in '-j abc' '-j 1025' '-j -1' '-A x' '-C -1' '-m 1k' '--chunk-bytes 0' '--threads=99999999999999999999'; do
    # shellcheck disable=SC2086
    trawl $option foo f; echo "status $?"
done
