#!/usr/bin/env bash
# clean-root: installs, uses, tests and removes what ./dev package made, in new systems without a network that have only
# the packages that this needs.
#
# clean-root.sh FOLDER [SUITE...]    writes a table to FOLDER/clean-roots.md. A suite is a distribution's code name;
# by default this system's (suites.sh). For a suite other than this system's, the Debian packages are made first, in a
# system of their own, into FOLDER/SUITE.
#
# mmdebstrap calls the script again inside each new system's setup (--step). Everything is tried in /trial of the new
# system, not in its /tmp, where mmdebstrap keeps the file that makes its apt work on the new system. Without that file,
# apt would remove packages from the system on which the script runs. Status 77: a system could not be made.
set -euo pipefail

folder=$(realpath "$1")
self=$(realpath "${BASH_SOURCE[0]}")
source=$(realpath "$(dirname "$self")/../..")
tools=${TRAWL_TOOLS:-$source/build/package-tools}
version=$(find "$folder" -maxdepth 1 -name 'trawl-*.tar.gz' | sed -n 's/^.*\/trawl-\([0-9.]*\)\.tar\.gz$/\1/p')
. "$source/scripts/package/suites.sh"
. /etc/os-release

inside() {
    unshare -n chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}

# equal WHAT EXPECTED GOT: stop with a message about WHAT unless the two texts are equal
equal() {
    [ "$2" = "$3" ] || {
        echo "$1: expected '$2', got '$3'" >&2
        exit 1
    }
}

# Print the packages on which these packages depend, without trawl's own, separated by commas.
needs_of() {
    local package

    for package in "$@"; do
        dpkg-deb -f "$package" Depends
    done | tr ',' '\n' | sed 's/^ *\([^ (|]*\).*/\1/' | grep -v -e trawl -e '^$' | sort -u | paste -sd,
}

step_make() {
    local work suite mirror

    work=$(mktemp -d "$folder/clean-root.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf --one-file-system '$work'" EXIT
    printf '|what|system|installed, s|ran, s|tested, s|what was tested|removed, s|MB|\n' >"$folder/clean-roots.md"
    printf '|---|---|--:|--:|--:|---|--:|--:|\n' >>"$folder/clean-roots.md"
    for suite in "${@:-$VERSION_CODENAME}"; do
        mirror=$(sources_of "$suite" "$work/$suite")
        debs=$folder
        if [ "$suite" != "$VERSION_CODENAME" ]; then
            debs=$folder/$suite
            mkdir -p "$debs"
            new_system build --variant=buildd --include="$(
                sed -n '/^Build-Depends:/,/^S/{ /^S/d; s/^B.*: *//; s/^ *\([a-z0-9-]*\).*/\1/p }' \
                    "$source/packaging/debian/control" | sed 's/-compat$//; /^$/d' | paste -sd,
            )"
        fi
        new_system run --include="$(needs_of "$debs"/{trawl,libtrawl2,trawl-serve}_*.deb)"
        new_system compile --include="gcc,libc6-dev,pkg-config,$(needs_of "$debs"/libtrawl2_*.deb)"
        [ ! -d "$folder/wheels" ] || new_system python --include=python3-venv
    done
    cat "$folder/clean-roots.md"
}

# new_system STEP [OPTION...]: make a new system, and run the step in it.
new_system() {
    local step=$1

    shift
    echo "== $suite: $step"
    mmdebstrap --variant=essential "$@" \
        --customize-hook="touch '$work/$step-begun' && bash '$self' '$folder' --step $step $suite '$debs' \"\$1\"" \
        "$suite" "$work/$step" "$mirror" || {
        [ -e "$work/$step-begun" ] || exit 77
        exit 1
    }
    rm -rf --one-file-system "$work/${step:?}" "$work/$step-begun"
}

