"""Cells of a column to numbers and texts: unique values are parsed once, then spread out."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TEXT_DTYPE = pd.Series(["text"]).dtype
"""Dtype of columns of text: ``str`` from pandas 3 on, ``object`` before."""

MISSING_WORDS = frozenset({"", "nan", "na", "n/a", "<na>", "null", "none"})
"""What an empty cell of a column of numbers looks like, in lower case."""

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_UNDERSCORED = re.compile(r"[+-]?[1-9]\d{0,2}(_\d{3})+(\.\d+)?")
"""Groups of three after one to three digits; ``0,050`` is a number with a decimal comma."""

_BLOCK = 1 << 16
"""Rows from which on a column of one text is put together from blocks."""

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")


class Kind(IntEnum):
    """What a cell was before it became a number."""

    MISSING = 0
    NUMBER = 1
    WORD = 2
    BAD = 3


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A column as numbers, and what each of its cells was.

    Attributes
    ----------
    values : float64 array, shape (n_rows,)
        The numbers; NaN where there is none. Never infinite.
    kinds : uint8 array, shape (n_rows,)
        :class:`Kind` of each cell. ``WORD`` is a spelling of the column's own: ``128K``, ``25%``.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.uint8]

    def is_kind(self, kind: Kind) -> NDArray[np.bool_]:
        """Return where the cells are of this kind, shape (n_rows,)."""
        return np.equal(self.kinds, kind)


WordParser = Callable[[str], float | None]
"""Turns a text that is no plain number into one, or gives None."""


Groups = Callable[[], NDArray[np.int64]]
"""Gives the number of each row's language model and task, shape (n_rows,)."""


