"""What a plan is made for, from the command line: a name, a file, or results of a pilot."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcstats.errors import FormatError, OptionError, describe

if TYPE_CHECKING:
    from lcstats.cells import Cells
    from lcstats.curve import Curve
    from lcstats.options import Method
    from lcstats.plan.truths import PlannableTruth

FIT_SUFFIX = ".json"
TABLE_SUFFIX = ".csv"


def truth_named(text: str) -> "PlannableTruth":
    """Return the built-in truth of a name, or the one in a file.

    A file is a table of accuracies, ``.csv`` with length, depth and accuracy, or what
    ``lcstats fit --json`` printed.

    Raises
    ------
    FormatError
        If the file holds neither.
    """
    if text.lower().endswith(FIT_SUFFIX):
        return _curve_in(Path(text))
    if text.lower().endswith(TABLE_SUFFIX):
        import pandas as pd

        try:
            return pd.read_csv(text)
        except ValueError as error:
            raise FormatError(
                describe(
                    f"{text} cannot be read ({error})",
                    "expected a table with columns length, depth and accuracy",
                    "write one line for each cell",
                )
            ) from error
    return text


def truth_of_pilot(cells: "Cells", method: "Method", seed: int) -> "PlannableTruth":
    """Return what a pilot leaves open: draws of the surface, or of the curve for its method.

    Raises
    ------
    OptionError
        If the results are of several language models or tasks.
    """
    from lcstats.fit import fit_curve
    from lcstats.flexible import fit_flexible
    from lcstats.posterior import sample_posterior

    if method == "curve":
        return sample_posterior(fit_curve(cells), seed=seed)
    return fit_flexible(cells, seed=seed)


def _curve_in(path: Path) -> "Curve":
    """Return the curve of the only group in what ``lcstats fit --json`` printed."""
    from lcstats.curve import TERMS, Curve

    groups = _groups_in(path)
    if len(groups) != 1:
        names = ", ".join(f"{group.get('model')} on {group.get('task')}" for group in groups)
        raise OptionError(
            describe(
                f"{path} holds the curves of {names or 'nobody'}",
                "expected one language model on one task",
                "fit it alone: lcstats fit PATH --select model=NAME --select task=NAME --json",
            )
        )
    rates = ("guess_rate", "lapse_rate", "recency_scale", "base_length", "span_doublings")
    try:
        terms = {term: groups[0]["coefficients"].get(term) or 0.0 for term in TERMS}
        return Curve(**terms, **{name: groups[0][name] for name in rates})
    except (AttributeError, KeyError, TypeError) as error:
        raise _no_fit(path, f"{type(error).__name__}: {error}") from error


def _groups_in(path: Path) -> list[dict[str, Any]]:
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        groups = document["groups"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _no_fit(path, f"{type(error).__name__}: {error}") from error
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise _no_fit(path, "no list of groups")
    return groups


def _no_fit(path: Path, found: str) -> FormatError:
    return FormatError(
        describe(
            f"{path} holds no fit ({found})",
            "expected what 'lcstats fit --json' printed",
            "run: lcstats fit PATH --json > fit.json",
        )
    )