# Make the Debian packages from the source archive.
step_build() {
    mkdir "$root/trial"
    cp "$source/scripts/package/deb.sh" "$root/trial/"
    tar -xzf "$folder/trawl-$version.tar.gz" -C "$root/trial"
    inside SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:?}" TRAWL_JOBS="${TRAWL_JOBS:-$(nproc)}" HOME=/trial \
        bash /trial/deb.sh "/trial/trawl-$version" "$suite" -DTRAWL_CUDA=OFF
    cp "$root"/trial/*.deb "$debs/"
}

# try WHAT NAME FILE...: call install_NAME, run_NAME, test_NAME and remove_NAME, and add a row with their times and the
# files' size to the table. test_NAME sets `tested`, the words about what was tested.
try() {
    local what=$1 name=$2 stage row begin bytes

    row="|$what|$suite"
    bytes=$(cat "${@:3}" | wc -c)
    for stage in install run test remove; do
        begin=$EPOCHREALTIME
        "${stage}_$name"
        row+="|$(bc -l <<<"$EPOCHREALTIME - $begin" | xargs printf '%.1f')"
        [ $stage != test ] || row+="|$tested"
    done
    echo "$row|$(bc -l <<<"$bytes / 1000000" | xargs printf '%.1f')|" | tee -a "$folder/clean-roots.md"
}

# remove PACKAGE...: purge the packages, and check that nothing of trawl is left.
remove() {
    inside dpkg -P "$@"
    nothing_left
}

nothing_left() {
    if find "$root" -xdev \( -name '*trawl*' -o -path '*/bin/tg' \) -not -path "$root/var/log/*" \
        -not -path "$root/proc/*" -not -path "$root/trial/*" | grep .; then
        echo 'the files above are left' >&2
        exit 1
    fi
}

# test_cases FOLDER: run stories of the command (tests/stories) with the programs of FOLDER.
test_cases() {
    python3 -B "$source/tests/documents/run.py" --stories \
        --shell "unshare -n chroot $root env -i PATH=$1:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=xterm bash -c" \
        "$source"/tests/stories/{command,as_grep}.md >"$folder/cases.log" 2>&1 || {
        tail -n 60 "$folder/cases.log"
        exit 1
    }
    tested=$(tail -n 1 "$folder/cases.log")
    # For a tree of files, the answers must be the same as grep's.
    inside sh -c "cd /usr/share && $1/trawl -r -n License . >/trial/trawl.out; grep -r -n -F License . >/trial/grep.out"
    cmp "$root/trial/trawl.out" "$root/trial/grep.out"
    [ "$(wc -l <"$root/trial/trawl.out")" -gt 100 ]
}

