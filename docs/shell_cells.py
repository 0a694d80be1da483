"""An IPython extension: what a cell prints reaches the page as a terminal would show it.

IPython's own ``%%bash`` hands output over in pieces of 100 bytes, and ``nb_merge_streams`` ends
every piece with a newline. ``kernels/python3/kernel.json`` loads this one into every notebook.
"""

import subprocess
import sys
import warnings
from typing import Any

AT_THE_END = 3600.0
"""Seconds between what the kernel hands over by itself; it hands over at a cell's end anyway."""


def load_ipython_extension(shell: Any) -> None:
    """Put the cell magic in the place of IPython's, and leave paths out of Python's warnings."""
    shell.register_magic_function(bash, "cell")
    warnings.formatwarning = format_warning
    sys.stdout.flush_interval = AT_THE_END  # type: ignore[attr-defined]


def format_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> str:
    """Return a warning without the file and line that it was given at, which a page has not."""
    return f"{category.__name__}: {message}\n"


def bash(_: str, cell: str) -> None:
    """Run a cell in bash, and print in one piece what it printed, errors among the rest.

    Raises
    ------
    subprocess.CalledProcessError
        If the cell's last command fails.
    """
    done = subprocess.run(
        ["bash", "-c", cell],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    sys.stdout.write(done.stdout.decode())
    done.check_returncode()
