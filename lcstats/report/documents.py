"""The JSON objects that scripts rely on: what was read, and how long it works."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lcstats.cells import Cells, Means, Results
from lcstats.errors import Notice
from lcstats.options import Repeats
from lcstats.records import SCHEMA_VERSION
from lcstats.trials import Trials

if TYPE_CHECKING:
    # Reading alone needs these objects too, and should not wait for scipy and numba.
    from lcstats.lengths import EffectiveLength
    from lcstats.needles import NeedleAnalysis
    from lcstats.needles.joint import JointComparison
    from lcstats.report.fits import FitWithTest


def to_json(document: Mapping[str, Any]) -> str:
    """Write a document as strict JSON in plain ASCII; a number that is none becomes null.

    Examples
    --------
    >>> print(to_json({"length": None, "accuracy": float("nan")}))
    {
      "length": null,
      "accuracy": null
    }
    """
    return json.dumps(_plain(document), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's, tuples into lists, and what is not finite into None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_document(results: Results, *, repeats: Repeats = "fold") -> dict[str, Any]:
    """Return the ``read`` object: what a table of results holds.

    Parameters
    ----------
    results : Trials, Cells or Means
        Of means nobody knows how many trials there were: their counts are None.
    repeats : {"fold", "independent"}
        ``independent`` counts every trial as a case.

    Examples
    --------
    >>> cells = Cells.from_counts([4096, 8192], [0.5], n_cases=20, successes=[[20], [17]])
    >>> document = read_document(cells)
    >>> document["n_trials"], document["lengths"], document["aggregate_only"]
    (40, [4096, 8192], True)
    """
    if isinstance(results, Means):
        return _document_of_means(results)
    counts = _counts_of_cells(results) if isinstance(results, Cells) else _counts_of_trials(results)
    reading = results.reading
    unscored = counts.pop("unscored")
    by_length: Counter[int] = Counter()
    by_status: Counter[str] = Counter()
    for (length, status), count in unscored.items():
        by_length[length] += count
        by_status[status] += count
    n_unscored = sum(unscored.values())
    n_trials = counts.pop("n_trials")
    return {
        "schema_version": SCHEMA_VERSION,
        "format": reading.format if reading else None,
        "files": list(reading.files) if reading else [],
        "n_trials": n_trials,
        "n_cases": n_trials if repeats == "independent" else counts["n_cases"],
        "n_scored": n_trials - n_unscored,
        "n_unscored": n_unscored,
        "unscored_by_status": dict(sorted(by_status.items())),
        "unscored_by_length": {str(length): by_length[length] for length in sorted(by_length)},
        "n_duplicates": reading.n_duplicates if reading else 0,
        **{name: counts[name] for name in ("models", "tasks", "lengths", "n_trials_by_length")},
        **{name: counts[name] for name in ("length_unit", "depths", "n_without_depth")},
        "n_needles": counts["n_needles"],
        "mapping": dict(reading.mapping) if reading else {},
        "aggregate_only": counts["aggregate_only"],
        "warnings": list_warnings(results.notices),
    }


def _document_of_means(means: Means) -> dict[str, Any]:
    frame, reading = means.frame, means.reading
    by_length = frame["length"].value_counts().sort_index()
    uncounted = ("n_trials", "n_cases", "n_scored", "n_unscored")
    return {
        "schema_version": SCHEMA_VERSION,
        "format": reading.format if reading else None,
        "files": list(reading.files) if reading else [],
        **dict.fromkeys(uncounted),
        "n_means": len(frame),
        "n_means_by_length": {str(length): int(n) for length, n in by_length.items()},
        "unscored_by_status": {},
        "unscored_by_length": {},
        "n_duplicates": 0,
        "models": sorted(means.models),
        "tasks": sorted(means.tasks),
        "lengths": by_length.index.tolist(),
        "n_trials_by_length": {},
        "length_unit": means.length_unit,
        "depths": sorted(frame["depth"].dropna().unique().tolist()),
        "n_without_depth": 0,
        "n_needles": [],
        "mapping": dict(reading.mapping) if reading else {},
        "aggregate_only": True,
        "warnings": list_warnings(means.notices),
    }


def _counts_of_trials(trials: Trials) -> dict[str, Any]:
    frame = trials.frame
    missing = frame[frame["score"].isna()]
    depths = frame["depth"]
    needles = frame["n_needles"].dropna() if "n_needles" in frame else ()
    by_length = frame["length"].value_counts().sort_index()
    return {
        "n_trials": trials.n_trials,
        "n_cases": trials.n_cases,
        "unscored": missing.groupby(["length", "status"]).size().to_dict(),
        "models": sorted(trials.models),
        "tasks": sorted(trials.tasks),
        "lengths": by_length.index.tolist(),
        "n_trials_by_length": {str(length): int(n) for length, n in by_length.items()},
        "length_unit": trials.length_unit,
        "depths": sorted(depths.dropna().unique().tolist()),
        "n_without_depth": int(depths.isna().sum()),
        "n_needles": sorted({int(number) for number in needles}),
        "aggregate_only": False,
    }


def _counts_of_cells(cells: Cells) -> dict[str, Any]:
    unscored: Counter[tuple[int, str]] = Counter()
    by_length: Counter[int] = Counter()
    depths: set[float] = set()
    n_without_depth = 0
    for grid in cells.grids:
        for length, statuses in grid.unscored.items():
            unscored.update({(length, status): count for status, count in statuses.items()})
            by_length[length] += sum(statuses.values())
        by_length.update(dict(zip(grid.lengths.tolist(), _row_sums(grid.n_trials), strict=True)))
        depths |= set(grid.depths[~np.isnan(grid.depths)].tolist())
        n_without_depth += int(grid.n_trials[:, np.isnan(grid.depths)].sum())
    return {
        "n_trials": by_length.total(),
        "n_cases": sum(int(grid.n_cases.sum()) for grid in cells.grids),
        "unscored": unscored,
        "models": sorted({grid.model for grid in cells.grids}),
        "tasks": sorted({grid.task for grid in cells.grids}),
        "lengths": sorted(by_length),
        "n_trials_by_length": {str(length): by_length[length] for length in sorted(by_length)},
        "length_unit": cells.grids[0].length_unit,
        "depths": sorted(depths),
        "n_without_depth": n_without_depth,
        "n_needles": [],
        "aggregate_only": cells.aggregate_only,
    }


def _row_sums(counts: np.ndarray) -> list[int]:
    return [int(total) for total in counts.sum(axis=1)]


def fit_document(
    fits: "Sequence[FitWithTest]",
    shared: Sequence[Notice] = (),
) -> dict[str, Any]:
    """Return the ``fit`` object.

    Parameters
    ----------
    fits : sequence of FitWithTest
        One per (model, task).
    shared : sequence of Notice
        Notices on the table as a whole.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "groups": [
            {
                **_without_own(one.fit.to_dict()),
                "goodness_of_fit": one.goodness and one.goodness.to_dict(),
                "term_tests": [test.to_dict() for test in one.term_tests],
            }
            for one in fits
        ],
        "warnings": list_warnings(shared)
        + [
            {**notice.to_dict(), "model": one.fit.grid.model, "task": one.fit.grid.task}
            for one in fits
            for notice in one.notices
            if notice not in shared
        ],
    }


