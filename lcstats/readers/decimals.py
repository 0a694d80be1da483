"""Numbers written with a decimal comma."""

import re

import pandas as pd

from lcstats.trials.columns import ColumnKind
from lcstats.trials.values import factorize, spread

_GROUPED = re.compile(r"(?P<whole>[+-]?[1-9]\d{0,2}(\.\d{3})+)(?P<rest>,\d+)?\D*")


def read_decimal_commas(frame: pd.DataFrame, kinds: dict[str, ColumnKind]) -> pd.DataFrame:
    """Rewrite the texts in columns of numbers from decimal commas to decimal points.

    Parameters
    ----------
    frame : DataFrame
        A table as a file gave it.
    kinds : dict of str to str
        Kind of each column.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> frame = pd.DataFrame({"length": ["4.096", "131.072"], "depth": ["25,5", "50,0"]})
    >>> read_decimal_commas(frame, {"length": "number", "depth": "number"}).values.tolist()
    [['4096', '25.5'], ['131072', '50.0']]
    """
    rewritten = {}
    for name in frame.columns:
        if kinds.get(str(name)) == "number" and not pd.api.types.is_numeric_dtype(
            frame[name].dtype
        ):
            codes, uniques = factorize(frame[name])
            rewritten[name] = spread([with_point(str(value)) for value in uniques], codes)
    return frame.assign(**rewritten)


def with_point(text: str) -> str:
    """Rewrite one number from a decimal comma to a decimal point.

    Examples
    --------
    >>> with_point("4.096"), with_point("25,5")
    ('4096', '25.5')
    """
    text = text.strip()
    if _GROUPED.fullmatch(text):
        text = text.replace(".", "")
    return text.replace(",", ".")
