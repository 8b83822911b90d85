# Every algorithm gives the same matrix.
printf 'kitty and puppy\npuppy, elephant\n\nno end, Kitty' > a
for name in naive memmem strstr bf bmh qs hp rabin-karp rabin-karp-matrix; do
    trawl --matrix=tsv --algorithm=$name --engine=cpu -w -e kitty -e puppy -e kitty a | cksum
done | sort -u | wc -l
trawl --algorithm=rabin-karp-matrix --explain --debug kitty | grep "^patterns"
