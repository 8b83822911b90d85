#!/usr/bin/env python3
"""registers: in the compiled code of pss-gr the key is compared from registers.

    registers.py PROJECT-FOLDER KERNEL-FILE KEY-BYTES

nvcc compiles the file. In the PTX of gallery_pss_gr each of KEY-BYTES comparisons has a byte of the
text on one side and, on the other, nothing but what shuffles brought in front of the first one: the
key's words, loaded once. ptxas must leave them in registers: no stack frame, no spills. The same
look at gallery_pss_gg must find a key that is loaded for each comparison. In code that is not
optimised (-G), which is what the publication timed, loads and shuffles are calls: there the key's words
are loaded once, the text once for each comparison, and nothing comes from local memory. Optimised
code alone was looked at once, while the key lay in local memory in the other. Skipped without nvcc.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TEXT_LOAD = "ld.global.nc.u8"


def find_nvcc():
    folders = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH")
               if name in os.environ]
    path = os.pathsep.join([os.environ.get("PATH", ""), *folders, "/usr/local/cuda/bin"])
    return shutil.which("nvcc", path=path)


def compile_kernels(nvcc, project, source, folder, how):
    """The PTX, and what ptxas says."""
    result = subprocess.run(
        [nvcc, "-x", "cu", "-std=c++17", how, "-arch=sm_90", "-I", project, "-I",
         os.path.join(project, "src"), "-Xptxas", "-v", "-cubin", "--keep", "--keep-dir", folder,
         "-o", os.path.join(folder, "out.cubin"), source],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        sys.exit("nvcc failed:\n" + result.stdout)
    name = os.path.splitext(os.path.basename(source))[0] + ".ptx"
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read(), result.stdout


class Kernel:
    """One entry's instructions, and what each register may come from."""

    def __init__(self, ptx, name):
        body = ptx[ptx.index(".entry " + name + "("):]
        body = body[:body.index("\n}")]
        self.instructions = []
        self.sources = {}
        for line in body.splitlines():
            match = re.match(r"\s*(?:@!?%p\d+ )?([a-z][\w.]*)\s+(.*);", line)
            if match is None:
                continue
            operation, operands = match.groups()
            self.instructions.append((operation, operands))
            target, _, rest = operands.partition(",")
            if operation.startswith(("st.", "bra")):
                continue
            for register in re.findall(r"%\w+", target):
                self.sources.setdefault(register, []).append((operation, rest))

    def roots(self, register, seen=None):
        """The loads and shuffles that a register's value comes from."""
        seen = set() if seen is None else seen
        found = set()
        if register in seen:
            return found
        seen.add(register)
        for operation, operands in self.sources.get(register, []):
            if operation.startswith(("ld.", "shfl.")):
                found.add(operation)
                continue
            for other in re.findall(r"%\w+", operands):
                found |= self.roots(other, seen)
        return found

    def comparisons(self):
        """Of each comparison with a byte of the text: what the other side comes from."""
        found = []
        for operation, operands in self.instructions:
            if not re.match(r"setp\.(eq|ne)", operation):
                continue
            sides = [self.roots(register) for register in re.findall(r"%\w+", operands)[1:]]
            if len(sides) == 2 and {TEXT_LOAD} in sides:
                found.append(sides[1] if sides[0] == {TEXT_LOAD} else sides[0])
        return found

    def places(self, prefix):
        return [i for i, (operation, _) in enumerate(self.instructions)
                if operation.startswith(prefix)]


def check(condition, message):
    if not condition:
        sys.exit("failed: " + message)


def check_registers(kernel, report, key_bytes):
    comparisons = kernel.comparisons()
    check(len(comparisons) == key_bytes,
          f"{len(comparisons)} comparisons with the text, expected {key_bytes}")
    check(all(len(roots) == 1 and next(iter(roots)).startswith("shfl.") for roots in comparisons),
          f"a key's bytes come from {sorted(set().union(*comparisons))}")
    loads = kernel.places("ld.global")
    check(len(loads) == key_bytes + 1, f"{len(loads)} loads from global memory")
    check(max(kernel.places("shfl.")) < loads[1], "a shuffle after the first byte of the text")
    check(not kernel.places("ld.local") + kernel.places("ld.const") + kernel.places("ld.shared"),
          "a load from local, constant or shared memory")
    check_spills(report)


def check_spills(report):
    said = report[report.index("'gallery_pss_gr'"):]
    check("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in
          "".join(said.splitlines()[:3]), "ptxas says: " + said[:300])


def check_not_optimised(ptx, report, key_bytes):
    body = ptx[ptx.index(".entry gallery_pss_gr("):]
    body = body[:body.index("\n}")]
    calls = re.findall(r"(__shfl_sync|__ldgEPKj|__ldgEPKh)", body)
    words = key_bytes // 4
    check(calls == ["__ldgEPKj"] + words * ["__shfl_sync"] + key_bytes * ["__ldgEPKh"],
          f"not optimised: {len(calls)} loads and shuffles: {calls[:words + 2]}...")
    check(not re.search(r"local|ld\.(global|const|shared)", body),
          "not optimised: local memory, or another load")
    check_spills(report)


def main():
    project, source, key_bytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    nvcc = find_nvcc()
    if nvcc is None:
        print("SKIPPED: nvcc was not found")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check_not_optimised(*compile_kernels(nvcc, project, source, folder, "-G"), key_bytes)
        ptx, report = compile_kernels(nvcc, project, source, folder, "-O3")
    check_registers(Kernel(ptx, "gallery_pss_gr"), report, key_bytes)
    loaded = Kernel(ptx, "gallery_pss_gg").comparisons()
    check(loaded and all(roots == {TEXT_LOAD} for roots in loaded),
          f"gallery_pss_gg's key comes from {sorted(set().union(*loaded))}")
    print(f"{key_bytes} comparisons with key bytes in registers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
