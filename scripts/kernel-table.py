"""kernel-table: print the table of kernels in docs/kernels.md: each one's share of nvcc's processor time and of the
code, for compute capability 9.0. The time of a source file is divided as ptxas's time for its kernels is. Takes two
minutes.

    python3 scripts/kernel-table.py [NVCC]"""

import os
import re
import resource
import subprocess
import sys
import tempfile

SOURCES = ("src/cuda/kernels/kernels.cu", "src/cuda/kernels/sets.cu", "src/approximate/kernels/grams.cu")
ENTRY = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d+) registers.*?Compile time = ([\d.]+) ms", re.DOTALL)
SECTION = re.compile(r"\.text\.(\w+) +PROGBITS +\w+ +\w+ +(\w+)")
ALONE = 0.01  # kernels with a smaller share are added up


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compiled(nvcc, source, folder):
    """Return for each kernel of a source file its name, seconds, bytes and registers."""
    cubin = os.path.join(folder, "cubin")
    words = (
        f"-x cu -std=c++17 -O3 -I src -I . -gencode arch=compute_90,code=sm_90 -cubin -Xptxas -v -o {cubin} {source}"
    )
    before = processor_seconds()
    said = subprocess.run([nvcc, *words.split()], check=True, capture_output=True, text=True).stderr
    seconds = processor_seconds() - before
    sections = subprocess.run(["readelf", "-SW", cubin], check=True, capture_output=True, text=True).stdout
    sizes = {name: int(size, 16) for name, size in SECTION.findall(sections)}
    found = ENTRY.findall(said)
    share = seconds / sum(float(ms) for *_, ms in found)
    return [(name, float(ms) * share, sizes[name], int(registers)) for name, registers, ms in found]


def main():
    nvcc = sys.argv[1] if len(sys.argv) > 1 else "nvcc"
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for source in SOURCES:
            for name, seconds, size, registers in compiled(nvcc, source, folder):
                family = re.sub(r"_[0-9].*$", "", name)  # the forms of stream_set
                found.setdefault(family, []).append((seconds, size, registers))
    whole = [sum(one[i] for forms in found.values() for one in forms) for i in (0, 1)]
    rows = sorted(((sum(it[0] for it in forms), name) for name, forms in found.items()), reverse=True)
    few = [name for seconds, name in rows if seconds < ALONE * whole[0]]
    print("|kernel|forms|time|code|registers|\n|---|--:|--:|--:|--:|")
    for names in [[name] for _, name in rows if name not in few] + [few]:
        forms = [one for name in names for one in found[name]]
        most = max(it[2] for it in forms)
        share = [sum(it[i] for it in forms) / whole[i] * 100 for i in (0, 1)]
        label = f"`{names[0]}`" if len(names) == 1 else f"{len(names)} others"
        print(f"|{label}|{len(forms)}|{share[0]:.1f} %|{share[1]:.1f} %|{most}|")
    print(f"|all|{sum(map(len, found.values()))}|{whole[0]:.0f} s|{whole[1] >> 10} KiB||")


main()
