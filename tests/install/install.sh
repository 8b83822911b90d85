#!/usr/bin/env bash
# install: what `cmake --install` leaves behind is complete and usable.
# install.sh files|hardened|symbols|pkgconfig|package|readme|uninstall BUILD_FOLDER C_COMPILER
set -euo pipefail

part=$1
build=$2
compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
examples=("$here"/../../examples/*.c) # built against the shared library, `one` also against the static one
one=$here/../../examples/count_buffer.c
work=$(mktemp -d)
# Keep the developer's own lists of installed files, so that the target `uninstall` still works afterwards.
mkdir "$work/kept"
cp -p "$build"/install_{manifest,directories}.txt "$work/kept" 2>/dev/null || true
trap 'rm -f "$build"/install_{manifest,directories}.txt
      find "$work/kept" -type f -exec cp -p {} "$build" \;
      rm -rf "$work"' EXIT
prefix=$work/prefix
unset DESTDIR
cmake --install "$build" --prefix "$prefix" >"$work/log"

skip() {
    echo "SKIPPED: $1"
    exit 77
}

# Print the path of the installed file of this name, wherever the system keeps such files below the
# prefix.
installed() {
    find "$prefix" -name "$1" | grep . || {
        echo "not installed: $1" >&2
        return 1
    }
}

test_files() {
    local file

    for file in trawl.h trawl_records.h trawl_stream.h libtrawl.a libtrawl.so trawl.pc \
        trawl-config.cmake; do
        installed "$file" >/dev/null
    done
    [ "$("$prefix/bin/trawl" --version | head -n 1 | grep -c trawl)" -eq 1 ]
    grep -q '^\.TH' "$prefix/share/man/man1/trawl.1"
    bash -n "$prefix/share/bash-completion/completions/trawl"
    grep -q '^#compdef trawl tg$' "$prefix/share/zsh/site-functions/_trawl"
    grep -q '^complete ' "$prefix/share/fish/vendor_completions.d/trawl.fish"
    # The same for tg.
    [ "$(readlink "$prefix/bin/tg")" = trawl ]
    "$prefix/bin/tg" --version >/dev/null
    grep -q '^\.TH' "$prefix/share/man/man1/tg.1"
    grep -q '^\.TH trawl_count 3' "$prefix/share/man/man3/trawl_count.3"
    grep -q '^complete .* tg$' "$prefix/share/bash-completion/completions/tg"
    grep -qx 'complete -c tg -w trawl' "$prefix/share/fish/vendor_completions.d/tg.fish"
    grep -q "^## $("$prefix/bin/trawl" --version | sed -n '1s/^trawl //p')" "$here/../../CHANGELOG.md"
    # The server, of which the command tells, whatever the prefix.
    if [ -x "$build/trawl-serve" ]; then
        "$prefix/bin/trawl" --version | grep -qx "server: $prefix/bin/trawl-serve"
        grep -q '^\.TH' "$prefix/share/man/man1/trawl-serve.1"
        grep -q "^ExecStart=$prefix/bin/trawl-serve " "$prefix/lib/systemd/system/trawl-serve.service"
        if [ -n "$(command -v systemd-analyze)" ]; then
            file=$(systemd-analyze --man=no verify "$prefix/lib/systemd/system/trawl-serve.service" 2>&1)
            [ -z "$file" ] || { echo "$file"; exit 1; }
        fi
        [ "$(find "$prefix" -name 'trawl-serve.service' -o -name 'trawl-serve.socket' | wc -l)" -eq 4 ]
    fi
    [ "$(echo 'one fish' | "$prefix/bin/trawl" -E -c 'f[a-i]sh')" -eq 1 ]
    # All programs share one copy of the kernels.
    if [ -n "$(find "$prefix" -name 'libtrawl_kernels.so.*')" ]; then
        [ "$(stat -c %s "$prefix/bin/trawl")" -lt 4000000 ]
    fi
    # Only the public headers are installed, and no file names the build folder.
    [ "$(find "$prefix" -name '*.h' ! -name trawl_gallery.h | wc -l)" -eq 3 ]
    if grep -rlF "$build" "$prefix"; then
        echo 'the files above name the build folder' >&2
        return 1
    fi
}

# Checks that each installed program and library has what SECURITY.md promises, as readelf shows: addresses that the
# loader chooses, all symbols resolved at the start and read-only after that, no memory that is both writable and executable,
# and calls of the C library's checks. Each file in the static library has its functions' entries marked, so that
# the processor can reject jumps to other places (a linked file has that mark only if the C library has it, too).
test_hardened() {
    local file fact facts marks count=0

    command -v readelf >/dev/null || skip 'no readelf'
    grep -q '^TRAWL_HARDEN:BOOL=ON$' "$build/CMakeCache.txt" || skip 'this build has TRAWL_HARDEN=OFF'
    while IFS= read -r file; do
        facts=$(readelf -hldW --dyn-syms "$file" 2>/dev/null) || continue
        count=$((count + 1))
        for fact in 'Type: *DYN' 'GNU_RELRO' 'BIND_NOW' 'GNU_STACK .* RW ' '__stack_chk_fail' \
            '__(snprintf|vsnprintf|memcpy)_chk'; do
            # libtrawl_kernels has no code for this processor
            [[ $fact != __* || $file != */libtrawl_kernels* ]] || continue
            grep -qE "$fact" <<<"$facts" || {
                echo "$file: no $fact" >&2
                return 1
            }
        done
        if [[ $file == */bin/* ]]; then
            grep -q 'FLAGS_1.* PIE' <<<"$facts"
        fi
        if grep -E 'TEXTREL|RWE' <<<"$facts"; then
            echo "$file: the memory above is written and run" >&2
            return 1
        fi
    done < <(find "$prefix" -type f \( -name 'lib*.so.*' -o -perm -u+x \))
    [ $count -ge 2 ]
    file=$(installed libtrawl.a)
    # Other processors have no such mark.
    marks=$(readelf -nW "$file" 2>/dev/null | grep -cE 'feature: .*(IBT, SHSTK|BTI, PAC)') || true
    [[ $(uname -m) != @(x86_64|aarch64) ]] || [ "$marks" -eq "$(ar t "$file" | wc -l)" ]
}

# The shared library exports only trawl_*: every function of the header, each with its version. The static library
# exports the same functions: 537 other names, such as memory_room, were once global there, and collided with programs'
# own (2026-11-27).
test_symbols() {
    local library version shown declared

    library=$(installed libtrawl.so)
    version=TRAWL_$(sed -n 's/^#define TRAWL_VERSION_MAJOR //p' "$prefix/include/trawl.h")
    shown=$(nm -D --defined-only "$library" | awk -v node="$version" '$3 != node { print $3 }' | sort)
    [ -n "$shown" ]
    if grep -v "^trawl_.*@@$version\$" <<<"$shown"; then
        echo "the symbols above are exported and are not trawl_...@@$version" >&2
        return 1
    fi
    shown=${shown//@@$version/}
    declared=$(sed -e 's|/\*.*||' -e '/^ \*/d' "$prefix"/include/trawl*.h | tr '\n' ' ' |
        grep -oE 'TRAWL_(API|CALL) [^;(]*\(' | grep -oE 'trawl_[a-z0-9_]+ ?\(' | tr -d ' (' | sort)
    [ "$(wc -l <<<"$declared")" -gt 10 ]
    diff <(echo "$declared") <(echo "$shown")
    nm -g --defined-only "$(installed libtrawl.a)" | awk 'NF == 3 { print $3 }' | sort >"$work/static"
    diff <(echo "$declared") "$work/static"
    { cat "$one" && echo 'int memory_room(void); int memory_room(void) { return 1; }'; } >"$work/own.c"
    "$compiler" -I"$prefix/include" "$work/own.c" "$(installed libtrawl.a)" -o "$work/count_buffer" -lpthread -ldl
    run_examples "$work" "$one"
    [[ $("$compiler" --version) != *'Free Software'* ]] || joined
}

