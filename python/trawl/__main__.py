"""python -m trawl runs the command, which pip puts next to Python's other scripts."""

import os
import shutil
import sys


def scripts() -> str:
    """List the folders of the package's programs, as PATH does."""
    # The packages' folder is PREFIX/lib/python3.x/site-packages, or the folder of pip's --target.
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    own = [os.path.normpath(os.path.join(packages, "../" * up, "bin")) for up in (0, 3)]
    return os.pathsep.join([*own, *os.get_exec_path()])


def main() -> int:
    program = shutil.which("trawl", path=scripts())
    if program is None:
        print("trawl: the command is not installed", file=sys.stderr)
        return 2
    os.execv(program, ["trawl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
