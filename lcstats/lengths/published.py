"""Effective lengths read off published means, beside the ones that were reported with them."""

import numpy as np
import pandas as pd

from lcstats.datasets import PublishedRow, PublishedTable
from lcstats.lengths.answer import outcome_label
from lcstats.lengths.observed import leading


def published_lengths(table: PublishedTable) -> pd.DataFrame:
    """Read the effective length of every language model off a published table.

    The rule is that of the observed effective length: the longest length such that it and every
    shorter one reach the bar; ties pass. Means without counts have no interval.

    Parameters
    ----------
    table : PublishedTable

    Returns
    -------
    DataFrame
        One row per language model: ``model``; ``effective_length`` in tokens, written ``<4096``,
        ``32768``, or ``>=131072`` where all tested lengths pass; ``reported``, as printed; and
        ``agrees``, missing where nothing was reported.

    Examples
    --------
    >>> from lcstats.datasets import nolima_2025
    >>> published_lengths(nolima_2025()).head(2)
         model effective_length reported  agrees
    0  GPT-4.1            16384      16K    True
    1   GPT-4o             8192       8K    True
    """
    return pd.DataFrame([_read_off(row) for row in table.rows])


def _read_off(row: PublishedRow) -> dict[str, object]:
    passes = np.array([share >= row.bar for share in row.accuracies.values()])
    found = outcome_label(leading(passes), np.array(list(row.accuracies)))
    return {
        "model": row.model,
        "effective_length": found,
        "reported": row.reported,
        "agrees": None if row.reported is None else found == _in_tokens(row.reported),
    }


def _in_tokens(reported: str) -> str:
    """Write a printed effective length, such as ``>128K``, as the library does.

    Examples
    --------
    >>> _in_tokens(">128k"), _in_tokens("<4K"), _in_tokens("32K")
    ('>=131072', '<4096', '32768')
    """
    sign = {">": ">=", "<": "<"}.get(reported[0], "")
    return f"{sign}{1024 * int(reported.lstrip('<>')[:-1])}"
