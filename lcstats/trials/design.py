"""The columns that place a trial or a count: model, task, length and depth."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, OptionError, TableError, describe
from lcstats.options import DepthUnit, LengthUnit, words_of
from lcstats.trials.columns import depth_unit_of_name, is_place_name
from lcstats.trials.depth_column import Depths, read_depths, read_positions
from lcstats.trials.faults import Faults
from lcstats.trials.identity import combine_codes
from lcstats.trials.length_column import Lengths, read_lengths
from lcstats.trials.naming import NamedTable
from lcstats.trials.records import TableOptions
from lcstats.trials.values import Texts, parse_column, spread_texts, texts_of
from lcstats.trials.wording import flag

_FILLED = {
    "model": "fill it in, or name the language model of all rows with model_name='NAME' "
    "(--model-name NAME)",
    "task": "fill it in, or remove the column",
}
"""How to mend a row without a model or a task."""

_ALIKE = ({"tokens", "k1000", "k1024"}, {"documents", "pairs"})
"""Units that a call may take for one another: numbers of tokens, and of places."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Where in the sweep every row lies.

    Attributes
    ----------
    frame : DataFrame, shape (n_rows, 4)
        Columns ``model``, ``task`` (str), ``length`` (int64), ``depth`` (float64 in [0, 1]).
    codes : dict of str to int64 array, shape (n_rows,)
        Codes of the columns of text.
    length_unit : str
        Unit of the lengths.
    depth_unit : str or None
        Unit in which the depths were read.
    notices : tuple of Notice
        What was decided.
    """

    frame: pd.DataFrame
    codes: dict[str, NDArray[np.int64]]
    length_unit: str
    depth_unit: str | None
    notices: tuple[Notice, ...]


def read_design(named: NamedTable, options: TableOptions, faults: Faults) -> Design:
    """Read model, task, length and depth of every row.

    Parameters
    ----------
    named : NamedTable
        Has at least a column ``length``.
    options : TableOptions
        What the call asked for.
    faults : Faults
        Gets every value that cannot be used.

    Returns
    -------
    Design

    Raises
    ------
    OptionError
        If `options` name one language model and the table several.
    TableError
        If the lengths are of several units.
    """
    model, model_notices = _read_model(named, options, faults)
    task = _read_task(named, faults)
    lengths = read_lengths(
        named.frame["length"],
        unit=_length_unit(named, options),
        name=named.named("length"),
        may_be_zero=named.knowledge.has_zero_lengths,
        faults=faults,
    )
    codes = {"model": model.codes, "task": task.codes}
    depths = _read_depths(named, options, lengths, codes, faults)
    columns = {
        "model": model.values,
        "task": task.values,
        "length": lengths.values,
        "depth": depths.values,
    }
    return Design(
        pd.DataFrame(columns, copy=False),
        codes,
        lengths.unit,
        depths.unit,
        (*model_notices, *lengths.notices),
    )


def _read_model(
    named: NamedTable, options: TableOptions, faults: Faults
) -> tuple[Texts, tuple[Notice, ...]]:
    column, n_rows = named.column("model"), len(named.frame)
    if column is None:
        given = options.model_name or named.knowledge.model_name
        return _constant(given or "model", n_rows), () if given else _unnamed_notices(named)
    texts = texts_of(column)
    if options.model_name is not None:
        _refuse_several_models(named, options.model_name, texts.uniques)
        return _constant(options.model_name, n_rows), ()
    _refuse_missing(named, "model", texts, faults)
    return texts, ()


def _refuse_several_models(named: NamedTable, given: str, models: tuple[str, ...]) -> None:
    if len(models) < 2:
        return
    raise OptionError(
        describe(
            f"model_name is {given!r}, and {named.origin.name} holds {len(models)} language "
            f"models: {', '.join(models[:5])}",
            "expected a table of one language model",
            "leave out --model-name, or read one language model's files",
        )
    )


def _unnamed_notices(named: NamedTable) -> tuple[Notice, ...]:
    n_files = len(named.origin.files)
    if n_files < 2:
        return ()
    return (
        Notice(
            "model-unnamed",
            f"no column names the language model, so {n_files} files were taken as one; "
            "pass model_name='NAME' (--model-name NAME), or read language models apart",
        ),
    )


def _read_task(named: NamedTable, faults: Faults) -> Texts:
    column = named.column("task")
    if column is None:
        return _constant("default", len(named.frame))
    texts = texts_of(column)
    _refuse_missing(named, "task", texts, faults)
    return texts


def _constant(word: str, n_rows: int) -> Texts:
    return spread_texts([word], np.zeros(n_rows, dtype=np.int64))


def _refuse_missing(named: NamedTable, name: str, texts: Texts, faults: Faults) -> None:
    faults.add(
        texts.codes < 0,
        named.named(name),
        named.frame[name],
        (f"expected a {name} on every row", _FILLED[name]),
    )


def _length_unit(named: NamedTable, options: TableOptions) -> LengthUnit:
    """Return the declared unit, the one that a column ``length_unit`` names, or the format's.

    A format's own unit is that of its own lengths, not of another column that a call takes.
    """
    declared, knowledge = options.length_unit, named.knowledge
    column = named.column("length_unit")
    is_formats = "length_unit" in knowledge.columns and "length_unit" not in options.columns
    if column is None or (is_formats and knowledge.takes_other("length", options.columns)):
        unit = knowledge.length_unit_of(options.columns)
    elif declared is None or is_formats:
        unit = _unit_in(column, named)
    else:
        return declared
    if declared is not None and unit is not None and not _are_alike(declared, unit):
        raise OptionError(
            describe(
                f"length_unit is {declared!r}, and lengths in {named.origin.name} are in {unit}",
                f"expected {unit}, as the format has it",
                "leave out --length-unit, or take other lengths with --map length=THEIRS "
                "(columns={'length': 'THEIRS'})",
            )
        )
    return declared or unit or "tokens"


def _are_alike(one: LengthUnit, other: LengthUnit) -> bool:
    return one == other or any({one, other} <= units for units in _ALIKE)


def _unit_in(column: pd.Series, named: NamedTable) -> LengthUnit | None:
    """Return the one unit in a column, None if it is empty."""
    units = texts_of(column).uniques
    if len(units) > 1:
        raise TableError(
            describe(
                f"{named.origin.name}: lengths are in {' and '.join(units)}",
                "expected one unit of length in a table",
                "read tables of different units apart",
            )
        )
    if not units:
        return None
    if units[0] not in words_of(LengthUnit):
        raise TableError(
            describe(
                f"{named.origin.name}: {named.named('length_unit')} is {units[0]!r}",
                f"expected one of {', '.join(words_of(LengthUnit))}",
                "mend the words, or say what lengths are in with "
                f"{flag('length_unit', 'k1024')}, say",
            )
        )
    return units[0]  # type: ignore[return-value]


def _read_depths(
    named: NamedTable,
    options: TableOptions,
    lengths: Lengths,
    codes: dict[str, NDArray[np.int64]],
    faults: Faults,
) -> Depths:
    column, name = named.column("depth"), named.named("depth")
    if column is None:
        return Depths(np.full(len(named.frame), np.nan), None)
    unit = options.depth_unit or named.knowledge.depth_unit
    if unit is None and is_place_name(name):
        unit = _first_place(column, name, _room_of("index0", named, lengths), faults)
    if unit is None and lengths.unit in ("documents", "pairs", "lines"):
        _ask_about_places(column, name, lengths.unit, faults)
    if unit is None or unit in ("fraction", "percent"):
        return read_depths(
            column,
            unit=unit,
            groups=lambda: combine_codes(list(codes.values())),
            name=name,
            faults=faults,
        )
    room = _room_of(unit, named, lengths)
    return read_positions(column, unit=unit, room=room, name=name, faults=faults)


def _first_place(
    column: pd.Series, name: str, room: NDArray[np.float64], faults: Faults
) -> DepthUnit:
    """Tell whether an index of documents counts from 0 or from 1, or ask."""
    places = parse_column(column).values
    if (places == 0).any():
        return "index0"
    if not (places == room + 1).any():
        faults.add_table(
            f"{name} holds neither 0 nor the number of documents",
            "expected places that tell whether the first document is 0 or 1",
            f"pass {flag('depth_unit', 'index0')} if it is 0, {flag('depth_unit', 'index1')} if 1",
        )
    return "index1"


def _ask_about_places(column: pd.Series, name: str, unit: str, faults: Faults) -> None:
    """Refuse to guess whether whole numbers above 1 are percentages or places in a list."""
    if depth_unit_of_name(name) is None and (parse_column(column).values > 1).any():
        faults.add_table(
            f"{name} holds numbers above 1, and lengths are in {unit}",
            "expected depths that tell percentages from places in a list",
            f"pass {flag('depth_unit', 'index0')} if 0 is the first place, "
            f"{flag('depth_unit', 'index1')} if 1 is, {flag('depth_unit', 'percent')} if 100 is "
            "the end",
        )


def _room_of(unit: DepthUnit, named: NamedTable, lengths: Lengths) -> NDArray[np.float64]:
    """Return the position of the end of every context, counted from 0, in the unit of depths."""
    if unit == "hundredths":
        return np.full(len(named.frame), 10000.0)
    if unit == "tokens":
        if lengths.unit != "tokens":
            raise _no_room("depths are in tokens", f"lengths in {lengths.unit}", "tokens")
        return lengths.values.astype(np.float64)
    column = named.column("n_documents")
    if column is not None:
        return np.asarray(parse_column(column).values - 1.0)
    if lengths.unit not in ("documents", "pairs"):
        raise _no_room("depths are places of documents", "no column with their number", "documents")
    return np.asarray(lengths.values - 1.0)


def _no_room(found: str, beside: str, unit: str) -> OptionError:
    return OptionError(
        describe(
            f"{found}, with {beside}",
            f"expected lengths in {unit}, to turn them into fractions",
            f"pass {flag('length_unit', unit)} if they are"
            + ("" if unit == "tokens" else ", or name a column with --map n_documents=THEIRS"),
        )
    )