# first_line WHAT: check that the line of docs/packaging.md that a user of WHAT runs first prints the answer that the
# page shows.
first_line() {
    local line

    line=$(sed -n "/^# $1: prints /{n;p}" "$source/docs/packaging.md")
    mkdir -p "$root/trial/first"
    cp -r "$source/examples" "$debs"/{trawl,libtrawl2,libtrawl-dev}_*.deb "$root/trial/first/"
    ! compgen -G "$folder/trawl-*-linux-*.tar.gz" >/dev/null ||
        cp "$folder"/trawl-*-linux-*.tar.gz "$root/trial/first/"
    [ ! -d "$folder/wheels" ] || cp "$folder"/wheels/*.whl "$root/trial/first/"
    [ -n "$line" ]
    equal "the first line of $1" "$(sed -n "s/^# $1: prints //p" "$source/docs/packaging.md")" \
        "$(inside HOME=/trial sh -c "cd /trial/first && $line" | tail -n 1)"
}

install_command() {
    first_line 'Debian, Ubuntu'
    inside dpkg -i "${trial[@]}"
    inside dpkg -V trawl libtrawl2 trawl-doc
}

run_command() {
    equal --version "trawl $version" "$(inside trawl --version | sed -n 1p)"
    printf 'one fish\ntwo\nfish fish\n' >"$root/trial/sea.txt"
    equal occurrences 3 "$(inside trawl --count-matches fish /trial/sea.txt)"
    equal expression 2 "$(inside trawl -E -c 'f[a-i]sh' /trial/sea.txt)"
    # tg obeys the rules of ignore files, so it skips the file `hidden`.
    mkdir "$root/trial/tree"
    echo fish | tee "$root/trial/tree/seen" >"$root/trial/tree/hidden"
    echo hidden >"$root/trial/tree/.ignore"
    equal tg 'seen' "$(inside sh -c 'cd /trial/tree && tg -l fish </dev/null')"
}

test_command() {
    test_cases /usr/bin
}

remove_command() {
    remove trawl libtrawl2 trawl-doc
}

install_server() {
    inside dpkg -i /trial/{trawl,trawl-serve}.deb
    inside dpkg -V trawl-serve
}

run_server() {
    # shellcheck disable=SC2016
    equal served 1 "$(inside sh -c 'cd /trial/tree
        trawl-serve --listen=unix:/trial/socket . 2>/trial/log & server=$!
        until grep -q " serves at " /trial/log; do kill -0 $server || exit; done
        trawl --server=unix:/trial/socket -c fish seen
        kill $server; wait $server')"
}

test_server() {
    tested='an answer as the command gives it'
}

remove_server() {
    remove trawl-serve trawl
}

# Make packages of 0.1.0: the present packages, with the version and the soname (libtrawl0) of 0.1.0.
make_old() {
    local package

    for package in trawl trawl-serve libtrawl2; do
        dpkg-deb -R "$root/trial/$package.deb" "$root/trial/old"
        sed -i "s/^Version: .*/Version: 0.1.0-0trawl1/; s/(= ${version}[^)]*)/(= 0.1.0-0trawl1)/
            s/libtrawl2/libtrawl0/g" "$root/trial/old/DEBIAN/"{control,triggers,shlibs,symbols} 2>/dev/null || true
        # shellcheck disable=SC2016
        [ $package != libtrawl2 ] || find "$root/trial/old/usr" -depth -name '*libtrawl*2*' \
            -execdir bash -c 'to=${1/so.2/so.0} && mv "$1" "${to/libtrawl2/libtrawl0}"' _ {} \;
        inside dpkg-deb -b /trial/old "/trial/old-$package.deb"
        rm -rf "$root/trial/old"
    done
}

install_upgrade() {
    make_old
    inside dpkg -i /trial/old-{trawl,trawl-serve,libtrawl2}.deb
    mkdir -p "$root/etc/trawl" "$root/root/.config/trawl"
    echo 'TRAWL_SERVE="src=/srv"' | tee "$root/etc/trawl/serve" >"$root/root/.config/trawl/serve"
    inside dpkg -i /trial/{trawl,trawl-serve,libtrawl2}.deb
}

run_upgrade() {
    equal --version "trawl $version" "$(inside trawl --version | sed -n 1p)"
    # shellcheck disable=SC2016
    equal 'old packages' libtrawl0 "$(inside dpkg-query -W -f '${Package} ${Version}\n' | sed -n 's/ 0\.1\.0-.*//p')"
}

# After removal, only what the user and the administrator wrote remains; after purging (remove_upgrade), only what the
# user wrote.
test_upgrade() {
    inside dpkg -r trawl trawl-serve libtrawl0 libtrawl2
    equal left "/etc/trawl/serve /root/.config/trawl/serve" "$(cd "$root" && find etc root -path '*trawl/*' |
        sort | sed 's/^/\//' | paste -sd' ')"
    tested='configuration is left'
}

remove_upgrade() {
    inside dpkg -P trawl trawl-serve libtrawl0 libtrawl2
    [ ! -e "$root/etc/trawl" ]
    rm -r "$root/root/.config"
    nothing_left
}

install_archive() {
    first_line 'another Linux'
}

run_archive() {
    equal --version "trawl $version" "$(inside "$place/bin/trawl" --version | sed -n 1p)"
    equal expression 2 "$(inside "$place/bin/trawl" -E -c 'f[a-i]sh' /trial/sea.txt)"
}

test_archive() {
    test_cases "$place/bin"
}

remove_archive() {
    rm -r "${root:?}$place"
    nothing_left
}

