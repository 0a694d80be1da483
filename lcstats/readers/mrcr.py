"""Results of OpenAI's MRCR (data set openai/mrcr of Hugging Face), rows of any runner's making.

The suite has no file of results: runners keep the data set's ``n_needles``, ``desired_msg_index``,
``total_messages`` and ``n_chars``, and write answer and grade beside them. ``n_needles`` says how
many passages are alike, one of which is asked for: it is a difficulty, so each number is a task of
its own, ``mrcr_2needle`` and so on, and no count of needles. Grades are ratios from 0 to 1 and stay
graded; ``score_threshold=0.9`` makes them right and wrong. One column with a name of its own, such
as ``mrcr_score``, is taken for them, which is said. Where there is none, an answer is graded by the
suite's rule: 0 if it does not begin with ``random_string_to_prepend``, else the ratio of
``difflib.SequenceMatcher`` without that. A wrong passage is like the right one by .2 to .5.

The suite reports lengths in bins that double from 4096 tokens of o200k_base: ``bin`` as text such
as ``(4096, 8192]``, whichever of its ends are closed, or ``bin_index`` from 0. The length is a
bin's upper end; ``bin_middle`` is its geometric middle, for ``--map length=bin_middle``. Without
bins, tokens that the runner counted are put into them, or else ``n_chars`` into bins that double
too, and lengths are characters. ``answer_position`` is ``desired_msg_index`` / ``total_messages``,
and nearly every row has its own, so it is no depth: ``--map depth=answer_tenth``, the middle of the
tenth that it is in, makes one. A case is the passage with the messages around it.

Written from the description of the data set; no runner's file was found to check it on.

Nobody guesses a text; another passage than the one asked for has some likeness, and no known rate.
"""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.options import LengthUnit
from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.places import ANSWER_POSITION, place_notices, with_places
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import short_digest
from lcstats.readers.samples import TABLE_SHAPES, Sample
from lcstats.readers.tables import load_tables
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.columns import match_columns, normalise_name
from lcstats.trials.values import parse_number
from lcstats.trials.wording import counted, shown

FIRST_BIN = 4096
"""Tokens at which the suite's first bin begins."""

N_BINS = 8
"""Bins of the suite: the last ends at 1048576 tokens."""

