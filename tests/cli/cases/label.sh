# as grep
echo foo | trawl -H foo
echo foo | trawl -H --label=in foo -
echo foo | trawl -Hc foo -