step_run() {
    local place
    local -a trial=(/trial/{trawl,libtrawl2,trawl-doc}.deb)

    place=/trial/first/trawl-$version-linux-$(uname -m)
    if inside sh -c 'command -v python3 || command -v gcc'; then
        echo 'the new system has more in it than it should' >&2
        exit 1
    fi
    bring_packages
    try 'trawl, libtrawl2, trawl-doc' command "${trial[@]/#/$root}"
    try trawl-serve server "$root/trial/trawl-serve.deb"
    try 'upgrade from 0.1' upgrade "$root"/trial/{trawl,trawl-serve,libtrawl2}.deb
    [ ! -e "$folder/$(basename "$place").tar.gz" ] || # portable.sh was skipped
        try 'portable archive' archive "$folder/$(basename "$place").tar.gz"
}

bring_packages() {
    local package

    mkdir -p "$root/trial"
    for package in trawl trawl-serve libtrawl2 libtrawl-dev trawl-doc; do
        cp "$debs/${package}_"*.deb "$root/trial/$package.deb"
    done
}

install_library() {
    first_line 'a C program'
    inside dpkg -V libtrawl-dev
}

run_library() {
    # shellcheck disable=SC2016
    inside sh -c 'cd /trial && gcc first/examples/count_buffer.c -o shared $(pkg-config --cflags --libs trawl)'
    inside sh -c 'cd /trial && gcc first/examples/count_buffer.c -o static -Wl,-Bstatic -ltrawl -Wl,-Bdynamic'
    equal shared 'fish: 4' "$(inside /trial/shared)"
    equal static 'fish: 4' "$(inside /trial/static)"
    equal 'libraries of both' 1 "$(inside ldd /trial/shared /trial/static | grep -c 'libtrawl\.so\.2 => ')"
}

test_library() {
    local example count=0

    for example in "$source"/examples/*.c; do
        # shellcheck disable=SC2016
        inside sh -c "gcc /trial/first/examples/${example##*/} -o /trial/example \$(pkg-config --cflags --libs trawl)"
        count=$((count + 1))
    done
    tested="$count examples compile"
}

remove_library() {
    remove libtrawl-dev libtrawl2
}

step_compile() {
    bring_packages
    try 'libtrawl-dev' library "$root"/trial/libtrawl{2,-dev}.deb
}

install_wheel() {
    first_line 'Python 3.10 to 3.14'
}

run_wheel() {
    equal banana 4 "$(inside /trial/first/v/bin/python -c 'import trawl; print(trawl.Plan(["an", "na"]).count("banana"))')"
    equal command "trawl $version" "$(inside /trial/first/v/bin/trawl --version | sed -n 1p)"
    equal expression 1 "$(inside sh -c 'echo fish | /trial/first/v/bin/tg -c "f[h-j]sh"')"
}

test_wheel() {
    mkdir "$root/trial/python" "$root/trial/tests"
    cp -r "$source/python/tests" "$root/trial/python/"
    cp "$source/tests/expressions.py" "$root/trial/tests/" # test_regex.py draws with it
    cp -r "$source/include" "$tools/pytest" "$root/trial/"
    inside /trial/first/v/bin/pip install -q --no-index --find-links /trial/pytest pytest hypothesis
    inside HOME=/trial sh -c 'cd /trial/python/tests && /trial/first/v/bin/python -m pytest -q -p no:cacheprovider test_plan.py \
        test_search.py test_records.py test_regex.py' >"$folder/cases.log" 2>&1 || {
        tail -n 60 "$folder/cases.log"
        exit 1
    }
    tested=$(tail -n 1 "$folder/cases.log" | sed 's/ in .*//')
}

remove_wheel() {
    inside /trial/first/v/bin/pip uninstall -q -y pytrawl
    if find "$root/trial/first/v" \( -name "*trawl*" -o -name tg \) | grep .; then
        echo 'the files above are left' >&2
        exit 1
    fi
}

step_python() {
    local abi

    mkdir "$root/trial"
    abi=$(inside python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    if compgen -G "$folder/wheels/pytrawl-*-$abi-$abi-*_$(uname -m).whl" >/dev/null; then
        try "wheel for $abi" wheel "$folder/wheels/pytrawl-"*"-$abi-$abi-"*"_$(uname -m).whl"
    fi
}

if [ "${2-}" = --step ]; then
    suite=$4 debs=$5 root=$6
    "step_$3"
else
    step_make "${@:2}"
fi
