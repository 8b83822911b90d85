#!/usr/bin/env bash
# deb: Debian packages from a decompressed source archive, made beside it, without a network if the system allows that
#
# deb.sh TREE SUITE [CMAKE-OPTION...]    SUITE, a distribution's code name, becomes a part of the packages' version.
# Needs the packages that packaging/debian/control names. SOURCE_DATE_EPOCH is the packages' time.
set -euo pipefail

tree=$1
suite=$2
shift 2
version=$(sed -n 's/^#define TRAWL_VERSION "\(.*\)"$/\1/p' "$tree/include/trawl.h")
maintainer="${DEBFULLNAME:-trawl packagers} <${DEBEMAIL:-packages@trawl.invalid}>"
offline=()
! unshare -n true 2>/dev/null || offline=(unshare -n)
[ ${#offline[@]} -gt 0 ] || ! unshare -rn true 2>/dev/null || offline=(unshare -rn)
[ ${#offline[@]} -gt 0 ] || echo 'deb: no namespaces here: the build is not cut off from the network'

cp -r "$tree/packaging/debian" "$tree/debian"
sed -i "s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
sed -i "s/@VERSION@/$version/" "$tree/debian/libtrawl2.symbols"
cat >"$tree/debian/changelog" <<END
trawl ($version-0trawl1+$suite) unstable; urgency=medium

  * Packaged by the project itself; CHANGELOG.md says what is new.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
cd "$tree"
export TRAWL_CMAKE_OPTIONS="$*" DEB_BUILD_OPTIONS="parallel=${TRAWL_JOBS:-$(nproc)}"
"${offline[@]}" dpkg-buildpackage -b -uc -us
