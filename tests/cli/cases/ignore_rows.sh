# A rule of an ignore file and a path, alone: is the file taken? (Drawn trees had these rules too seldom.)
while read -r rule path; do
    rm -rf tree
    mkdir -p "tree/$(dirname "$path")"
    : > "tree/$path"
    printf '%s\n' "$rule" > tree/.ignore
    echo "$rule $path: $(cd tree && trawl --files --ignore 2>&1)"
done <<'END'
*.gz x.tar.gz
*.tar.gz x.tar.gz
*.tar.gz x.gz
*.so.1 lib.so.1
a?b/x acb/x
a?b/x a/b/x
a*b/x a/b/x
[!x]b/x ab/x
a[!x]b/x a/b/x
a**/x ab/x
a**/x ax
END
