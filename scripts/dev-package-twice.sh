#!/usr/bin/env bash
# package twice: package, then again from a clone in another folder: both make the same bytes
#
# ./dev package twice [CMAKE-OPTION...]. With -DTRAWL_CUDA=OFF or -DTRAWL_GALLERY=OFF: the gallery's debugging image,
# which nvcc compiles with -G, contains the folder and the time.
set -euo pipefail

again=build/package-again/another-folder
status=0
bash scripts/dev-package.sh "$@" || status=$?
[ $status -eq 0 ] || [ $status -eq 77 ] || exit $status
rm -rf build/package-again
git clone -q . "$again"
echo '== once more, in another folder'
(cd "$again" && TRAWL_UNTRIED=1 bash scripts/dev-package.sh "$@" >../log 2>&1) || [ $? -eq 77 ] || {
    tail -n 40 build/package-again/log
    exit 1
}
# buildah writes the number of its container into the image, so only the image's layer is the same.
diff <(grep -v -e -image- build/package/SHA256SUMS) <(grep -v -e -image- $again/build/package/SHA256SUMS)
echo "the same bytes twice: $(wc -l <build/package/SHA256SUMS) files"
rm -rf build/package-again
exit $status
