#!/usr/bin/env bash
# package: source archive, portable archives, Debian packages and the server's image into build/package, each tried
#
# ./dev package [CMAKE-OPTION...]: packages the last commit. The packages are built from the archive, and without
# a network if the system allows that (unshare). docs/packaging.md says more. Status 77: the portable archives
# could not be made on this system, or some package could not be tried.
set -euo pipefail
. scripts/common.sh
. /etc/os-release

need build python codecs server package -- portable trial

untried=()
# skip WHY: report that something cannot be tried here, and note it for the end.
skip() {
    warn "SKIPPED: $1"
    untried+=("$1")
}

version=$(sed -n 's/^#define TRAWL_VERSION "\(.*\)"$/\1/p' include/trawl.h)
name=trawl-$version
read -ra suites <<<"${TRAWL_SUITES:-$VERSION_CODENAME}"
out=build/package
tree=$out/work/$name
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
TRAWL_JOBS=$jobs
export SOURCE_DATE_EPOCH TRAWL_JOBS TRAWL_TOOLS=$PWD/build/package-tools
export GIT_OPTIONAL_LOCKS=0 # otherwise git would write to its index, outside of the folder build
[ -z "$(git status --porcelain)" ] || warn 'what is not committed is not packaged'
rm -rf $out
mkdir -p $out/work

unshare -n true 2>/dev/null || unshare -rn true 2>/dev/null ||
    skip 'no namespaces here: the build is not cut off from the network'

say "source archive"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
tar -xzf "$out/$name.tar.gz" -C $out/work

say 'portable archives'
status=0
bash scripts/package/portable.sh "$tree" $out "$@" >$out/portable.log 2>&1 || status=$?
if [ $status -eq 77 ]; then
    skip "no compiler or no sources for the portable archives ($out/portable.log)"
elif [ $status -ne 0 ]; then
    tail -n 40 $out/portable.log
    die "the portable archives could not be built ($out/portable.log)"
fi
grep -e ': asks for ' -e ': the newest source is not there' $out/portable.log || true

say 'Debian packages, built from the archive'
bash scripts/package/deb.sh "$tree" "$VERSION_CODENAME" "$@" >$out/build.log 2>&1 || {
    tail -n 40 $out/build.log
    die "the packages could not be built ($out/build.log)"
}
mv $out/work/*.deb $out/work/*.changes $out/work/*.buildinfo $out/

say 'container image'
status=0
bash scripts/package/image.sh $out >$out/image.log 2>&1 || status=$?
if [ $status -eq 77 ]; then
    skip "no container can be made here ($out/image.log)"
elif [ $status -ne 0 ]; then
    tail -n 40 $out/image.log
    die "the image could not be built ($out/image.log)"
else
    tail -n 1 $out/image.log
fi

built=$(echo "$tree"/obj-*)

say 'the binary interface, against the last release'
if have abidw; then
    python3 -B tests/package/abi.py library . "packaging/abi/libtrawl.so.${version%%.*}.abi" \
        "$built/src/libtrawl.so.$version"
else
    skip 'abidw (libabigail) is not here'
fi

# Try everything that was made, unless TRAWL_UNTRIED is set.
try_all() {
    say 'lintian'
    if have lintian; then
        # lintian leaves temporary files behind.
        TMPDIR=$PWD/$out/work lintian --fail-on error,warning --allow-root $out/*.changes
    else
        skip 'lintian is not here'
    fi
    say "clean systems (${suites[*]}): install, run, test, remove"
    if have mmdebstrap && [ "$(id -u)" -eq 0 ]; then
        status=0
        bash scripts/package/clean-root.sh $out "${suites[@]}" >$out/clean-root.log 2>&1 || status=$?
        if [ $status -eq 77 ]; then
            skip "no new system could be made ($out/clean-root.log)"
        elif [ $status -ne 0 ]; then
            tail -n 40 $out/clean-root.log
            die "the packages do not work in a clean system ($out/clean-root.log)"
        fi
        cat $out/clean-roots.md
    else
        skip 'a clean system needs mmdebstrap and root'
    fi
}
[ -n "${TRAWL_UNTRIED-}" ] || try_all

say 'bill of materials, checksums'
held=()
for file in $out/trawl-*-linux-*.tar.gz $out/wheels/*.whl $out/trawl-serve-*-image-*.tar.gz; do
    [ ! -e "$file" ] || case $file in
    *.whl) held+=("$file" /dev/null) ;;
    *-linux-*) held+=("$file" $out/libraries.txt) ;;
    *) held+=("$file" $out/image.txt) ;;
    esac
done
python3 -B scripts/package/sbom.py "$version" "$SOURCE_DATE_EPOCH" "${held[@]}" >"$out/$name.cdx.json"
rm -rf $out/work $out/libraries.txt $out/image.txt
(
    cd $out
    shopt -s nullglob
    sha256sum -- *.deb *.tar.gz *.cdx.json wheels/* >SHA256SUMS
    cat SHA256SUMS
    [ -z "${TRAWL_SIGN-}" ] || gpg --batch --yes --armor --local-user "$TRAWL_SIGN" --detach-sign SHA256SUMS
)
[ ${#untried[@]} -eq 0 ] || {
    printf 'SKIPPED: %s\n' "${untried[*]}"
    exit 77
}
