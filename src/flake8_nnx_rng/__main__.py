"""`python -m flake8_nnx_rng` is `nnx-rng`."""

import sys

from flake8_nnx_rng.adapters.cli import main

if __name__ == "__main__":
    sys.exit(main())
