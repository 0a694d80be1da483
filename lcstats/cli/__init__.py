"""The command line: ``lcstats COMMAND``. Every command is a file here and is loaded when used."""

import io
import sys

import click

from lcstats import __version__
from lcstats.cli.commands import INTERRUPTED, CommandGroup


@click.group(
    "lcstats",
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: lcstats report --demo -o lcstats-demo",
)
@click.version_option(__version__, prog_name="lcstats")
def cli() -> None:
    """Measure how much of a language model's context window works.

    Results files in; effective length, figures and a report out.
    """


def main() -> None:
    """Run the command line and exit: 0 done, 2 bad input or usage, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows its code, instead of stopping us.
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="lcstats")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