def effective_length_document(
    answers: "Sequence[EffectiveLength]", shared: Sequence[Notice] = ()
) -> dict[str, Any]:
    """Return the ``effective-length`` object.

    Parameters
    ----------
    answers : sequence of EffectiveLength
        One per (model, task).
    shared : sequence of Notice
        Notices on the table as a whole; each answer carries them too, and they are listed once.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "groups": [_without_own(answer.to_dict()) for answer in answers],
        "warnings": list_warnings(shared) + group_warnings(answers, shared),
    }


def needles_document(
    analyses: "Sequence[NeedleAnalysis]", shared: Sequence[Notice] = ()
) -> dict[str, Any]:
    """Return the ``needles`` object.

    Parameters
    ----------
    analyses : sequence of NeedleAnalysis
        One per (model, task, number of needles).
    shared : sequence of Notice
        Notices on the table as a whole.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "groups": [_without_own(analysis.to_dict()) for analysis in analyses],
        "warnings": list_warnings(shared)
        + [
            {
                **notice.to_dict(),
                "model": analysis.model,
                "task": analysis.task,
                "n_needles": analysis.n_needles,
            }
            for analysis in analyses
            for notice in analysis.notices
            if notice not in shared
        ],
    }


def joint_document(
    compared: "Sequence[JointComparison]", shared: Sequence[Notice] = ()
) -> dict[str, Any]:
    """Return the ``fit --joint`` object.

    Parameters
    ----------
    compared : sequence of JointComparison
        One per language model.
    shared : sequence of Notice
        Notices on the table as a whole.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "groups": [one.to_dict() for one in compared],
        "warnings": list_warnings(shared)
        + [
            {**notice.to_dict(), "model": one.model}
            for one in compared
            for notice in one.fit.notices
            if notice not in shared
        ],
    }


def _without_own(group: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what a record keeps to be restored and a document has elsewhere."""
    return {name: value for name, value in group.items() if name not in ("counts", "notices")}


def own_notices(answer: "EffectiveLength", shared: Sequence[Notice]) -> list[Notice]:
    """Return the notices on this answer alone, each once, in order."""
    return [notice for notice in dict.fromkeys(answer.notices) if notice not in shared]


def group_warnings(
    answers: "Sequence[EffectiveLength]", shared: Sequence[Notice]
) -> list[dict[str, str]]:
    """Return the answers' own notices, each with its group."""
    return [
        {**notice.to_dict(), "model": answer.model, "task": answer.task}
        for answer in answers
        for notice in own_notices(answer, shared)
    ]


def list_warnings(notices: Iterable[Notice]) -> list[dict[str, str]]:
    """Return notices as the ``warnings`` of a JSON object, each once."""
    return [notice.to_dict() for notice in dict.fromkeys(notices)]
