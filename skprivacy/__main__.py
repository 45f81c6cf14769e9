"""Run the command line: ``python -m skprivacy``."""

import sys

from ._cli import main

sys.exit(main())
