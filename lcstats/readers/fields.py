"""Fields that a runner writes on every row, and rows that lack them."""

from collections.abc import Collection

from lcstats.errors import FormatError, describe
from lcstats.trials import RawTable


def require_fields(
    table: RawTable, fields: Collection[str], format_name: str, kind: type | None = None
) -> None:
    """Refuse a table with a row that lacks one of a runner's fields.

    Parameters
    ----------
    table : RawTable
        What the files hold.
    fields : collection of str
        Fields that every row has to have.
    format_name : str
        The format's name, for the message.
    kind : type, optional
        What the values have to be; anything but missing without it.

    Raises
    ------
    FormatError
        If a row lacks a field; the first one is named.
    """
    for field in sorted(fields):
        if field not in table.frame:
            raise _lacking(table.origin.place(0) if len(table.frame) else "", field, format_name)
        column = table.frame[field]
        has_value = column.notna() if kind is None else column.map(lambda v: isinstance(v, kind))
        if not has_value.all():
            first = int((~has_value).to_numpy(dtype=bool).argmax())
            raise _lacking(table.origin.place(first), field, format_name)


def _lacking(place: str, field: str, format_name: str) -> FormatError:
    return FormatError(
        describe(
            f"{place or 'the file'}: no usable field {field!r}",
            f"expected what the runner of {format_name} writes on every row",
            "remove the row, or leave out --format to have the format found",
        )
    )
