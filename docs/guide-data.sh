#!/bin/sh
# guide-data FOLDER: writes the files that the examples of docs/guide.md search, the same bytes on every run.
set -eu
export LC_ALL=C
mkdir -p "$1"
cd "$1"

# The generator is Park and Miller's (1988), whose products stay below 2^53 in every awk.
random='function random(bound) { state = (state * 16807) % 2147483647
                                 return int(state / 2147483647 * bound) }
        BEGIN { state = seed + 1 }'

# draw SEED PROGRAM: what the awk program prints, which may call random(BOUND).
draw() {
    awk -v seed="$1" "$random $2"
}

# Logs: 5,000 requests of today, 5,000 of yesterday in a compressed file, a list of 2,000 addresses.
requests='BEGIN {
    split("/ /cart /login /search?q=fish /api/v1/items /static/logo.png", path, " ")
    for (i = 0; i < 5000; i++) {
        address = "10." random(4) "." random(64) "." random(256)
        status = random(100) < 97 ? 200 : random(3) ? 404 : 500
        printf "%s [%02d:%02d:%02d] \"GET %s\" %d %d\n", address, i / 500, i / 10 % 60,
            random(60), path[1 + random(6)], status, random(20000)
        if (status == 500)
            print "  Traceback: connection reset by peer\n  at handler.serve"
    }
}'
mkdir -p logs
draw 1 "$requests" >logs/access.log
draw 2 "$requests" | gzip -n >logs/access.log.1.gz
draw 3 'BEGIN { for (i = 0; i < 2000; i++)
                    print "10." 2 + random(4) "." random(64) "." random(256) }' | sort -u >blocked.txt

# A source tree with a file that git ignores.
mkdir -p project/.git project/src project/build
echo 'build/' >project/.gitignore
cat >project/src/main.c <<'END'
#include "parse.h"

int main(int argc, char **argv)
{
    char *line = malloc(80);
    return parse(line) ? 0 : 1; /* TO_DO: free line */
}
END
echo 'int parse(const char *line); /* malloc(3) is not used here */' >project/src/parse.h
echo 'malloc(80) in a generated file' >project/build/main.i
echo 'The parser calls malloc(80) once.' >project/README.md
echo 'TOKEN=malloc-7' >project/.env
mkdir -p project/tools
printf 'import os\nimport sys\n\nprint(os.getcwd(), sys.argv)\n' >project/tools/where.py
echo 'VERSION = "1.4.2"' >project/tools/version.py

# 1,000 rules for secrets of three shapes, and files with three of these secrets.
awk 'BEGIN {
    split("acme apex bolt brook cedar delta ember flint grove haven", vendor, " ")
    for (i = 0; i < 1000; i++) {
        name = vendor[1 + i % 10] int(i / 10)
        print i % 3 == 0 ? "\\b" name "_(live|test)_[0-9a-f]{16,32}\\b" \
            : i % 3 == 1 ? "\\b" name "-[0-9A-Z]{12}\\b" \
            : "(?i)\\b" name "[_-]?(token|key)[ \\t]*[:=][ \\t]*\"[^\"]{8,}"
    }
}' >rules.txt
mkdir -p deploy
printf 'url = "https://bolt2-0123456789AB.example"\nCEDAR4_TOKEN = "correct horse battery"\n' >deploy/settings.py
echo 'acme12_live_0123456789abcdef01' >deploy/notes.txt

# A genome of two sequences in lines of 70, with a guide on each strand.
draw 4 'function sequence(name, bases,    i, line) {
        print ">" name
        for (i = 1; i <= bases; i++) {
            if (i == 1001)
                line = line "GATTACAGATTACAGATTACAGG"
            else if (i == 2000)
                line = line "TGTAATCTGTAATCTGTAATC"
            else
                line = line substr("ACGT", 1 + random(4), 1)
            while (length(line) >= 70) {
                print substr(line, 1, 70)
                line = substr(line, 71)
            }
        }
        print line
    }
    BEGIN { sequence("chr1", 20000); sequence("chr2", 30000) }' >genome.fa
printf 'GATTACAGATTACAGATTACA\nACGTACGTACGTACGTACGTA\n' >guides.txt

# Pairs of reads, some of which have an adapter in both reads.
for mate in 1 2; do
    draw 6$mate 'BEGIN {
        for (i = 1; i <= 500; i++) {
            read = ""
            for (k = 0; k < 100; k++)
                read = read substr("ACGT", 1 + random(4), 1)
            if (i % 20 == 7)
                read = substr(read, 1, 40 + i / 20) "AGATCGGAAGAGCACAC"
            quality = read
            gsub(/./, "I", quality)
            print "@read" i "/'$mate'\n" read "\n+\n" quality
        }
    }' | gzip -n >reads_$mate.fq.gz
done

# A disk image: zeros, with a picture, a note and a name in UTF-16 somewhere between them.
{
    head -c 70000 /dev/zero
    printf '\377\330\377\340\000\020JFIF\000\001'
    head -c 200000 /dev/zero
    printf 'wallet: 1BoatSLRHtKNngkdXEeobR76b53LETtpyT\n'
    head -c 50000 /dev/zero
    printf 'S\000e\000c\000r\000e\000t\000'
    head -c 30000 /dev/zero
    printf '\377\330\377\341\000\030Exif\000\000'
    head -c 1000 /dev/zero
} >disk.img

# Documents and questions: two documents hold a question each.
draw 5 'BEGIN {
    count = split("the quick brown fox jumps over lazy dogs while seven wise men count green " \
        "bottles on old stone walls near quiet rivers", word, " ")
    for (i = 1; i <= 400; i++) {
        text = ""
        for (k = 0; k < 30; k++)
            text = text " " word[1 + random(count)]
        if (i == 120)
            text = text " what is the tallest mountain on earth?"
        if (i == 333)
            text = text " Who wrote Moby Dick?"
        print "{\"id\":" i ",\"text\":\"" substr(text, 2) "\"}"
    }
}' >corpus.jsonl
cat >questions.txt <<'END'
What is the tallest mountain on Earth?
Who wrote Moby Dick?
How many moons has Mars?
END

# Records, one in each line, and words to look for.
cat >reviews.txt <<'END'
Great fish, fresh and cheap
The soup was cold
Cold soup, cold fish, never again
Friendly waiters
END
printf 'fish\nsoup\ncold\n' >words.txt
