# shellcheck shell=bash
# common: functions that the dev scripts share. Sourced, from the root of the checkout.

set -euo pipefail
export LC_ALL=C.UTF-8

# Jobs for builds and tests: every core, unless TRAWL_JOBS says otherwise.
jobs=${TRAWL_JOBS:-$(nproc 2>/dev/null || echo 2)}

# What another checkout has compiled is not compiled again.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
    export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
fi

say() {
    printf '== %s\n' "$*"
}

warn() {
    printf 'dev: %s\n' "$*" >&2
}

die() {
    warn "$*"
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# ---- What a job needs from the system -----------------------------------------------------
# One row: package | a shell command that succeeds if the package is installed.

have_fuzzer_runtime() {
    have clang && compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*.a" >/dev/null
}

have_qemu_arm64() {
    have qemu-aarch64 || have qemu-aarch64-static
}

have_locale_sources() {
    have localedef && [ -f /usr/share/i18n/locales/tr_TR ]
}

# have_library NAME: succeeds if the library is installed, even if the user's PATH lacks /sbin.
have_library() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -F "$1" >/dev/null
}

have_python_headers() {
    python3 - <<'END' 2>/dev/null
import os, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
END
}

needs_build() {
    cat <<'ROWS'
gcc|have gcc
libc6-dev|[ -f /usr/include/stdio.h ]
cmake|have cmake
ninja-build|have ninja
ROWS
}

needs_python() {
    echo 'python3|have python3'
}

needs_test() {
    cat <<'ROWS'
ccache|have ccache
g++|have g++
pkg-config|have pkg-config
clang-format|have clang-format
curl|have curl
git|have git
ripgrep|have rg
shellcheck|have shellcheck
gcc-aarch64-linux-gnu|have aarch64-linux-gnu-gcc
libc6-dev-arm64-cross|[ -f /usr/aarch64-linux-gnu/include/stdio.h ]
qemu-user|have_qemu_arm64
zsh|have zsh
fish|have fish
abigail-tools|have abidw
groff-base|have groff
mandoc|have mandoc
locales|have_locale_sources
python3-dev|have_python_headers
python3-pip|python3 -c 'import pip' 2>/dev/null
python3-venv|python3 -c 'import venv' 2>/dev/null
ROWS
}

# Programs whose answers tests compare with trawl's; scripts/judges.sh installs those that Python's index has.
needs_judges() {
    cat <<'ROWS'
libarchive-tools|have bsdtar
cutadapt|have cutadapt
g++|have g++
libre2-dev|[ -f /usr/include/re2/re2.h ]
seqkit|have seqkit
ugrep|have ugrep
uchardet|have uchardet
yara|have yara
ROWS
}

# What only long runs and ./dev fuzz need: clang, its fuzzers, and a browser for the server's page.
needs_long() {
    cat <<'ROWS'
clang|have clang
libclang-rt-dev|have_fuzzer_runtime
chromium|have chromium
ROWS
}

# Libraries, with their headers, that the build uses if they are installed: those that decompress files, and PCRE2.
# Also the programs with which the tests compress.
needs_codecs() {
    cat <<'ROWS'
zlib1g-dev|[ -f /usr/include/zlib.h ]
libisal-dev|[ -f /usr/include/isa-l/igzip_lib.h ]
libpcre2-8-0|have_library libpcre2-8.so.0
libarchive13|have_library libarchive.so.13
libuchardet0|have_library libuchardet.so.0
liblzma-dev|[ -f /usr/include/lzma.h ]
libbz2-dev|[ -f /usr/include/bzlib.h ]
libzstd-dev|[ -f /usr/include/zstd.h ]
liblz4-dev|[ -f /usr/include/lz4frame.h ]
gzip|have gzip
xz-utils|have xz
bzip2|have bzip2
zstd|have zstd
lz4|have lz4
tabix|have bgzip
ROWS
}

# What the server is built with, and what its test creates keys with.
needs_server() {
    cat <<'ROWS'
libmicrohttpd-dev|[ -f /usr/include/microhttpd.h ]
libjansson-dev|[ -f /usr/include/jansson.h ]
openssl|have openssl
ROWS
}

# The programs that ./dev bench times beside trawl.
needs_bench() {
    cat <<'ROWS'
ripgrep|have rg
ugrep|have ugrep
libhyperscan5|have_library libhs.so.5
ROWS
}

# What ./dev package makes packages with. Building a Debian package always requires build-essential.
needs_package() {
    cat <<'ROWS'
build-essential|dpkg-query -W -f '${Status}' build-essential 2>/dev/null | grep -q ' installed$'
dpkg-dev|have dpkg-buildpackage
debhelper|have dh
git|have git
ROWS
}

# What the portable archives and the container image are built with; programs for another kind of machine run in an emulator.
needs_portable() {
    cat <<'ROWS'
buildah|have buildah
dpkg-dev|have dpkg-source
make|have make
perl|have perl
python3-venv|python3 -c 'import venv, ensurepip' 2>/dev/null
qemu-user|have_qemu_arm64
libc6-dev-arm64-cross|[ -f /usr/aarch64-linux-gnu/include/stdio.h ]
unicode-data|[ -f /usr/share/unicode/UnicodeData.txt ]
ROWS
}

