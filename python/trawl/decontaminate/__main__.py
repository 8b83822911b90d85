"""python -m trawl.decontaminate runs the command, which is in its own module, because worker processes cannot
import __main__."""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
