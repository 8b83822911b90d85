"""python -m trawl.decontaminate: the command. (Processes that search cannot import this file.)"""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
