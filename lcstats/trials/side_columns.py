"""Columns that accompany a trial: repeats, needles, tokens received, cluster, output, times."""

import json
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DesignWarning, Notice
from lcstats.trials.faults import Faults
from lcstats.trials.naming import NamedTable
from lcstats.trials.needle_faults import refuse_faulty_needles
from lcstats.trials.values import Kind, factorize, parse_column, spread, texts_of
from lcstats.trials.wording import DECIMAL_COMMA

FAR_SHARE = 0.1
"""A received length further than this share from the asked one is flagged."""

_WHOLE = ("tokens_received", "n_documents", "n_needles", "n_found")
_TIMES = ("latency_s", "ttft_s")
_RATES = ("guess_rate",)
_LISTS = ("needle_depths", "needle_found")


def read_side_columns(named: NamedTable, faults: Faults) -> dict[str, pd.Series]:
    """Read the optional columns that a table has.

    Parameters
    ----------
    named : NamedTable
        The table.
    faults : Faults
        Gets every value that cannot be used.

    Returns
    -------
    dict of str to Series, shape (n_rows,)
        Canonical name to values: whole numbers as Int64, times as float64, lists as lists.
    """
    sides: dict[str, pd.Series] = {}
    for names, read in (
        (_WHOLE, _read_whole),
        (_LISTS, _read_lists),
        (("cluster",), _read_cluster),
        (("stage",), _read_stage),
        (_TIMES, _read_times),
        (_RATES, _read_rates),
        (("output",), _read_output),
    ):
        sides |= _read_each(named, names, read, faults)
    if {"n_needles", "n_found"} <= sides.keys():
        _refuse_too_many_found(named, sides, faults)
    if {"n_needles", *_LISTS} & sides.keys():
        sides = refuse_faulty_needles(named, sides, faults)
    return sides


def read_repeats(named: NamedTable, faults: Faults) -> pd.Series | None:
    """Read the number of each repeat, counted from 1, or None where no column has one."""
    column = named.column("repeat")
    if column is None:
        return None
    numbers = pd.Series(_whole_numbers(named, "repeat", faults, missing=1))
    return numbers + 1 if len(numbers) and numbers.min() == 0 else numbers


def received_notices(frame: pd.DataFrame, length_unit: str) -> tuple[Notice, ...]:
    """Flag scored trials that received far from the tokens asked for."""
    if "tokens_received" not in frame or length_unit != "tokens":
        return ()
    scored = frame[frame["score"].notna() & (frame["length"] > 0)]
    received = scored["tokens_received"].to_numpy(dtype=np.float64, na_value=np.nan)
    ratio = received / scored["length"].to_numpy()
    far = ratio[np.abs(ratio - 1) > FAR_SHARE]
    if not far.size:
        return ()
    least, most = f"{far.min():.3g}", f"{far.max():.3g}"
    ratios = f"ratio {least}" if least == most else f"ratios {least} to {most}"
    return (
        Notice(
            "received-length",
            f"{far.size} of {len(scored)} scored trials received a length more than "
            f"{FAR_SHARE:.0%} from the one asked for ({ratios}): "
            "the server may count with another tokenizer, or the prompts are not as long as meant",
            DesignWarning,
        ),
    )


_Read = Callable[[NamedTable, str, Faults], pd.Series]


def _read_each(
    named: NamedTable, names: tuple[str, ...], read: _Read, faults: Faults
) -> dict[str, pd.Series]:
    return {name: read(named, name, faults) for name in names if name in named.mapping}


def _read_whole(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    numbers = pd.Series(_whole_numbers(named, name, faults, missing=-1)).astype("Int64")
    # Servers that do not count tokens write 0; a prompt has at least one.
    return numbers.mask(numbers < (1 if name == "tokens_received" else 0))


def _whole_numbers(
    named: NamedTable, name: str, faults: Faults, *, missing: int
) -> NDArray[np.int64]:
    """Return a column of whole numbers of at least 0, with `missing` where it has none."""
    column = named.frame[name]
    parsed = parse_column(column)
    values = parsed.values
    with np.errstate(invalid="ignore"):
        usable = (values >= 0) & (values < 2**53) & (values == np.floor(values))
    faults.add(
        ~usable & ~parsed.is_kind(Kind.MISSING),
        named.named(name),
        column,
        (
            "expected a whole number of at least 0",
            f"leave it empty where unknown, or map another column with --map {name}=THEIRS",
        ),
    )
    return np.where(usable, values, missing).astype(np.int64)


def _read_times(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    parsed = parse_column(named.frame[name])
    faults.add(
        parsed.is_kind(Kind.BAD),
        named.named(name),
        named.frame[name],
        ("expected seconds", f"leave it empty where unknown; {DECIMAL_COMMA}"),
    )
    return pd.Series(parsed.values)


def _read_rates(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    parsed = parse_column(named.frame[name])
    with np.errstate(invalid="ignore"):
        outside = parsed.is_kind(Kind.BAD) | (parsed.values < 0) | (parsed.values >= 1)
    faults.add(
        outside,
        named.named(name),
        named.frame[name],
        (
            "expected the accuracy of guessing, a fraction from 0 to below 1",
            "write 0.25 for four choices, or leave it empty where nothing can be guessed",
        ),
    )
    return pd.Series(np.nan_to_num(parsed.values))


def _read_lists(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    lists = named.frame[name].map(as_list, na_action=None).astype(object)
    faults.add(
        lists.map(lambda value: value is _UNREADABLE),
        named.named(name),
        named.frame[name],
        ("expected a list such as [0.1, 0.9]", "leave it empty where unknown"),
    )
    return lists


_UNREADABLE = object()


def as_list(value: object) -> object:
    """Return the list in a cell, None where it is empty; what cannot be read is no list."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return list(value)
    if not isinstance(value, str):
        return None if pd.isna(value) else _UNREADABLE  # type: ignore[call-overload]
    try:
        found = json.loads(value) if value.strip() else None
    except (ValueError, RecursionError):
        return _UNREADABLE
    return found if found is None or isinstance(found, list) else _UNREADABLE


def _read_cluster(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    return texts_of(named.frame[name]).values


def _read_stage(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    """Read which trials were fixed in advance, 0, and which were added after looking, 1 or more."""
    return pd.Series(_whole_numbers(named, name, faults, missing=0))


def _read_output(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    """Keep outputs as they are: an empty output is an output."""
    column = named.frame[name]
    if column.dtype == "str":
        return column
    codes, uniques = factorize(column)
    return spread([str(value) for value in uniques], codes)


def _refuse_too_many_found(named: NamedTable, sides: dict[str, pd.Series], faults: Faults) -> None:
    too_many = (sides["n_found"] > sides["n_needles"]).fillna(False).to_numpy(dtype=bool)
    faults.add(
        too_many,
        named.named("n_found"),
        named.frame["n_found"],
        (
            f"expected at most {named.named('n_needles')}",
            "map the right columns with --map n_found=THEIRS --map n_needles=THEIRS",
        ),
    )
