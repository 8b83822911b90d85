#!/usr/bin/env bash
# clean-root: the Debian packages of a folder, in three new systems: one that has nothing else, where they
# are installed, tried and removed, one with the server's libraries, and one with a C compiler, where
# programs are compiled with them.
#
# clean-root.sh FOLDER    makes the systems below FOLDER, with the mirrors of this one, and calls itself
# in each. What is tried lies in /trial there: in /tmp mmdebstrap keeps the file that says where its apt
# works. Without that file its apt would clean up the system around it.
# Status 77: a system could not be made.
set -euo pipefail

folder=$(realpath "$1")
step=${2:-make}
root=${3:-}
self=$(realpath "${BASH_SOURCE[0]}")
version=$(find "$folder" -maxdepth 1 -name 'trawl-*.tar.gz' | sed -n 's/^.*\/trawl-\(.*\)\.tar\.gz$/\1/p')

inside() {
    chroot "$root" "$@"
}

# equal WHAT EXPECTED GOT
equal() {
    [ "$2" = "$3" ] || {
        echo "$1: expected '$2', got '$3'" >&2
        exit 1
    }
}

step_make() {
    local sources work

    . /etc/os-release
    for sources in /etc/apt/sources.list.d/{debian,ubuntu}.sources /etc/apt/sources.list ''; do
        [ ! -s "$sources" ] || break
    done
    work=$(mktemp -d "$folder/clean-root.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf --one-file-system '$work'" EXIT
    new_system run
    new_system serve --include=libmicrohttpd12,libjansson4
    new_system compile --include=gcc,libc6-dev,pkg-config
}

# new_system STEP [OPTION...]: make one, and take the step in it.
new_system() {
    local step=$1

    shift
    mmdebstrap --variant=essential "$@" \
        --customize-hook="touch '$work/$step-begun' && bash '$self' '$folder' $step \"\$1\"" \
        "$VERSION_CODENAME" "$work/$step" ${sources:+"$sources"} || {
        [ -e "$work/$step-begun" ] || exit 77
        exit 1
    }
}

bring_packages() {
    local package

    mkdir -p "$root/trial/debs"
    for package in trawl trawl-serve libtrawl1 libtrawl-dev trawl-doc; do
        cp "$folder/${package}_"*.deb "$root/trial/debs/$package.deb"
    done
}

step_run() {
    local count

    if inside sh -c 'command -v python3 || command -v gcc'; then
        echo 'the new system has more in it than it should' >&2
        exit 1
    fi
    bring_packages
    inside dpkg -i /trial/debs/{trawl,libtrawl1,trawl-doc}.deb
    inside dpkg -V trawl libtrawl1 trawl-doc

    equal --version "trawl $version" "$(inside trawl --version | sed -n 1p)"
    printf 'one fish\ntwo\nfish fish\n' >"$root/trial/sea.txt"
    equal count 2 "$(inside trawl -c fish /trial/sea.txt)"
    equal occurrences 3 "$(inside trawl --count-matches fish /trial/sea.txt)"
    # A tree, as grep answers.
    inside sh -c 'cd /usr/share && trawl -r -n License . >/trial/trawl.out; grep -r -n -F License . >/trial/grep.out'
    cmp "$root/trial/trawl.out" "$root/trial/grep.out"
    count=$(wc -l <"$root/trial/trawl.out")
    [ "$count" -gt 100 ]
    # tg takes the rules of ignore files.
    mkdir "$root/trial/tree"
    echo fish | tee "$root/trial/tree/seen" >"$root/trial/tree/hidden"
    echo hidden >"$root/trial/tree/.ignore"
    equal tg 'seen' "$(inside sh -c 'cd /trial/tree && tg -l fish </dev/null')"
    remove trawl libtrawl1 trawl-doc
    echo "run: right, $count lines in a tree"
}

step_serve() {
    bring_packages
    inside dpkg -i /trial/debs/{trawl,trawl-serve}.deb
    inside dpkg -V trawl-serve
    mkdir "$root/trial/tree"
    echo fish >"$root/trial/tree/sea.txt"
    # shellcheck disable=SC2016
    equal served 1 "$(inside sh -c 'cd /trial/tree
        trawl serve --listen=unix:/trial/socket . 2>/trial/log & server=$!
        until grep -q " serves at " /trial/log; do kill -0 $server || exit; done
        trawl --server=unix:/trial/socket -c fish sea.txt
        kill $server; wait $server')"
    remove trawl-serve trawl
    echo 'serve: right'
}

step_compile() {
    local link

    bring_packages
    inside dpkg -i /trial/debs/{libtrawl1,libtrawl-dev}.deb
    inside dpkg -V libtrawl-dev
    cp "$(dirname "$self")/../../examples/count_buffer.c" "$root/trial/"
    for link in shared static; do
        if [ $link = shared ]; then
            # shellcheck disable=SC2016
            inside sh -c 'cd /trial && gcc count_buffer.c -o shared $(pkg-config --cflags --libs trawl)'
        else
            inside sh -c 'cd /trial && gcc count_buffer.c -o static -Wl,-Bstatic -ltrawl -Wl,-Bdynamic'
        fi
        equal $link 'fish: 4' "$(inside /trial/$link)"
    done
    equal 'libraries of both' 1 "$(inside ldd /trial/shared /trial/static | grep -c 'libtrawl\.so\.1 => ')"
    remove libtrawl-dev libtrawl1
    echo 'compile: right'
}

# remove PACKAGE...: nothing of trawl is left after it.
remove() {
    rm -rf "$root/trial"
    inside dpkg -P "$@"
    if find "$root" -xdev \( -name '*trawl*' -o -path '*/bin/tg' \) -not -path "$root/var/log/*" \
        -not -path "$root/proc/*" | grep .; then
        echo 'the files above are left' >&2
        exit 1
    fi
}

"step_$step"
