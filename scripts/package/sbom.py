"""Writes a bill of materials (CycloneDX 1.5, JSON) of a release: the libraries that its files contain.

sbom.py VERSION EPOCH [FILE LIST]...    LIST has a line `NAME VERSION` for each library in FILE. FILE's checksum is in
SHA256SUMS, which covers this document, too.
"""

import datetime
import json
import os
import sys

version, epoch, *pairs = sys.argv[1:]
components = {}
files = []
for path, listed in zip(pairs[::2], pairs[1::2]):
    file = os.path.basename(path)
    held = []
    for line in open(listed):
        name, its_version = line.split()
        ref = "pkg:deb/debian/%s@%s" % (name, its_version.replace("+", "%2B").replace(":", "%3A").replace("~", "%7E"))
        components[ref] = {"type": "library", "bom-ref": ref, "name": name, "version": its_version, "purl": ref}
        held.append(ref)
    components[file] = {"type": "file", "bom-ref": file, "name": file, "version": version}
    files.append({"ref": file, "dependsOn": sorted(held)})
json.dump(
    {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).isoformat(),
            "component": {"type": "application", "bom-ref": "trawl", "name": "trawl", "version": version},
        },
        "components": [components[ref] for ref in sorted(components)],
        "dependencies": [{"ref": "trawl", "dependsOn": [file["ref"] for file in files]}, *files],
    },
    sys.stdout,
    indent=1,
)
print()