# What ./dev package tries the finished packages with.
needs_trial() {
    cat <<'ROWS'
abigail-tools|have abidw
lintian|have lintian
mmdebstrap|have mmdebstrap
ROWS
}

needs_tidy() {
    cat <<'ROWS'
clang-tidy|have clang-tidy
ROWS
}

# Print the packages of the rows on stdin whose check fails, one a line.
missing_packages() {
    local package check

    while IFS='|' read -r package check; do
        eval "$check" || echo "$package"
    done
}

as_root=()
# Find out how to become root: directly, by sudo without a password, or by sudo on a terminal.
can_become_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    have sudo || return 1
    if sudo -n true 2>/dev/null || [ -t 0 ]; then
        as_root=(sudo)
        return 0
    fi
    return 1
}

apt_updated=no
apt_quiet() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o Acquire::http::Timeout=20 -o Acquire::Retries=1 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Install packages. Fails if they cannot be installed. The log is in build/setup.log.
apt_install() {
    mkdir -p build
    if [ $apt_updated = no ]; then
        apt_quiet update >>build/setup.log 2>&1 || return 1
        apt_updated=yes
    fi
    apt_quiet install --no-install-recommends "$@" >>build/setup.log 2>&1
}

# Install packages together or, if that fails, one by one, so that a name unknown to this system does not prevent the
# others from being installed. Print the packages that could not be installed.
install_what_can_be() {
    local package

    apt_install "$@" && return 0
    for package in "$@"; do
        apt_install "$package" || warn "not available: $package (its tests will be skipped)"
    done
}

# need REQUIRED... [-- OPTIONAL...]: install the missing packages of needs_REQUIRED and
# needs_OPTIONAL. If they cannot be installed here, print the command that installs them. If a required package is
# missing even so, exit with status 2; otherwise continue, and the tests that need a missing package are skipped.
need() {
    local required='' optional='' list=required name line
    local -a packages=()

    for name in "$@"; do
        case $name in
        --) list=optional ;;
        *) printf -v $list '%s' "${!list} $(needs_"$name" | missing_packages | tr '\n' ' ')" ;;
        esac
    done
    read -ra packages <<<"$required $optional"
    [ ${#packages[@]} -gt 0 ] || return 0
    line="sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages[*]}"
    if ! have apt-get || ! can_become_root; then
        warn "missing here: ${packages[*]}; on Debian and Ubuntu this line installs them:"
        echo "$line"
        [ -z "${required// /}" ] || exit 2
        return 0
    fi
    say "installing: ${packages[*]}"
    install_what_can_be "${packages[@]}"
    for name in "$@"; do
        [ "$name" != -- ] || break
        if [ -n "$(needs_"$name" | missing_packages)" ]; then
            tail -n 5 build/setup.log >&2 || true
            warn "the installation failed (build/setup.log); run this line, then this command again:"
            echo "$line"
            exit 2
        fi
    done
}

# ---- Building -------------------------------------------------------------------------------

# configure_preset PRESET [CMAKE-OPTION...]: configure build/PRESET, quietly unless it fails. Every command configures a
# folder in the same way, because one that changes an option makes the next one compile again.
configure_preset() {
    local preset=$1 options=()

    shift
    case $preset in
    release)
        options=(-DTRAWL_QUICK=ON)
        [ -e /dev/nvidiactl ] || options+=(-DTRAWL_CUDA_QUICK=ON) # no device will run the kernels
        ;;
    asan) options=(-DTRAWL_QUICK=ON -DTRAWL_BENCH=OFF -DTRAWL_TEST_DIVISOR=64) ;;
    esac
    mkdir -p build
    if ! cmake --preset "$preset" "${options[@]}" "$@" >"build/configure-$preset.log" 2>&1; then
        cat "build/configure-$preset.log" >&2
        return 1
    fi
    grep -E '^-- trawl:' "build/configure-$preset.log" || true # what the build says of itself
}

# build_preset PRESET [CMAKE-OPTION...]: configure and build build/PRESET; fast if up to date.
build_preset() {
    say "build: $1"
    configure_preset "$@"
    cmake --build "build/$1" -j "$jobs"
}

# ---- Generated parts of documents -----------------------------------------------------------

# put_section PAGE NAME FILE SCRATCH: replace the text between the page's markers of that name by FILE's text. The new
# page is written to the file SCRATCH first.
put_section() {
    [ "$(grep -c -x -e "<!-- begin $2 -->" -e "<!-- end $2 -->" "$1")" -eq 2 ] ||
        die "$1 has no markers for '$2'"
    awk -v name="$2" -v file="$3" '
        $0 == "<!-- end " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- begin " name " -->" {
            inside = 1
            print ""
            while ((getline line < file) > 0) print line
            print ""
        }' "$1" >"$4"
    cat "$4" >"$1"
}
