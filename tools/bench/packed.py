"""packed: searches compressed files for an absent string: trawl, ripgrep, ugrep, and the decoders of each format, a process
per core, which only decompress."""

import concurrent.futures
import os
import shlex
import shutil
import subprocess

import plots
from report import least, table
from runner import ROOT, command

FORMATS = {  # name: (files, one of how many parts of the text each has, what makes a file, decoders)
    "gz": (32, 1, "gzip -6 -c", ("gzip -dc", "igzip -dc")),
    "xz": (16, 1, "xz -2 -T1 -c", ("xz -T1 -dc",)),
    "zst": (32, 1, "zstd -q -3 -c", ("zstd -qdc",)),
    "bz2": (32, 4, "bzip2 -c", ("bzip2 -dc",)),
    "files of bgzip": (3, 1, "bgzip -c", ("gzip -dc",)),
}
ONE = {  # one file of eight texts, in segments that can be decompressed independently
    "bgzip": (1, "bgzip -@ 16 -c", ("bgzip -@ 16 -dc",)),
    "zst of pzstd": (1, "pzstd -q -p 16 -c", ("zstd -qdc",)),
    "xz, blocks of 8 MiB": (1, "xz -2 -T16 --block-size=8MiB -c", ("xz -T16 -dc",)),
    "bz2, one file": (4, "lbzip2 -c", ("lbzip2 -dc",)),
}
ENDINGS = {"gzip": "gz", "bgzip": "gz", "xz": "xz", "zstd": "zst", "pzstd": "zst", "bzip2": "bz2", "lbzip2": "bz2"}
CORES, ONE_CORES, ONE_TEXTS = (4, 16), (1, 4, 8, 16), 8
SEARCHERS = {
    "trawl": "{trawl} -j{n} --search-zip -c zzqqxx",
    "ripgrep": "rg --no-config -z -j{n} -c zzqqxx",
    "ugrep": "ugrep -z -J{n} -c zzqqxx",
}


def pack(texts, name, options, first, count, share, packer):
    """Make a file of `count` texts, of English-like words from the seeds `first` and later. rg and ugrep go by its ending."""
    path = texts.path(f"{name}.{ENDINGS[packer.split()[0]]}")
    script = os.path.join(ROOT, "scripts/make-text.awk")
    each = f"awk -v lines={options.bytes // 50} -v seed=$n -f {shlex.quote(script)} | head -c {options.bytes // share}"
    made = f"for n in $(seq {first} {first + count - 1}); do {each}; done | {packer} >{shlex.quote(path)}"
    subprocess.run(["sh", "-c", made], check=True)
    return path


def rows(options, texts):
    """Yield a row for each format and number of cores; the files of each format are made before its first."""
    kinds = [(f"{files} {name}", files, 1, share, packer, decoders, CORES)
             for name, (files, share, packer, decoders) in FORMATS.items()]  # fmt: skip
    kinds += [(name, 1, ONE_TEXTS, *it, ONE_CORES) for name, it in ONE.items()]
    for name, files, count, share, packer, decoders, several in kinds:
        if (options.filter or "") not in name or not shutil.which(packer.split()[0]):
            continue
        with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
            made = [pool.submit(pack, texts, f"{name.replace(' ', '-')}-{i}", options, i * count + 1, count, share, packer)
                    for i in range(files)]  # fmt: skip
            paths = shlex.join(it.result() for it in made)
        for n in (n for n in several if n <= options.threads or n == several[0]):
            words = {it.split()[0]: f"printf '%s\\n' {paths} | xargs -P{n} -n1 {it}" for it in decoders}
            words |= {it: f"{line.format(n=n, trawl=options.command)} {paths}" for it, line in SEARCHERS.items()}
            who = [
                {"name": it, "ours": it == "trawl",
                 **command("taskset", "-c", f"0-{min(n, options.threads) - 1}", "sh", "-c", f"{line} >/dev/null; [ $? -le 1 ]")}
                for it, line in words.items() if it == "trawl" or shutil.which({"ripgrep": "rg"}.get(it, it))
            ]  # fmt: skip
            text_bytes = files * count * (options.bytes // share)
            yield {"name": name, "cores": n, "text_bytes": text_bytes, "asks": [({}, who)]}


def seconds(row):
    """Return {program: seconds} of a row."""
    return {it["name"]: least(it) for it in row["results"] if it.get("seconds")}


def section(data):
    cells = []
    for row in data["rows"]:
        known = seconds(row)
        decoders = ", ".join(f"{it} {value:.3g}" for it, value in known.items() if it not in SEARCHERS)
        trawl, *others = (f"{known[it]:.3g}" if it in known else "-" for it in SEARCHERS)
        cells.append([row["name"], row["cores"], trawl, decoders, *others])
    return table(["files", "cores", "trawl", "one decoder per core", "ripgrep", "ugrep"], cells)


def plot(data):
    """Draw GB/s of decompressed text. Of several decoders the fastest is shown."""
    rows = []
    for row in data["rows"]:
        known = seconds(row)
        known["decoder"] = min(value for it, value in known.items() if it not in SEARCHERS)
        speeds = [row["text_bytes"] / known[it] / 1e9 for it in ("trawl", "decoder", "ripgrep", "ugrep")]
        rows.append((f"{row['name']}, {row['cores']} cores", speeds))
    said = f"an absent string; whole commands, {data['machine']['date']}; the fastest decoder only decompresses, a file per core"
    names = ["trawl", "decoder", "ripgrep", "ugrep"]
    return plots.dots("Searching compressed files", said, "GB/s of decompressed text", names, rows)
