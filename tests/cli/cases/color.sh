# as grep
printf 'a foo b foo\nbar\n' > f
trawl --color=always -nH foo f
trawl --color=always -v foo f
GREP_COLORS='sl=1:cx=2:rv' trawl --color=always -v foo f
GREP_COLORS='mt=01;32:ne' trawl --color=always -o foo f
GREP_COLOR='1' trawl --color=always foo f
trawl --color=auto foo f
