#!/usr/bin/env python3
"""sbom.py [--carried LIST] BUILD OUT FILE...: a software bill of materials (SPDX 2.3, JSON) of what a build made.

Everything in it is read from the build: versions and compilers from CMake's files, libraries from the
binaries themselves. BUILD is the build folder, OUT the file to write; each FILE (a binary, a package,
the source archive) is listed with its checksums. Times come from SOURCE_DATE_EPOCH, so that the same
build gives the same document.

LIST has the name and the version of each library that the portable archives hold, one a line: these archives CONTAIN
the libraries. What an ELF file needs is DYNAMIC_LINK; what it loads by name, when it has a use for it, is
OPTIONAL_DEPENDENCY_OF.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

LICENSE = 'Apache-2.0'


def spdx_id(kind, name):
    return f'SPDXRef-{kind}-' + re.sub(r'[^A-Za-z0-9.-]+', '-', name)


def checksums(data):
    return [
        {'algorithm': 'SHA1', 'checksumValue': hashlib.sha1(data).hexdigest()},
        {'algorithm': 'SHA256', 'checksumValue': hashlib.sha256(data).hexdigest()},
    ]


def package(kind, name, version, **more):
    return {
        'SPDXID': spdx_id(kind, name),
        'name': name,
        'versionInfo': version,
        'downloadLocation': 'NOASSERTION',
        'filesAnalyzed': False,
        'licenseConcluded': 'NOASSERTION',
        'licenseDeclared': 'NOASSERTION',
        'copyrightText': 'NOASSERTION',
        'supplier': 'NOASSERTION',
        **more,
    }


def compilers(build):
    """[(identity, version)] of the compilers that CMake found for this build, and CMake itself."""
    found = []
    folder = os.path.join(build, 'CMakeFiles')
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, 'CMakeCCompiler.cmake')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            identity = re.search(r'set\(CMAKE_C_COMPILER_ID "([^"]*)"\)', text).group(1)
            version = re.search(r'set\(CMAKE_C_COMPILER_VERSION "([^"]*)"\)', text).group(1)
            found = [(identity, version), ('CMake', name)]
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as file:
        cache = file.read()
    nvcc = re.search(r'^TRAWL_NVCC:\w+=(.*nvcc)$', cache, re.MULTILINE)
    if nvcc and re.search(r'^TRAWL_CUDA:\w+=(ON|1|TRUE)$', cache, re.MULTILINE):
        said = subprocess.run([nvcc.group(1), '--version'], capture_output=True, text=True, check=True)
        found.append(('nvcc', re.search(r'release ([\d.]+)', said.stdout).group(1)))
    return found


def libraries_of(path, data):
    """What an ELF file needs, and what it may load: two sorted lists of names."""
    said = subprocess.run(['readelf', '-d', path], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r'\(NEEDED\).*\[(.+?)\]', said))
    loaded = {name.decode() for name in re.findall(rb'\b(lib[a-z0-9_+-]+\.so(?:\.[0-9]+)+)\0', data)}
    own = re.search(r'\(SONAME\).*\[(.+?)\]', said)
    return sorted(needed), sorted(loaded - needed - ({own.group(1)} if own else set()))


def carried_packages(packages, carried):
    """Put the libraries of the list `carried` into `packages`, and return their identifiers."""
    for name, number in carried:
        found = package('Carried', name, number, primaryPackagePurpose='LIBRARY')
        packages[found['SPDXID']] = found
        yield found['SPDXID']


def document(build, paths, carried):
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as file:
        version = re.search(r'^CMAKE_PROJECT_VERSION:\w+=(.*)$', file.read(), re.MULTILINE).group(1)
    main = package(
        'Package', 'trawl', version, licenseConcluded=LICENSE, licenseDeclared=LICENSE,
        primaryPackagePurpose='APPLICATION',
        externalRefs=[
            {
                'referenceCategory': 'PACKAGE-MANAGER',
                'referenceType': 'purl',
                'referenceLocator': f'pkg:generic/trawl@{version}',
            }
        ],
    )  # fmt: skip
    packages, files = {main['SPDXID']: main}, []
    relations = [('SPDXRef-DOCUMENT', 'DESCRIBES', main['SPDXID'])]

    def library(name):
        found = package('Library', name, 'NOASSERTION', primaryPackagePurpose='LIBRARY')
        del found['versionInfo']  # whichever the system has
        return packages.setdefault(found['SPDXID'], found)['SPDXID']

    for path in sorted(paths, key=os.path.basename):
        with open(path, 'rb') as stream:
            data = stream.read()
        name = os.path.basename(path)
        entry = {
            'SPDXID': spdx_id('File', name),
            'fileName': f'./{name}',
            'checksums': checksums(data),
            'licenseConcluded': LICENSE,
            'copyrightText': 'NOASSERTION',
            'fileTypes': ['BINARY' if data[:4] == b'\x7fELF' else 'ARCHIVE'],
        }
        files.append(entry)
        relations.append((main['SPDXID'], 'CONTAINS', entry['SPDXID']))
        if '-linux-' in name:
            relations += [(entry['SPDXID'], 'CONTAINS', library) for library in carried_packages(packages, carried)]
        if data[:4] == b'\x7fELF':
            needed, loaded = libraries_of(path, data)
            relations += [(entry['SPDXID'], 'DYNAMIC_LINK', library(name)) for name in needed]
            relations += [
                (library(name), 'OPTIONAL_DEPENDENCY_OF', entry['SPDXID']) for name in loaded
            ]
    for identity, number in compilers(build):
        tool = package('Tool', identity, number)
        packages[tool['SPDXID']] = tool
        relations.append((tool['SPDXID'], 'BUILD_TOOL_OF', main['SPDXID']))

    # As section 7.9 of SPDX 2.3 has it.
    sums = sorted(file['checksums'][0]['checksumValue'] for file in files)
    main['filesAnalyzed'] = True
    main['packageVerificationCode'] = {
        'packageVerificationCodeValue': hashlib.sha1(''.join(sums).encode()).hexdigest()
    }
    digest = hashlib.sha256(''.join(f['checksums'][1]['checksumValue'] for f in files).encode())
    moment = int(os.environ.get('SOURCE_DATE_EPOCH', '0'))
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)
    return {
        'spdxVersion': 'SPDX-2.3',
        'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'trawl-{version}',
        'documentNamespace': f'https://spdx.org/spdxdocs/trawl-{version}-{digest.hexdigest()}',
        'creationInfo': {
            'created': created.strftime('%Y-%m-%dT%H:%M:%SZ'),
            'creators': [f'Tool: trawl-sbom-{version}'],
        },
        'packages': list(packages.values()),
        'files': files,
        'relationships': [
            {'spdxElementId': one, 'relationshipType': kind, 'relatedSpdxElement': other}
            for one, kind, other in relations
        ],
    }


def main():
    if len(sys.argv) < 4:
        sys.exit(f'usage: {__doc__.splitlines()[0]}')
    carried = []
    if sys.argv[1] == '--carried':
        with open(sys.argv[2], encoding='utf-8') as file:
            carried = [line.split() for line in file]
        del sys.argv[1:3]
    build, out, *paths = sys.argv[1:]
    with open(out, 'w', encoding='utf-8') as file:
        json.dump(document(build, paths, carried), file, indent=2)
        file.write('\n')


if __name__ == '__main__':
    main()
