"""``python -m lcstats``: the command line, where no script is installed."""

from lcstats.cli import main

if __name__ == "__main__":
    main()
