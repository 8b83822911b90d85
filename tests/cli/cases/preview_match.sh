# Around the first match of a line that is too long: as many characters as -M says.
{ printf '%0300d' 0; printf 'needle'; printf '%0300d\n' 0; } > text
trawl -M20 --max-columns-preview=match needle text
trawl -M20 --max-columns-preview=match --column --color=always needle text | sed 's/\x1b/E/g'
trawl -M4 --max-columns-preview=match needle text
printf 'needle and then more\nand then a needle\nshort needle\n\303\251\303\251\303\251\303\251\303\251\303\251needle\303\251\303\251\303\251\303\251\n' | trawl -M13 --max-columns-preview=match needle
trawl -v -M20 --max-columns-preview=match absent text