_PLACE = {"n_needles", "desired_msg_index", "total_messages"}
_NUMBER = r"\d[\d_]*(?:,\d{3})*(?:\.\d+)?"
_BIN = re.compile(rf"[(\[]\s*(?P<low>{_NUMBER})\s*[,;-]\s*(?P<high>{_NUMBER})\s*[)\]]")
_TOKEN_NAMES = ("raw_input_tok_cnt", "token_count", "n_tokens", "num_tokens", "tok_cnt")
_HASH, _ANSWER = "random_string_to_prepend", "answer"
_BIN_END, _BIN_MIDDLE = "bin_end", "bin_middle"
_GRADE = re.compile(r"score|grade|ratio|similarity")
_WANTED = ("model", "case", "repeat", "score", "status", "output", "latency_s")


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of lengths: its ends, in the unit of the lengths."""

    low: float
    high: float

    @property
    def middle(self) -> int:
        """The geometric middle, rounded."""
        return round(math.sqrt(self.low * self.high))


def read_bin(text: object) -> Bin | None:
    """Read an interval; None if it is none.

    Examples
    --------
    >>> read_bin("(65536, 131072]"), read_bin("[4,096,8,192]").middle, read_bin("long")
    (Bin(low=65536.0, high=131072.0), 5793, None)
    """
    match = _BIN.fullmatch(str(text).strip())
    if match is None:
        return None
    low, high = parse_number(match["low"]), parse_number(match["high"])
    return None if low is None or high is None or not low < high else Bin(low, high)


def numbered_bin(index: int) -> Bin:
    """Return the suite's bin of a number, from 0.

    Examples
    --------
    >>> numbered_bin(0), numbered_bin(5).high
    (Bin(low=4096, high=8192), 262144)
    """
    return Bin(FIRST_BIN << index, FIRST_BIN << (index + 1))


def doubling_bin(n: float) -> Bin:
    """Return the bin that doubles, as the suite's do, and holds a length.

    Examples
    --------
    >>> doubling_bin(8192).high, doubling_bin(8193).high, doubling_bin(100)
    (8192, 16384, Bin(low=64, high=128))
    """
    high = 1 << max(math.ceil(n) - 1, 1).bit_length()
    return Bin(high >> 1, high)


def grade(response: str, answer: str, prefix: str) -> float:
    """Grade an answer by the suite's rule.

    Parameters
    ----------
    response, answer : str
        What was answered, and what is right; the latter begins with `prefix`.
    prefix : str
        What an answer has to begin with.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> grade("abcPoem", "abcPoem", "abc"), grade("Poem", "abcPoem", "abc")
    (1.0, 0.0)
    """
    if not response.startswith(prefix):
        return 0.0
    given, wanted = response.removeprefix(prefix), answer.removeprefix(prefix)
    return float(difflib.SequenceMatcher(None, given, wanted).ratio())


def task_name(n_needles: object, task: object = None) -> str:
    """Return the name of a task with so many needles alike.

    Examples
    --------
    >>> task_name(8), task_name("2.0", "mrcr v2")
    ('mrcr_8needle', 'mrcr v2_2needle')
    """
    number = parse_number(str(n_needles))
    shown = str(n_needles) if number is None else f"{number:g}"
    return f"{'mrcr' if task is None else task}_{shown}needle"


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    names = {normalise_name(name) for name in sample.columns}
    return names >= _PLACE or names >= {"n_needles", "bin"}


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    tables = [_complete(table, request) for table in load_tables(samples, request)]
    notices = place_notices(tables, request)
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _complete(table: RawTable, request: ReadRequest) -> RawTable:
    frame = table.frame.rename(columns={name: _own_name(name) for name in table.frame.columns})
    require_fields(replace(table, frame=frame), {"n_needles"}, "mrcr")
    # Named otherwise, since it is no count of the needles asked for.
    frame = frame.rename(columns={"n_needles": "needles_alike"})
    frame = frame.drop(columns="prompt", errors="ignore")
    given = {name: theirs for name, theirs in request.table.columns.items() if name in _WANTED}
    known = match_columns(list(frame.columns), _WANTED, overrides=given, table=table.origin.name)
    frame["task"] = _tasks_of(frame)
    known["task"] = "task"
    length = request.table.columns.get("length")
    is_own = length in (None, _BIN_END, _BIN_MIDDLE)
    lengths = _lengths_of(frame, table) if is_own else _Lengths(None)
    notices = (*table.notices, *(() if length == _BIN_MIDDLE else lengths.notices))
    if lengths.column:
        known["length"] = lengths.column
    if lengths.bins:
        frame[_BIN_END] = [None if found is None else found.high for found in lengths.bins]
        frame[_BIN_MIDDLE] = [None if found is None else found.middle for found in lengths.bins]
    if {"desired_msg_index", "total_messages"} <= set(frame):
        places = _numbers(frame["desired_msg_index"]) / _numbers(frame["total_messages"])
        frame = with_places(frame.assign(**{ANSWER_POSITION: places}))
        if "case" not in known and _ANSWER in frame:
            frame["passage"] = _cases_of(frame)
            known["case"] = "passage"
    if "score" not in known:
        grades = _grade_columns(frame)
        notices = (*notices, *_other_name_notices(grades))
        if len(grades) == 1:
            known["score"] = grades[0]
    if "score" not in known and {_HASH, _ANSWER} <= set(frame) and "output" in known:
        frame["ratio"] = _grades_of(frame, known["output"])
        known["score"] = "ratio"
        notices = (*notices, *_grade_notices(int(frame["ratio"].notna().sum())))
    knowledge = Knowledge(
        known,
        aliases=False,
        depth_unit="fraction",
        score_scale="0-1",
        length_unit=lengths.unit,
        other_units={_BIN_MIDDLE: lengths.unit or "tokens", "n_chars": "characters"},
    )
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def _numbers(column: pd.Series) -> pd.Series:
    return pd.to_numeric(column, errors="coerce")


def _own_name(name: object) -> str:
    """Return the data set's name of a column, if it is one of its."""
    spelled = normalise_name(name)
    return spelled if spelled in {*_PLACE, "bin", "bin_index", _HASH, _ANSWER} else str(name)


def _tasks_of(frame: pd.DataFrame) -> list[str]:
    tasks = frame["task"] if "task" in frame else [None] * len(frame)
    return [task_name(n, task) for n, task in zip(frame["needles_alike"], tasks, strict=True)]


@dataclass(frozen=True, slots=True)
class _Lengths:
    """Where lengths are from: a column, its unit, the bins that it is the upper ends of."""

    column: str | None
    unit: LengthUnit | None = None
    bins: tuple[Bin | None, ...] = ()
    notices: tuple[Notice, ...] = ()


