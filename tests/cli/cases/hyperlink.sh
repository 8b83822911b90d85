# Names and line numbers as links; only with colours.
mkdir -p 'd e'; printf 'x\nfoo foo\n' > 'd e/f%'; printf 'foo\n' > g
show() { sed "s|$PWD|PWD|; s|$(uname -n)|HOST|; s/\x1b\\[[0-9;]*[mK]//g; s/\x1b/E/g"; }
trawl --color=always --hyperlink-format='x:{path}:{line}:{column}' -n foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=vscode --column foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=vscode --heading --column -b foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=file --heading -n foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=vscode -h foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=vscode -l foo 'd e/f%' g | show
trawl --color=always --hyperlink-format=vscode -c foo 'd e/f%' g | show
trawl --color=always --hyperlink-format='x:{{{path}}}' -ob foo g - < g | show
trawl --color=always --hyperlink-format=none foo g | show
trawl --hyperlink-format=vscode -n foo g | show
for format in foo '{path}' 'x:{line}' 'x:{path' 'x:{path}}' 'x:{path}{column}' 'x:{path}{word}'; do
    trawl --hyperlink-format="$format" foo g; echo "status $?"
done
