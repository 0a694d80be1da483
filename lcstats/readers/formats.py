"""What a format is: a name, what it carries, how it is recognised and how it is read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lcstats.cells import Results
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample, Shape
from lcstats.trials import RawTable, Reading, TableOptions, build_trials

Sniff = Callable[[Sample, Mapping[str, str]], bool]
Load = Callable[[Sequence[Sample], ReadRequest], list[RawTable]]
Build = Callable[[Sequence[RawTable], TableOptions, Reading], Results]


@dataclass(frozen=True, slots=True)
class Format:
    """One format of results files.

    Attributes
    ----------
    name : str
        The word for ``--format``.
    title : str
        What it is, in a few words.
    carries : str
        What such files tell about a trial.
    lacks : str
        What they cannot tell.
    checked : str
        What the reader was checked on: real files, or the code that writes them.
    shapes : tuple of str
        Shapes that such files can have.
    sniff : callable
        Tells from a sample, and from the columns named by the caller, whether a file is one.
    load : callable
        Loads such files into raw tables.
    build : callable
        Turns the raw tables into trials, cells or means.
    is_generic : bool
        Whether it takes any table of a shape: asked only after all others.
    is_refused : bool
        Whether it is known only to be refused, with what to do: never to be chosen.
    """

    name: str
    title: str
    carries: str
    lacks: str
    checked: str
    shapes: tuple[Shape, ...]
    sniff: Sniff
    load: Load
    build: Build = build_trials
    is_generic: bool = False
    is_refused: bool = False

    def claims(self, sample: Sample, columns: Mapping[str, str]) -> bool:
        """Tell whether a file is of this format, by its content."""
        return sample.shape in self.shapes and self.sniff(sample, columns)

    def to_dict(self) -> dict[str, str]:
        """Return the words of the format, without its functions."""
        return {
            "name": self.name,
            "title": self.title,
            "carries": self.carries,
            "lacks": self.lacks,
            "checked": self.checked,
        }
