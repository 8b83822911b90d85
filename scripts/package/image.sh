#!/usr/bin/env bash
# image: a container image with the server, the command and the libraries that both load; nothing else, no shell
#
# image.sh FOLDER    writes trawl-serve-VERSION-image-MACHINE.tar.gz (docker load, podman load) into FOLDER, from the
# Debian packages there and this system's libraries, whose packages it adds to FOLDER/image.txt as NAME VERSION. It tries
# the image: as the user whom the image names, its server answers its command.
# Status 77: buildah, or the permission to make containers, is not here.
set -euo pipefail
export LC_ALL=C.UTF-8 BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker

folder=$(realpath "$1")
version=$(find "$folder" -maxdepth 1 -name 'trawl-*.tar.gz' | sed -n 's/^.*\/trawl-\([0-9.]*\)\.tar\.gz$/\1/p')
archive=$folder/trawl-serve-$version-image-$(uname -m).tar
work=$(mktemp -d "$folder/image.XXXXXX")
root=$work/root
socket=unix:/run/trawl/socket
trial=unix:/run/trawl/trial.$$
# Stop the server that is tried. buildah passes on no signals, so the server is found by its name, which no other has.
stop() { ! pkill -xf "[^ ]*trawl-serve --listen=$trial /data" || wait || true; }
buildah() { command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/state" "$@"; }
trap 'stop; rm -rf --one-file-system "$work"' EXIT

command -v buildah >/dev/null || exit 77
container=$(buildah from scratch) || exit 77

mkdir -p "$root"/{data,tmp,usr/bin} "$work/run/trawl"
for package in trawl trawl-serve libtrawl2; do
    dpkg-deb -x "$folder/${package}_"*.deb "$work/packaged"
done
cp "$work"/packaged/usr/bin/{trawl,trawl-serve} "$root/usr/bin/"
(cd "$work/packaged" && find . -name 'libtrawl_*.so.*' -exec cp -P --parents {} "$root" \;)
# What the programs are linked with, and what they load when a compressed text comes.
{
    find "$root" -type f -exec ldd {} + | grep -o '/[^ ]*\.so[^ :]*' | grep -v "^$root" || true
    for library in z.so.1 lzma.so.5 bz2.so.1.0 zstd.so.1 lz4.so.1; do
        ldconfig -p | sed -n "s/^\tlib$library (.*=> //p" | head -n 1
    done
} | sort -u >"$work/libraries"
while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
    { dpkg-query -S "$library" "$(realpath "$library")" 2>/dev/null || true; } | sed -n '1s/: .*//p'
done <"$work/libraries" | sort -u | xargs dpkg-query -W -f "\${Package} \${Version}\n" >"$folder/image.txt"

buildah copy -q --chown 0:0 "$container" "$root" / >/dev/null
buildah copy -q --chown 65534:65534 "$container" "$work/run" /run >/dev/null
buildah config --user 65534:65534 --env LC_ALL=C.UTF-8 --env PATH=/usr/bin --workingdir /data \
    --volume /data --volume /run/trawl --entrypoint '["trawl-serve"]' --cmd "--listen=$socket /data" \
    --healthcheck "CMD trawl --server=$socket --files --quiet" --healthcheck-interval 30s --healthcheck-start-period 5m \
    --label "org.opencontainers.image.title=trawl-serve" --label "org.opencontainers.image.version=$version" \
    "$container"

# Try it.
mkdir "$work/sea"
printf 'one fish\ntwo\nfish fish\n' >"$work/sea/fish.txt"
run() { buildah run --user 65534:65534 --volume "$work/sea:/data:ro" "$container" -- "$@"; }
run trawl-serve --listen=$trial /data 2>"$work/log" &
until grep -q ' serves at ' "$work/log"; do
    kill -0 $! 2>/dev/null || { cat "$work/log"; exit 1; }
    sleep 0.1
done
[ "$(run trawl --server=$trial -c fish fish.txt)" = 2 ]
[ "$(run trawl --server=$trial -c -E 'f[h-j]sh' fish.txt)" = 2 ]
run trawl --server=$trial --files --quiet
stop
if run trawl --server=$trial --files --quiet 2>/dev/null; then
    echo 'the health check passes without a server' >&2
    exit 1
fi

buildah commit -q --format docker --timestamp "${SOURCE_DATE_EPOCH:?}" "$container" \
    "docker-archive:$archive:trawl-serve:$version" >/dev/null
gzip -9nf "$archive"
echo "image: $(stat -c %s "$archive.gz") bytes, unpacked $(du -sb "$root" | cut -f1): the server answered its command"
