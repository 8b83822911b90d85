# tg reads UTF-8 in each locale: its counts for strings, expressions, words and smart case are ripgrep's. trawl follows
# the locale.
ln -s "$TRAWL" tg
tg() { env LC_ALL=$locale ./tg $TRAWL_CASE_OPTIONS "$@"; }
printf 'Почему нет\nПОЧЕМУ\nпочему-то\nпочемучка\n' > f
for locale in C POSIX C.UTF-8 no_SUCH.UTF-8; do
    { tg -c -i почему f; tg -c -F -i почему f; tg -c -i 'п[о]чему' f; tg -c -S почему f; tg -c -w почему f; tg -c -F -w -i ПОЧЕМУ f; } | tr '\n' ' '
done | fold -w 12 | uniq -c
env LC_ALL=C trawl -c -i почему f
