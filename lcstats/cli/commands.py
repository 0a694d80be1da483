"""How commands are found, and what becomes of an error: a message, an exit code, no traceback."""

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from lcstats.errors import LcstatsError, LcstatsWarning, describe

COMMANDS = {
    "read": "Say what was found in results files.",
    "formats": "List the formats that can be read.",
    "failures": "Show failing trials, to look at by hand.",
    "fit": "Fit the curve and test whether it fits.",
    "effective-length": "State the effective length with its set and masses.",
    "compare": "Compare language models on the same cases, and gate a change on it.",
    "needles": "Say how often several needles are found, together and each.",
    "plan": "Say how many trials per cell a target takes, and what they cost.",
    "next": "Say which cells to run next, and when to stop.",
    "plot": "Draw one figure: heatmap, decay, methods, depth, masses, residuals, needles, plan.",
    "report": "Write a page with everything, figures and tables beside it.",
    "run": "Send a sweep to a language model and write its table.",
    "rescore": "Score the outputs of a sweep again, without sending anything.",
    "simulate": "Make a table of trials from a built-in truth.",
}
"""Name and one line of each command; it lives in the file of its name, as ``command``."""

BAD_INPUT = 2
INTERRUPTED = 130
READER_GONE = 141
"""128 + SIGPIPE: whoever read our output has stopped, as in ``lcstats failures x | head``."""

_DEBUG = "lcstats.debug"
_NOT_REPEATED = ("output", "as_json")


class CommandGroup(click.Group):
    """A group that imports a command when it is run, and turns its errors into messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of their work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"lcstats.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any, so that --help is immediate."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; print what it refuses, and leave with the fitting exit code."""
        with _messages_for_errors(ctx), warnings.catch_warnings():
            # Results carry what is to be known; commands print that, each thing once.
            warnings.simplefilter("ignore", LcstatsWarning)
            return super().invoke(ctx)


def define_command(name: str, example: str) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command with a help page that ends in an example.

    Parameters
    ----------
    name : str
        One of :data:`COMMANDS`.
    example : str
        A command line that can be copied.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        epilog = f"\b\nExample:\n  {example}"
        command = click.command(name, epilog=epilog, short_help=COMMANDS[name])(function)
        debug = click.Option(
            ["--debug"],
            is_flag=True,
            expose_value=False,
            callback=_remember_debug,
            help="Show the traceback of an error.",
        )
        command.params.append(debug)
        return command

    return decorate


def command_line(ctx: click.Context) -> str:
    """Return the command with the options that were given, without paths and output.

    So that equal results and settings say the same wherever they lie.
    """
    words = ["lcstats", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        given = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not given or name in _NOT_REPEATED or isinstance(parameter, click.Argument):
            continue
        flag = max(parameter.opts, key=len)
        for value in _as_written(ctx.params[name]):
            words += [flag] if value is None else [flag, shlex.quote(value)]
    paths = ["PATH..."] if ctx.params.get("paths") else []
    return " ".join([*words[:2], *paths, *words[2:], "-o DIR"])


def _as_written(value: Any) -> list[str | None]:
    """Return each value of an option as it is written; None for a flag without a value."""
    if value is True:
        return [None]
    if isinstance(value, dict):
        value = tuple(value.items())
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return [f"{name}={word}" if name else str(word) for name, word in value]
    if isinstance(value, tuple):
        return [",".join(map(str, value))]
    return [f"{value:.12g}" if isinstance(value, float) else str(value)]


def _remember_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[_DEBUG] = value


@contextmanager
def _messages_for_errors(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except (click.exceptions.Exit, click.ClickException):
        raise
    except KeyboardInterrupt:
        ctx.exit(INTERRUPTED)
    except BrokenPipeError:
        # Python flushes standard output once more on exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        ctx.exit(READER_GONE)
    except Exception as error:
        if ctx.meta.get(_DEBUG):
            traceback.print_exc()
        click.echo(f"Error: {explain(error)}", err=True)
        ctx.exit(BAD_INPUT)


def explain(error: Exception) -> str:
    """Return the message that a user is shown for an error.

    Examples
    --------
    >>> explain(LcstatsError("depth is 43; expected ...; pass ..."))
    'depth is 43; expected ...; pass ...'
    """
    if isinstance(error, LcstatsError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return describe(
            f"{error.filename or 'the file system'}: {error.strerror.lower()}",
            "expected a place that can be read or written",
            "check the path, its permissions and the space left",
        )
    first_line = str(error).partition("\n")[0]
    return (
        f"internal error ({type(error).__name__}: {first_line}); this is a fault of lcstats, not "
        "of your input; run again with --debug and report what it prints"
    )