def largest_by_group(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the largest value of every group that has one.

    Examples
    --------
    >>> largest_by_group(np.array([1.0, 0.0, 90.0]), np.array([7, 7, 9])).tolist()
    [1.0, 90.0]
    """
    codes, uniques = number_integers(groups)
    largest = np.full(uniques.size, -np.inf)
    np.maximum.at(largest, codes, values)
    return largest


def parse_number(text: str) -> float | None:
    """Read a plain number, with thousands grouped by commas or underscores or not at all.

    Examples
    --------
    >>> parse_number("131,072"), parse_number("2_048"), parse_number("0.5"), parse_number("4k")
    (131072.0, 2048.0, 0.5, None)
    >>> parse_number("0,050") is None
    True
    """
    plain = plain_number(text)
    return None if plain is None else float(plain)


def plain_number(text: str) -> str | None:
    """Return the digits of a number without the marks that group thousands.

    Examples
    --------
    >>> plain_number(" 1,000.50 "), plain_number("1e3"), plain_number("4k")
    ('1000.50', '1e3', None)
    """
    text = text.strip().lower()
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    elif _UNDERSCORED.fullmatch(text):
        text = text.replace("_", "")
    return text if _PLAIN.fullmatch(text) else None


def parse_column(column: pd.Series, parse_word: WordParser | None = None) -> Parsed:
    """Parse a column of numbers, however its cells are typed.

    Parameters
    ----------
    column : Series, shape (n_rows,)
        Numbers, booleans, text, or a mixture.
    parse_word : callable, optional
        Reads the texts that are no plain numbers.

    Returns
    -------
    Parsed

    Examples
    --------
    >>> parse_column(pd.Series(["4", "none", "x"])).values.tolist()
    [4.0, nan, nan]
    """
    if pd.api.types.is_bool_dtype(column.dtype) or not pd.api.types.is_numeric_dtype(column.dtype):
        return _parse_by_value(column, parse_word)
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    kinds = np.where(np.isnan(values), np.uint8(Kind.MISSING), np.uint8(Kind.NUMBER))
    infinite = np.isinf(values)
    if infinite.any():
        kinds[infinite] = Kind.BAD
        values = np.where(infinite, np.nan, values)
    return Parsed(values, kinds)


def _parse_by_value(column: pd.Series, parse_word: WordParser | None) -> Parsed:
    codes, uniques = factorize(column)
    parsed = [_parse_cell(value, parse_word) for value in uniques]
    parsed.append((np.nan, Kind.MISSING))
    values = np.array([value for value, _ in parsed], dtype=np.float64)
    kinds = np.array([kind for _, kind in parsed], dtype=np.uint8)
    return Parsed(values[codes], kinds[codes])


def _parse_cell(value: object, parse_word: WordParser | None) -> tuple[float, Kind]:
    if isinstance(value, (bool, np.bool_)):
        value = str(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        number = float(value)
        return (number, Kind.NUMBER) if np.isfinite(number) else (np.nan, Kind.BAD)
    text = str(value).strip()
    if text.lower() in MISSING_WORDS:
        return np.nan, Kind.MISSING
    found = parse_number(text)
    if found is not None:
        return (found, Kind.NUMBER) if np.isfinite(found) else (np.nan, Kind.BAD)
    word = parse_word(text) if parse_word else None
    return (np.nan, Kind.BAD) if word is None else (word, Kind.WORD)


def factorize(column: pd.Series) -> tuple[NDArray[np.int64], list[object]]:
    """Number the distinct values of a column; missing cells get -1.

    Cells that cannot be compared (lists, mappings) are compared by their text.

    Returns
    -------
    codes : int64 array, shape (n_rows,)
        Number of each cell's value.
    uniques : list, length n_unique
        The values, in order of appearance.

    Examples
    --------
    >>> codes, uniques = factorize(pd.Series(["b", "a", None, "b"]))
    >>> codes.tolist(), uniques
    ([0, 1, -1, 0], ['b', 'a'])
    """
    try:
        codes, uniques = pd.factorize(column)
    except TypeError:
        codes, uniques = pd.factorize(column.map(_comparable))
    return codes.astype(np.int64, copy=False), uniques.tolist()


def _comparable(value: object) -> object:
    is_container = isinstance(value, (list, dict, set, tuple, np.ndarray))
    return repr(value) if is_container else value


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column as text.

    Attributes
    ----------
    values : Series of str, shape (n_rows,)
        The texts; missing where the cell was empty.
    codes : int64 array, shape (n_rows,)
        Number of each cell's text; -1 where missing.
    words : Series of str, shape (n_unique,)
        The distinct texts by number.
    """

    values: pd.Series
    codes: NDArray[np.int64]
    words: pd.Series

    @property
    def uniques(self) -> tuple[str, ...]:
        """The distinct texts by number; of ids there are as many as rows, so only on request."""
        return tuple(self.words.tolist())


def texts_of(column: pd.Series) -> Texts:
    """Turn a column into text; whole numbers lose no digits and gain no ``.0``.

    The words NA, None and null are text here. Empty cells are missing.

    Examples
    --------
    >>> texts_of(pd.Series([7.0, None])).uniques
    ('7',)
    >>> texts_of(pd.Series(["NA", ""])).values.fillna("missing").tolist()
    ['NA', 'missing']
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return _texts_of_integers(column.to_numpy())
    codes, uniques = factorize(column)
    if pd.api.types.is_integer_dtype(column.dtype):
        return spread_texts(list(map(str, uniques)), codes)
    words = [_text_of(value) for value in uniques]
    if len(set(words)) < len(words) or "" in words:
        codes, words = _merge_words(codes, words)
    elif column.dtype == "str":
        return Texts(column.reset_index(drop=True), codes, _words_of(words))
    return spread_texts(words, codes)


def _texts_of_integers(values: NDArray[Any]) -> Texts:
    codes, uniques = number_integers(values)
    words = pd.Series(uniques).astype(TEXT_DTYPE)
    return Texts(pd.Series(words.array.take(codes)), codes, words)


def spread_texts(words: list[str], codes: NDArray[np.int64]) -> Texts:
    """Return the text of each code with the codes; -1 stands for a missing cell.

    Examples
    --------
    >>> spread_texts(["default"], np.zeros(2, dtype=np.int64)).values.tolist()
    ['default', 'default']
    """
    return Texts(spread(words, codes), codes, _words_of(words))


def number_integers(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number the distinct values of whole numbers, ascending; by marking, where they are dense.

    Returns
    -------
    codes : int64 array, shape (n_values,)
    uniques : array, shape (n_unique,)

    Examples
    --------
    >>> codes, uniques = number_integers(np.array([7, 5, 7]))
    >>> uniques[codes].tolist()
    [7, 5, 7]
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if high - low > 4 * values.size:
        codes, uniques = pd.factorize(values, sort=True)
        return codes.astype(np.int64, copy=False), uniques
    if low == high:
        return np.zeros(values.size, dtype=np.int64), values[:1]
    offset = (values - low).astype(np.int64, copy=False)
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[offset] = True
    if seen.all():
        return offset, np.arange(low, high + 1)
    return (np.cumsum(seen) - 1)[offset], np.flatnonzero(seen) + low


def _merge_words(codes: NDArray[np.int64], words: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Give equal words one number, and the empty word -1."""
    distinct = [word for word in dict.fromkeys(words) if word]
    number_of = {word: number for number, word in enumerate(distinct)}
    numbers = np.array([number_of.get(word, -1) for word in words] + [-1], dtype=np.int64)
    return numbers[codes], distinct


def spread(words: list[str], codes: NDArray[np.int64]) -> pd.Series:
    """Return the text of each code; -1 gives a missing cell.

    Examples
    --------
    >>> spread(["ok", "error"], np.array([1, 0])).tolist()
    ['error', 'ok']
    """
    texts = _words_of([*words, None])
    lowest, highest = int(codes.min(initial=0)), int(codes.max(initial=0))
    if lowest == highest and codes.size > _BLOCK:
        return _repeat(texts.iloc[[highest]], codes.size)
    return pd.Series(texts.array.take(codes))


def _repeat(text: pd.Series, n_rows: int) -> pd.Series:
    """Return one text in every row: equal blocks share their memory where Arrow holds texts."""
    block = pd.Series(text.array.take(np.zeros(_BLOCK, dtype=np.int64)))
    n_blocks, n_left = divmod(n_rows, _BLOCK)
    return pd.concat([*[block] * n_blocks, block[:n_left]], ignore_index=True)


def _words_of(words: Sequence[str | None]) -> pd.Series:
    try:
        return pd.Series(words, dtype=TEXT_DTYPE)
    except UnicodeEncodeError:  # half a character, which is named instead
        whole = [word and word.encode("utf-8", "backslashreplace").decode() for word in words]
        return pd.Series(whole, dtype=TEXT_DTYPE)


def _text_of(value: object) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
