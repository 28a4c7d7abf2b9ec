"""``python -m fastkappa`` is the command line."""

from fastkappa.cli import main

if __name__ == "__main__":
    main()
