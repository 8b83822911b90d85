# Letters are equal if the C library gives them the same upper-case letter.
printf 'é\nÉ\nSTRASSE\nſ\nσ\nς\nΣ\nı\nİ\nK\n' > f
trawl -n -i É f
trawl -n -i s f
trawl -n -i σ f
trawl -n -i i f
trawl -n -i k f; echo "status $?"
LC_ALL=C trawl -a -n -i É f
