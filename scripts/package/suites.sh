# shellcheck shell=bash
# suites: the package sources from which apt gets other distributions' packages. Sourced.
#
# A suite is a distribution's code name. The mirrors are this system's own; for a suite of Ubuntu, Debian needs
# TRAWL_UBUNTU_MIRROR and TRAWL_UBUNTU_KEYRING.

# sources_of SUITE FILE: write what apt reads to FILE.sources or FILE.list, and print that name.
sources_of() {
    local file

    . /etc/os-release
    if [ "$ID" = debian ] && [[ $1 =~ ^(jammy|noble)$ ]]; then
        echo "deb [signed-by=${TRAWL_UBUNTU_KEYRING:?}] ${TRAWL_UBUNTU_MIRROR:?} $1 main universe" >"$2.list"
        echo "$2.list"
        return
    fi
    for file in /etc/apt/sources.list.d/{debian,ubuntu}.sources /etc/apt/sources.list; do
        [ -s "$file" ] || continue
        sed "s/\b$VERSION_CODENAME\b/$1/g" "$file" >"$2.${file##*.}"
        echo "$2.${file##*.}"
        return
    done
}