def _lengths_of(frame: pd.DataFrame, table: RawTable) -> _Lengths:
    tokens = [name for name in frame if normalise_name(name) in _TOKEN_NAMES]
    if "bin" in frame:
        bins = [read_bin(text) for text in frame["bin"]]
        is_bin = pd.Series([found is not None for found in bins], frame.index, dtype=bool)
        _refuse_others(table, "bin", is_bin, "an interval such as (4096, 8192]")
        return _binned(bins, "tokens", "the file's bins")
    if "bin_index" in frame:
        numbers = _numbers(frame["bin_index"])
        is_number = numbers.isin(range(N_BINS))
        _refuse_others(table, "bin_index", is_number, f"one of 0 to {N_BINS - 1}")
        bins = [numbered_bin(int(n)) for n in numbers]
        return _binned(bins, "tokens", "the bins that the file numbers")
    own = match_columns(list(frame.columns), ("length",), table=table.origin.name)
    if own:
        return _Lengths(own["length"])
    if not tokens and "n_chars" not in frame:
        return _Lengths(None)
    unit: LengthUnit = "tokens" if tokens else "characters"
    name = str(tokens[0]) if tokens else "n_chars"
    numbers = _numbers(frame[name])
    _refuse_others(table, name, (numbers >= 1) & (numbers < math.inf), "a number of at least 1")
    bins = [doubling_bin(n) for n in numbers]
    return _binned(bins, unit, f"bins that double, by the file's {unit}")


def _binned(bins: Sequence[Bin | None], unit: LengthUnit, how: str) -> _Lengths:
    notice = Notice(
        "length-bins",
        f"lengths are the upper ends of {how}; for their geometric middles pass "
        "columns={'length': 'bin_middle'} (--map length=bin_middle)",
    )
    return _Lengths(_BIN_END, unit, tuple(bins), (notice,))


def _refuse_others(table: RawTable, name: str, is_usable: pd.Series, expected: str) -> None:
    """Refuse the first value of a column that tells no length."""
    if is_usable.all():
        return
    row = int((~is_usable).to_numpy(dtype=bool).argmax())
    spelled = next(str(own) for own in table.frame if _own_name(own) == name)
    raise FormatError(
        describe(
            f"{table.origin.place(row)}: {spelled} is {shown(table.frame[spelled].iloc[row])}",
            f"expected {expected}",
            "mend it, or name a column of lengths with --map length=THEIRS",
        )
    )


def _cases_of(frame: pd.DataFrame) -> list[str]:
    columns = (frame[name] for name in (_ANSWER, "desired_msg_index", "total_messages"))
    return [
        f"{index} of {total} #{short_digest(answer)}"
        for answer, index, total in zip(*columns, strict=True)
    ]


def _grades_of(frame: pd.DataFrame, output: str) -> list[float | None]:
    rows = zip(frame[output], frame[_ANSWER], frame[_HASH], strict=True)
    return [
        grade(response, str(answer), str(prefix)) if isinstance(response, str) else None
        for response, answer, prefix in rows
    ]


def _grade_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold grades, to judge by their names and values."""
    named = [str(name) for name in frame if _GRADE.search(normalise_name(name))]
    return [name for name in named if _is_graded(frame[name])]


def _is_graded(column: pd.Series) -> bool:
    values = _numbers(column[column.notna()])
    return len(values) > 0 and bool(values.between(0, 1).all())


def _other_name_notices(grades: Sequence[str]) -> tuple[Notice, ...]:
    if not grades:
        return ()
    listed = ", ".join(map(repr, grades))
    if len(grades) == 1:
        message = f"{listed} was taken for the grade; pass --map score=THEIRS for another column"
        return (Notice("grade-by-name", message),)
    message = f"{listed} may each be the grade, so none was taken; pass --map score=THEIRS"
    return (Notice("grade-by-name", message),)


def _grade_notices(n_graded: int) -> tuple[Notice, ...]:
    if not n_graded:
        return ()
    message = f"{counted(n_graded, 'answer')} without a grade, graded by the suite's own rule"
    return (Notice("scored-here", message),)


MRCR = Format(
    name="mrcr",
    title="OpenAI MRCR, rows of any runner with the data set's fields, or with bins of lengths",
    carries="language model where a column has it, number of needles alike as task, bin of the "
    "length, place of the message asked for, grade from 0 to 1 (worked out where it is missing), "
    "output",
    lacks="depth (answer_position or answer_tenth can be taken for it), lengths within a bin, "
    "tokens received, failed requests unless a column says so",
    checked="files made after the data set's description",
    shapes=TABLE_SHAPES,
    sniff=_sniff,
    load=_load,
)