# The library's objects are joined when it is installed. Joined objects of gcc's link-time optimization, which is on in
# Ubuntu's packages, once had no machine code (2026-11-28).
joined() {
    local archive

    archive=$(installed libtrawl.a)
    echo 'int trawl_own(void); int trawl_own(void) { return 1; }' >"$work/own.c"
    "$compiler" -flto -ffat-lto-objects -c "$work/own.c" -o "$work/own.o"
    rm "$archive"
    ar rc "$archive" "$work/own.o"
    cmake -DCMAKE_INSTALL_PREFIX="$prefix" -P "$build/one_object.cmake"
    readelf -sW "$archive" | grep ' FUNC .* trawl_own$'
}

documents() {
    command -v python3 >/dev/null || skip 'no python3'
    python3 "$here/../documents/run.py" "$@"
}

# run_examples FOLDER EXAMPLE...: the programs in this folder print what the examples' heads say.
run_examples() {
    documents --programs "$@"
}

test_pkgconfig() {
    local folder example
    local -a flags

    command -v pkg-config >/dev/null || skip 'no pkg-config'
    folder=$(dirname "$(installed trawl.pc)")
    export PKG_CONFIG_PATH=$folder
    folder=$(dirname "$folder")
    [ "$(pkg-config --modversion trawl)" = "$("$prefix/bin/trawl" --version |
        head -n 1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')" ]

    # No --define-prefix: the file itself finds the prefix it was installed to, moved or not.
    mkdir "$work/shared" "$work/static"
    read -ra flags <<<"$(pkg-config --cflags --libs trawl)"
    for example in "${examples[@]}"; do
        "$compiler" "$example" -o "$work/shared/$(basename "$example" .c)" "${flags[@]}"
    done
    LD_LIBRARY_PATH=$folder run_examples "$work/shared" "${examples[@]}"

    read -ra flags <<<"$(pkg-config --static --cflags --libs trawl)"
    rm "$folder"/libtrawl.so*
    "$compiler" "$one" -o "$work/static/count_buffer" "${flags[@]}"
    run_examples "$work/static" "$one"
}

# Runs the commands of README.md as they are printed, installed to ~/.local. Only PATH says where that is, so README's own
# lines must find the library. The first lines of docs/packaging.md for each kind of user are the lines that
# ./dev package runs in new systems.
test_readme() {
    local root=$here/../..

    diff <(sed -n 's/^# \(.*\): prints .*/\1/p' "$root/docs/packaging.md" | sort) \
        <(sed -n "s/^ *first_line '\(.*\)'$/\1/p" "$root/scripts/package/clean-root.sh" | sort)
    command -v pkg-config >/dev/null || skip 'no pkg-config'
    grep -qE -e '--prefix ~/\.local( |$)' "$here/../../README.md"
    [ -d "$prefix/lib/pkgconfig" ] || skip "libraries are kept in $(dirname "$(installed trawl.pc)")"
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH
    documents --path "$prefix/bin" --link .local="$prefix" --link examples="$here/../../examples" "$here/../../README.md"
}

test_package() {
    local kind target

    for kind in shared static; do
        target=all
        [ $kind = shared ] || target=count_buffer
        cmake -G Ninja -S "$here/../../examples" -B "$work/$kind" -DCMAKE_PREFIX_PATH="$prefix" \
            -DCMAKE_C_COMPILER="$compiler" -DTRAWL_COMPONENTS=$kind >"$work/log" || {
            cat "$work/log"
            return 1
        }
        cmake --build "$work/$kind" --target $target >"$work/log" || {
            cat "$work/log"
            return 1
        }
    done
    run_examples "$work/shared" "${examples[@]}"
    run_examples "$work/static" "$one"
    [ "$(readelf -d "$work/shared/count_buffer" | grep -c 'NEEDED.*libtrawl')" -eq 1 ]
    [ "$(readelf -d "$work/static/count_buffer" | grep -c 'NEEDED.*libtrawl')" -eq 0 ]
}

# Prints the tree below the folder $1: every name, and the targets of links.
tree() {
    (cd "$1" && find . -mindepth 1 -printf '%p %y %l\n' | LC_ALL=C sort)
}

uninstall() {
    cmake -DTRAWL_MANIFEST="$build/install_manifest.txt" \
        -DTRAWL_DIRECTORIES="$build/install_directories.txt" \
        -P "$here/../../cmake/uninstall.cmake" >"$work/log" 2>&1
}

# After `uninstall` nothing that was installed is left, and nothing else is gone.
test_uninstall() {
    local before

    # The build's target `uninstall` runs the same script. Ninja is not run here: it could begin to build.
    grep -q 'cmake/uninstall.cmake' "$build/build.ninja" 2>/dev/null ||
        grep -rq 'cmake/uninstall.cmake' "$build/CMakeFiles/uninstall.dir"
    uninstall
    [ ! -e "$prefix" ] || {
        find "$prefix"
        return 1
    }
    if uninstall; then
        echo 'uninstalling twice went well' >&2
        return 1
    fi
    grep -q 'nothing was installed' "$work/log"

    # Foreign files, links and empty folders stay, and one of our files is already gone.
    mkdir -p "$prefix/share/man/man1" "$prefix/empty folder" "$prefix/include"
    echo others >"$prefix/share/man/man1/trawler.1"
    echo others >"$prefix/include/trawl_other.h"
    ln -s nowhere "$prefix/dangling"
    before=$(tree "$prefix")
    cmake --install "$build" --prefix "$prefix" >"$work/log"
    cmake --install "$build" --prefix "$prefix" >"$work/log" # installs over the installation
    echo others >"$prefix/lib-notes"
    rm "$prefix/bin/trawl"
    uninstall
    rm "$prefix/lib-notes"
    diff <(echo "$before") <(tree "$prefix")

    # Below DESTDIR.
    export DESTDIR=$work/staged
    cmake --install "$build" --prefix /opt/trawl >"$work/log"
    [ -x "$DESTDIR/opt/trawl/bin/tg" ]
    uninstall
    [ ! -e "$DESTDIR/opt" ]
}

"test_$part"
echo "install $part: right"
