"""Run the command line with ``python -m fastkappa``."""

from fastkappa.cli import main

if __name__ == "__main__":
    main()
