"""python -m trawl: the command, where it is installed beside the package or on the path."""

import os
import shutil
import sys


def main() -> int:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "trawl")
    program = beside if os.access(beside, os.X_OK) else shutil.which("trawl")
    if program is None:
        print("trawl: the command is not installed", file=sys.stderr)
        return 2
    os.execv(program, ["trawl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
