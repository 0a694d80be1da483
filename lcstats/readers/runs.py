"""Which prompt, and which run of it: short names of prompts, and numbers of their runs."""

import hashlib
import json

import pandas as pd

from lcstats.trials.values import factorize


def short_digest(*parts: object) -> str:
    """Return eight hexadecimal digits that tell prompts apart by what they were made of.

    Examples
    --------
    >>> short_digest("needle", ["question"]), short_digest("needle", ["another"])
    ('e5fbb71b', 'd920d753')
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def number_runs(cases: pd.DataFrame, runs: pd.Series) -> pd.Series:
    """Number the runs of each case from 1, in order; rows of the same run share their number.

    Parameters
    ----------
    cases : DataFrame, shape (n_rows, n_keys)
        What makes a case: rows that agree in all columns are of one case.
    runs : Series, shape (n_rows,)
        What tells the runs of a case apart.

    Returns
    -------
    Series of int, shape (n_rows,)

    Examples
    --------
    >>> cases = pd.DataFrame({"length": [1000, 1000, 4000, 1000]})
    >>> number_runs(cases, pd.Series(["a", "b", "b", "a"])).tolist()
    [1, 2, 1, 1]
    """
    keys = pd.DataFrame({name: factorize(cases[name])[0] for name in cases})
    case = keys.groupby(list(keys.columns), sort=False).ngroup()
    rows = pd.DataFrame({"case": case.to_numpy(), "run": runs.astype("str").to_numpy()})
    first = rows.drop_duplicates()
    numbers = first.assign(number=first.groupby("case").cumcount() + 1)
    return rows.merge(numbers, how="left", on=["case", "run"])["number"]
