"""python -m trawl and the script `trawl` run the command, which is searched beside the package, then on the path."""

import os
import shutil
import sys


def main() -> int:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
    # A `trawl` on the path may be this script, which must not start itself.
    elsewhere = (shutil.which("trawl", path=folder) for folder in os.get_exec_path())
    found = (one for one in elsewhere if one and os.path.realpath(one) != os.path.realpath(sys.argv[0]))
    program = shutil.which("trawl", path=beside) or next(found, None)
    if program is None:
        print("trawl: the command is not installed", file=sys.stderr)
        return 2
    os.execv(program, ["trawl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
