#!/usr/bin/env bash
# dist.sh SOURCE BUILD: makes and checks what pip installs: a source archive, and from it, with zig as compiler, a wheel
# for systems with glibc 2.28 and later. twine checks both, auditwheel says for which systems the wheel is, and the wheel
# is installed into a new environment and searches. Status 77: this cannot be done here.
set -euo pipefail

source=$1 place=$2/python-dist
scale=${TRAWL_TEST_SCALE:-1}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

[ "${scale%.*}" -ge 20 ] || skip 'archives are made in long runs'
python=${TRAWL_PYTHON:-python3}
rm -rf "$place"
mkdir -p "$place"
"$python" -m venv "$place/venv" || skip "$python has no venv"
inside=$place/venv/bin
"$inside/pip" install -q --no-compile scikit-build-core cython ninja twine auditwheel ziglang \
    >"$place/pip.log" 2>&1 || skip "what makes and reads archives cannot be installed ($place/pip.log)"

cd "$source"
export PATH=$inside:$PATH
"$inside/python" - "$place" >"$place/sdist.log" 2>&1 <<'END' || { cat "$place/sdist.log"; exit 1; }
import sys
from scikit_build_core.build import build_sdist
build_sdist(sys.argv[1])
END
tar -xzf "$place"/pytrawl-*.tar.gz -C "$place"
# The headers of zlib and others are the system's; those of glibc are zig's.
machine=$(uname -m)
cat >"$place/zigcc" <<END
#!/bin/sh
exec "$inside/python" -m ziglang cc -target $machine-linux-gnu.2.28 "\$@" \\
    -idirafter /usr/include -idirafter /usr/include/$machine-linux-gnu
END
chmod +x "$place/zigcc"
cd "$place"/pytrawl-*/
env -u CMAKE_C_COMPILER_LAUNCHER CC="$place/zigcc" ZIG_GLOBAL_CACHE_DIR="$place/zig" \
    "$inside/python" - "$place" >"$place/wheel.log" 2>&1 <<'END' || { tail -50 "$place/wheel.log"; exit 1; }
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"cmake.define.TRAWL_CUDA": "OFF", "cmake.define.TRAWL_SERVER": "OFF"})
END
cd "$place"
twine check --strict pytrawl-*.tar.gz pytrawl-*.whl
auditwheel show pytrawl-*.whl | tee "$place/auditwheel.log"
grep -Eq 'manylinux_2_(1[0-9]|2[0-8])_' "$place/auditwheel.log"
"$python" -m venv "$place/new"
"$place/new/bin/pip" install -q --no-compile --no-deps pytrawl-*.whl
[ "$("$place/new/bin/python" -c 'import trawl; print(trawl.Plan(["an", "na"]).count("banana"))')" = 4 ]
[ "$("$place/new/bin/python" -c 'import trawl; print(trawl.Plan("(a+b)+c", regex=True).count("abc"))')" = 1 ]
sets=$("$place/new/bin/trawl" --version | grep '^instruction sets')
[ "$sets" = "$("$2/trawl" --version | grep '^instruction sets')" ]
[ "$(printf 'banana\n' | "$place/new/bin/trawl" -c an)" = 1 ]
[ "$(printf 'banana\n' | "$place/new/bin/tg" -o nan)" = nan ]
