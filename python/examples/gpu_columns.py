#!/usr/bin/env python3
"""Searches a cuDF column and a PyTorch tensor in place, in GPU memory.

gpu_columns.py WORDS TEXT

WORDS: a file with a string in each line. Prints which lines of TEXT contain one of the strings, using a column on the
GPU; and how often each string occurs in the whole text, using a tensor. Requires cuDF and PyTorch.
"""

import pathlib
import sys
from typing import Any

import trawl


def lines_with(words: list[str], lines: list[str]) -> list[str]:
    """Filter a Series: the answer stays on the GPU, where cuDF selects the rows."""
    import cudf

    series: Any = cudf.Series(lines)
    answer = trawl.Plan(words).contains(series)
    found: list[str] = series[cudf.Series(answer)].to_pandas().tolist()
    return found


def questions_in(words: list[str], text: bytes) -> list[str]:
    """Find which strings, such as a benchmark's questions, occur in a tensor of text."""
    import torch

    tensor = torch.frombuffer(bytearray(text), dtype=torch.uint8).cuda()
    with trawl.Searcher() as searcher:
        kept = searcher.load(tensor)
        counts = searcher.count_by_pattern(trawl.Plan(words), kept)
    return [word for word, count in zip(words, counts) if count > 0]


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    words = pathlib.Path(sys.argv[1]).read_text().splitlines()
    text = pathlib.Path(sys.argv[2]).read_text()
    for line in lines_with(words, text.splitlines()):
        print(line)
    print(", ".join(questions_in(words, text.encode())), file=sys.stderr)


if __name__ == "__main__":
    main()
