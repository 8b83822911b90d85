#!/usr/bin/env bash
# demo: ./dev demo in a new checkout compiles only the command, in the folder of the release build, and its answers are
# grep's.
# demo.sh SOURCE_FOLDER COMMAND HAS_ZLIB
set -euo pipefail

source=$1
command=$2
has_zlib=$3
for program in ninja awk grep; do
    command -v $program >/dev/null || {
        echo "SKIPPED: no $program"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/checkout" "$work/bin" "$work/data"
for name in "$source"/*; do
    case ${name##*/} in
    build*) ;;
    *) ln -s "$name" "$work/checkout/" ;;
    esac
done

# This stand-in for cmake configures as if zlib's header were missing at first. It lists the commands of a build instead
# of running them, and copies the command of this build. The stand-in for apt-get installs nothing.
cat >"$work/bin/cmake" <<END
#!/bin/bash
if [ "\$1" = --build ]; then
    all="\$* --target all"
    target=\${all#* --target }
    ninja -C "\$2" -t commands \${target%% *} >>'$work/planned' && cp '$command' "\$2/trawl"
else
    echo "\$*" >>'$work/configured'
    exec '$(command -v cmake)' "\$@" -DTRAWL_HAS_ZLIB=
fi
END
printf '#!/bin/sh\nexit 1\n' >"$work/bin/apt-get"
chmod +x "$work/bin/"*
awk -v lines=4000 -v seed=1 -f "$source/scripts/make-text.awk" >"$work/data/verses.txt"

demo() {
    PATH=$work/bin:$PATH TRAWL_DATA=$work/data TRAWL_DEMO_MIB=2 "$work/checkout/dev" demo \
        </dev/null >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
}

# wrong WHAT: report it, with what the demo printed
wrong() {
    cat "$work/log"
    echo "wrong: $1"
    exit 1
}

demo
grep -q 'all 11 answers equal grep' "$work/log" || wrong 'the answers'
grep -q -e ' -o trawl ' "$work/planned" || wrong 'the command is not built'
if grep -E -e ' -o (tests|[^ ]*bench)|nvcc ' "$work/planned"; then
    wrong 'the lines above are not needed for the command'
fi
objects=$(grep -c -e ' -c ' "$work/planned")
cache=$work/checkout/build/release/CMakeCache.txt
[ "$has_zlib" != 1 ] || grep -qx 'TRAWL_HAS_ZLIB:INTERNAL=1' "$cache" ||
    wrong 'a header that was installed meanwhile is not seen'

# A second demo does not configure again; a build after the demo has the GPU kernels.
demo
[ "$(wc -l <"$work/configured")" -eq 1 ] || wrong 'configured twice'
(cd "$work/checkout" && cmake --preset release -N) | grep -q 'TRAWL_CUDA="ON"' || wrong 'a build after the demo has no GPU kernels'
echo "demo: right, $objects objects"
