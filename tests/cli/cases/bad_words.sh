echo foo > f
for option in --engine=fast --color=maybe --binary-files=x --directories=x --devices=x --method=x --generate=x --instruction-set=x "--instruction-set=x --engine=cpu" \
    "--method=grams" "--method=every -e bar -e"; do
    trawl $option foo f; echo "status $?"
done
