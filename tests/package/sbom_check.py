"""sbom_check: checks that the bill of materials is an SPDX 2.3 document, and that its statements are true.

sbom_check.py SOURCE_FOLDER BUILD_FOLDER FILE...    of these files of a build
sbom_check.py --document DOCUMENT FOLDER            of a document; its files lie in FOLDER
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

ID = re.compile(r'^SPDXRef-[A-Za-z0-9.-]+$')
MOMENT = re.compile(r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
RELATIONS = {'DESCRIBES', 'CONTAINS', 'DYNAMIC_LINK', 'OPTIONAL_DEPENDENCY_OF', 'BUILD_TOOL_OF'}
PURPOSES = {'APPLICATION', 'LIBRARY'}
NEEDED = {
    '': {'spdxVersion', 'dataLicense', 'SPDXID', 'name', 'documentNamespace', 'creationInfo',
         'packages', 'files', 'relationships'},
    'package': {'SPDXID', 'name', 'downloadLocation', 'filesAnalyzed', 'licenseConcluded',
                'licenseDeclared', 'copyrightText'},
    'file': {'SPDXID', 'fileName', 'checksums', 'licenseConcluded', 'copyrightText', 'fileTypes'},
    'relationship': {'spdxElementId', 'relationshipType', 'relatedSpdxElement'},
}  # fmt: skip
ALLOWED = {
    '': NEEDED[''],
    'package': NEEDED['package'] | {'versionInfo', 'supplier', 'primaryPackagePurpose', 'externalRefs',
                                    'packageVerificationCode'},
    'file': NEEDED['file'],
    'relationship': NEEDED['relationship'],
}  # fmt: skip


def fields(kind, element):
    for name in sorted(NEEDED[kind] - set(element)):
        yield f'{kind or "document"} {element.get("SPDXID")}: no {name}'
    for name in sorted(set(element) - ALLOWED[kind]):
        yield f'{kind or "document"} {element.get("SPDXID")}: unknown field {name}'


def faults(document, folder_of):
    """Return what is wrong with a document. folder_of(name): the path of the file with this name."""
    said = list(fields('', document))
    for kind in ('package', 'file', 'relationship'):
        for element in document.get(kind + 's', []):
            said += fields(kind, element)
    if said:
        return said
    if (document['spdxVersion'], document['dataLicense']) != ('SPDX-2.3', 'CC0-1.0'):
        said.append('not SPDX 2.3 under CC0')
    if not re.match(r'^https://[^#\s]+$', document['documentNamespace']):
        said.append('documentNamespace is no URI')
    creation = document['creationInfo']
    if not MOMENT.match(creation['created']) or not creation['creators']:
        said.append('creationInfo')
    elements = document['packages'] + document['files']
    ids = ['SPDXRef-DOCUMENT'] + [element['SPDXID'] for element in elements]
    said += [f'not an identifier: {name}' for name in ids if not ID.match(name)]
    said += [f'twice: {name}' for name in sorted(set(ids)) if ids.count(name) > 1]
    described = []
    for relation in document['relationships']:
        one, other = relation['spdxElementId'], relation['relatedSpdxElement']
        kind = relation['relationshipType']
        said += [f'{kind} of what is not there: {name}' for name in (one, other) if name not in ids]
        if kind not in RELATIONS:
            said.append(f'no such relationship: {kind}')
        if kind == 'DESCRIBES':
            described.append(other)
    for package in document['packages']:
        if package.get('primaryPackagePurpose', 'APPLICATION') not in PURPOSES:
            said.append(f'{package["SPDXID"]}: purpose')
        if package['filesAnalyzed'] != ('packageVerificationCode' in package):
            said.append(f'{package["SPDXID"]}: filesAnalyzed without its code, or the other way round')
    said += check_files(document, folder_of)
    if len(described) != 1 or not document['files']:
        return said + ['a document describes one package, with files']
    return said + list(check_code(document, described[0]))


def check_files(document, folder_of):
    for file in document['files']:
        with open(folder_of(file['fileName'][2:]), 'rb') as stream:
            data = stream.read()
        sums = {one['algorithm']: one['checksumValue'] for one in file['checksums']}
        if sums != {'SHA1': hashlib.sha1(data).hexdigest(), 'SHA256': hashlib.sha256(data).hexdigest()}:
            yield f'{file["fileName"]}: the checksums are not its own'
        said = {
            relation['relatedSpdxElement'].split('SPDXRef-Library-')[-1]
            for relation in document['relationships']
            if (relation['spdxElementId'], relation['relationshipType'])
            == (file['SPDXID'], 'DYNAMIC_LINK')
        }
        # objdump, since the script that makes the document uses readelf
        seen = set()
        if data[:4] == b'\x7fELF':
            text = subprocess.run(
                ['objdump', '-p', folder_of(file['fileName'][2:])],
                capture_output=True, text=True, check=True,
            ).stdout  # fmt: skip
            seen = {re.sub(r'[^A-Za-z0-9.-]+', '-', name) for name in re.findall(r'NEEDED +(\S+)', text)}
        if said != seen:
            yield f'{file["fileName"]}: links {sorted(said)}, needs {sorted(seen)}'


def check_code(document, main):
    sums = sorted(
        one['checksumValue']
        for file in document['files']
        for one in file['checksums']
        if one['algorithm'] == 'SHA1'
    )
    code = hashlib.sha1(''.join(sums).encode()).hexdigest()
    for package in document['packages']:
        if package['SPDXID'] == main:
            if package.get('packageVerificationCode') != {'packageVerificationCodeValue': code}:
                yield 'the package verification code is not that of the files'
            contained = {
                relation['relatedSpdxElement']
                for relation in document['relationships']
                if (relation['spdxElementId'], relation['relationshipType']) == (main, 'CONTAINS')
            }
            if contained != {file['SPDXID'] for file in document['files']}:
                yield 'the package does not contain the files'


def main():
    if sys.argv[1] == '--document':
        _, _, path, folder = sys.argv
        with open(path, encoding='utf-8') as file:
            said = faults(json.load(file), lambda name: os.path.join(folder, name))
        print(*said, f'{os.path.basename(path)}: ' + ('wrong' if said else 'right'), sep='\n')
        return 1 if said else 0
    source, build, *paths = sys.argv[1:]
    places = {os.path.basename(path): path for path in paths}
    program = os.path.join(source, 'scripts', 'package', 'sbom.py')
    with tempfile.TemporaryDirectory() as work:
        texts = []
        for name in ('one', 'two'):
            out = os.path.join(work, name)
            subprocess.run([sys.executable, '-B', program, build, out, *paths], check=True)
            with open(out, encoding='utf-8') as file:
                texts.append(file.read())
    assert texts[0] == texts[1], 'the same build gives two documents'
    document = json.loads(texts[0])
    said = faults(document, places.get)
    print(*said, sep='\n')
    libraries = [one['name'] for one in document['packages'] if 'Library' in one['SPDXID']]
    assert any(name.startswith('libc.so') for name in libraries), libraries
    print(f'{len(document["packages"])} packages, {len(document["files"])} files')
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
