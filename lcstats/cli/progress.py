"""A bar on a terminal: how far a sweep is, what it has spent, how long it still takes."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lcstats.runner import Progress

Watch = Callable[["Progress"], None]


@contextmanager
def show_progress(currency: str) -> Iterator[Watch | None]:
    """Give what shows progress on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = _Bar(currency)
    try:
        yield shown.update
    finally:
        shown.close()


class _Bar:
    """The bar, which begins with the first trial of this run."""

    def __init__(self, currency: str) -> None:
        self.currency = currency
        self.bar: click._termui_impl.ProgressBar[int] | None = None
        self.done = 0
        self.words = ""

    def update(self, progress: "Progress") -> None:
        """Move the bar."""
        if self.bar is None:
            # What was there before takes no time: the bar counts this run's trials.
            self.done = progress.n_done - 1
            length = progress.n_planned - self.done
            self.bar = click.progressbar(
                length=length,
                label="trials",
                show_pos=True,
                item_show_func=lambda _: self.words,
                file=sys.stderr,
            )
            self.bar.__enter__()
        self.words = describe_progress(progress, self.currency, self.bar.pos + 1)
        self.bar.update(max(progress.n_done - self.done, 0))
        self.done = progress.n_done

    def close(self) -> None:
        """End the line."""
        if self.bar is not None:
            self.bar.__exit__(None, None, None)


def describe_progress(progress: "Progress", currency: str, n_new: int) -> str:
    """Say how fast a sweep is and what it has spent.

    Examples
    --------
    >>> from lcstats.runner import Progress
    >>> describe_progress(Progress(20, 100, 81920.0, 10.0), "tokens", 20)
    '2.0/s, 81,920 tokens'
    """
    rate = n_new / progress.seconds if progress.seconds else 0.0
    spent = f"${progress.spent:,.2f}" if currency == "usd" else f"{progress.spent:,.0f} tokens"
    return f"{rate:.1f}/s, {spent}"
