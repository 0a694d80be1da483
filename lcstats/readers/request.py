"""What a reading call asked for, about files and about the table in them."""

from dataclasses import dataclass, field

from lcstats.errors import OptionError, describe
from lcstats.options import check_whole
from lcstats.trials import TableOptions


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What a call of :func:`lcstats.readers.read_trials` asked for.

    Attributes
    ----------
    table : TableOptions
        Names, units and scales.
    encoding : str, optional
        Encoding of the files; UTF-8, or what a byte order mark says, without it.
    decimal : {".", ","}
        Sign before the decimals; with a comma, ``.`` groups thousands.
    skip_bad_lines : bool
        Leave out lines that cannot be read, and count them.
    cases_per_cell : int, optional
        How many cases each mean of a wide table is of, where the files hold means alone.
    """

    table: TableOptions = field(default_factory=TableOptions)
    encoding: str | None = None
    decimal: str = "."
    skip_bad_lines: bool = False
    cases_per_cell: int | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown encoding or decimal sign, and a number of cases that is none.

        Raises
        ------
        OptionError
            If one is.
        """
        if self.decimal not in (".", ","):
            raise OptionError(
                describe(
                    f"decimal is {self.decimal!r}",
                    "expected '.' or ','",
                    "pass decimal=',' (--decimal ,) for numbers such as 0,75",
                )
            )
        if self.cases_per_cell is not None:
            check_whole(self.cases_per_cell, "cases_per_cell", least=1)
        if self.encoding is not None:
            self._check_encoding(self.encoding)

    @staticmethod
    def _check_encoding(encoding: str) -> None:
        try:
            "1".encode(encoding, errors="replace").decode(encoding, errors="replace")
        except (LookupError, UnicodeError):
            raise OptionError(
                describe(
                    f"encoding is {encoding!r}",
                    "expected an encoding that Python knows",
                    "pass encoding='cp1252' (--encoding cp1252), say",
                )
            ) from None
