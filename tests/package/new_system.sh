#!/usr/bin/env bash
# new_system: in a new system with only the distribution's essential packages, apt and git, runs the demo, makes the
# packages, and installs, uses and removes them. Once their tools are installed, making packages must change no file outside
# of build. Removal must leave nothing of trawl.
#
# new_system.sh CHECKOUT    tests the checkout's last commit. Takes minutes; needs root, mmdebstrap and a network.
# Status 77: such a system cannot be made here.
set -euo pipefail

source=$(realpath "$1")
skip() {
    echo "SKIPPED: $1"
    exit 77
}
{ [ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null; } || skip 'a new system needs mmdebstrap and root'
unshare -m true 2>/dev/null || skip 'no namespaces here'

work=$(mktemp -d)
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT
. /etc/os-release
for sources in /etc/apt/sources.list.d/{debian,ubuntu}.sources /etc/apt/sources.list ''; do
    [ ! -s "$sources" ] || break
done
mmdebstrap --variant=apt --include=git "$VERSION_CODENAME" "$root" ${sources:+"$sources"} \
    >"$work/log" 2>&1 || {
    tail -n 5 "$work/log"
    skip 'no new system could be made'
}
cp /etc/resolv.conf "$root/etc/"
git clone -q --depth 1 "file://$source" "$root/root/checkout"

# inside COMMAND: bash runs COMMAND in the checkout of the new system. The mounts disappear when COMMAND ends.
inside() {
    # shellcheck disable=SC2016
    unshare -m bash -c 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
        exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TRAWL_JOBS="$2" \
            bash -euo pipefail -c "cd /root/checkout; $1"' "$root" "$1" "${TRAWL_JOBS:-$(nproc)}"
}

# told WHAT LINE COMMAND: check that COMMAND succeeds in the new system and prints LINE
told() {
    local status=0

    echo "== $1"
    inside "$3" >"$work/log" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ] || ! grep -q -e "$2" "$work/log"; then
        tail -n 60 "$work/log"
        echo "$1: status $status, or no line '$2'"
        exit 1
    fi
}

# Print the path, size and time of every file except those below the checkout's build; for links, their targets.
state() {
    find "$root" -xdev -path "$root/root/checkout/build" -prune -o \
        \( -type f -o -type l \) -printf '%P %s %T@ %l\n' | LC_ALL=C sort
}

told 'the demo' 'all 11 answers equal grep' './dev demo'

# Install what ./dev package needs. After that, ./dev package may change only its folder and apt's lists.
told 'what packaging needs' '^done$' ". scripts/common.sh; $(grep '^need ' "$source/scripts/dev-package.sh"); echo done"
state >"$work/before"
# Status 77: something, such as a compiler from PyPI or a system inside the new one, is not available.
# shellcheck disable=SC2016
told 'the packages' '^|libtrawl-dev|\|no new system could be made' './dev package -DTRAWL_CUDA=OFF || [ $? -eq 77 ]'
state >"$work/after"
[ "$(grep -c '^var/lib/apt/lists/.*Packages' "$work/after")" -gt 0 ]
diff "$work/before" "$work/after" || {
    echo './dev package changed the files above'
    exit 1
}

told 'their installation' '^done$' "apt-get -q -y install man-db pkg-config
    dpkg -i build/package/{trawl,libtrawl2,libtrawl-dev,trawl-doc}_*.deb; echo done"
told 'the command' '^2:GET /cart 500$' "printf 'GET / 200\nGET /cart 500\n' | trawl -n ' 500'"
told 'its manual' 'search for strings in files' 'man trawl | head -n 20'
told 'its manual as tg' 'search for strings in the files of a directory' 'man tg | head -n 20'
told 'the manual of the library' '^ *trawl_count' 'man 3 trawl_count'
# shellcheck disable=SC2016
told 'the example' '^fish: 4$' 'cc examples/count_buffer.c -o /tmp/count $(pkg-config --cflags --libs trawl)
    /tmp/count; rm /tmp/count'
told 'their removal' '^done$' 'dpkg -P trawl libtrawl-dev libtrawl2 trawl-doc; echo done'
# man keeps the pages that root has read.
if (cd "$root" && find . -xdev \( -path ./root/checkout -o -path ./var/cache/man \) -prune -o \
    \( -name '*trawl*' -o -path '*/bin/tg' \) -print) | grep .; then
    echo 'the files above are left'
    exit 1
fi
echo 'a new system: right'
