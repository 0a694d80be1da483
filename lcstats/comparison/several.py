"""More than two language models: every pair or each against a reference, and who is tied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

from lcstats.cells import Cells, Results
from lcstats.comparison.door import MARGIN, compare
from lcstats.comparison.result import Comparison
from lcstats.comparison.verdict import correct_for_number, judge
from lcstats.errors import Notice, OptionError, describe
from lcstats.options import Repeats, check_type
from lcstats.records import SCHEMA_VERSION, list_notices, restoring
from lcstats.trials import Trials
from lcstats.trials.wording import listed

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of a language model on a task.

    Attributes
    ----------
    task, model : str
    accuracy : float
        Mean over the cases of the comparisons it is in.
    letters : str
        Language models that share a letter are not shown to differ; empty against a reference.
    """

    task: str
    model: str
    accuracy: float
    letters: str


@dataclass(frozen=True, slots=True)
class SeveralComparison:
    """Comparisons of several language models, corrected for the number of them and of tasks.

    Attributes
    ----------
    reference : str or None
        Against which all were compared; None for every pair.
    comparisons : tuple of Comparison
        Their ``holm_p`` and verdicts are corrected over all comparisons and tasks.
    ranking : tuple of Rank
        By task, the most accurate first.
    """

    reference: str | None
    comparisons: tuple[Comparison, ...]
    ranking: tuple[Rank, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader has to know, each thing once."""
        return tuple(dict.fromkeys(n for each in self.comparisons for n in each.notices))

    @property
    def n_tests(self) -> int:
        """How many tests were corrected for."""
        return sum(len(each.groups) for each in self.comparisons)

    def sentence(self) -> str:
        """Say what each comparison comes to, on every task."""
        return " ".join(
            each.sentence_on(group, n_tests=self.n_tests)
            for each in self.comparisons
            for group in each.groups
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "reference": self.reference,
            "comparisons": [each.to_dict() for each in self.comparisons],
            "ranking": [asdict(rank) for rank in self.ranking],
            "warnings": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "SeveralComparison":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("SeveralComparison", document):
            return cls(
                document["reference"],
                tuple(map(Comparison.from_dict, document["comparisons"])),
                tuple(Rank(**rank) for rank in document["ranking"]),
            )


def compare_models(
    results: Results | Sequence[Results],
    *,
    reference: str | None = None,
    margin: float = MARGIN,
    level: float = 0.95,
    repeats: Repeats = "fold",
) -> SeveralComparison:
    """Compare several language models: every pair, or each against a reference.

    Parameters
    ----------
    results : Trials or Cells, or a sequence of them
        Of at least two language models in all, each in one table.
    reference : str, optional
        The language model that the others are compared with.
    margin, level, repeats
        As for :func:`compare`.

    Returns
    -------
    SeveralComparison

    Raises
    ------
    OptionError
        If there are fewer than two language models, one is in two tables, or the reference is not
        among them.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"case": range(50), "length": 8192})
    >>> right = {"a": 45, "b": 44, "c": 20}
    >>> parts = [table.assign(model=m, score=[1] * n + [0] * (50 - n)) for m, n in right.items()]
    >>> answer = compare_models(Trials.from_frame(pd.concat(parts)))
    >>> [(rank.model, rank.letters) for rank in answer.ranking]
    [('a', 'a'), ('b', 'a'), ('c', 'b')]
    """
    tables = split_models(results)
    names = sorted(tables)
    _check_models(names, reference)
    if reference is None:
        couples = list(combinations(names, 2))
    else:
        couples = [(reference, name) for name in names if name != reference]
    found = [
        compare(tables[old], tables[new], margin=margin, level=level, repeats=repeats)
        for old, new in couples
    ]
    comparisons = _correct(found)
    return SeveralComparison(
        reference, comparisons, tuple(_rank(comparisons, lettered=reference is None))
    )


def split_models(results: Results | Sequence[Results]) -> dict[str, Results]:
    """Return the results of every language model, by its name.

    Raises
    ------
    OptionError
        If one is in two tables.
    """
    tables: dict[str, Results] = {}
    parts = results if isinstance(results, Sequence) else [results]
    for part in parts:
        check_type(part, (Trials, Cells), "results")
        for model in part.models:
            if model in tables:
                raise OptionError(
                    describe(
                        f"{model} is in two tables",
                        "expected every language model in one",
                        "name each table's language model with --model-name, one at a time, or "
                        "compare two files with 'lcstats compare OLD NEW'",
                    )
                )
            tables[model] = part.select(model=model)
    return tables


def _check_models(names: Sequence[str], reference: str | None) -> None:
    if len(names) < 2:
        raise OptionError(
            describe(
                f"found {len(names)} language model: {listed(names)}",
                "expected at least two",
                "add the results of another, or name the column with --map model=COLUMN",
            )
        )
    if reference is not None and reference not in names:
        raise OptionError(
            describe(
                f"reference is {reference!r}",
                f"expected one of {listed(names)}",
                "pass a name as it is written there",
            )
        )


def _correct(found: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Correct p-values over all comparisons and tasks, and judge again."""
    corrected = iter(
        correct_for_number([group.overall.p_value for each in found for group in each.groups])
    )
    return tuple(replace(each, groups=tuple(_judged(each, corrected))) for each in found)


def _judged(comparison: Comparison, corrected: Iterator[float]) -> Iterator[Any]:
    for group in comparison.groups:
        holm_p = next(corrected)
        verdict = judge(group.overall, holm_p, comparison.margin)
        yield replace(group, holm_p=holm_p, verdict=verdict)


def _rank(comparisons: Sequence[Comparison], *, lettered: bool) -> Iterator[Rank]:
    for task in sorted({group.task for each in comparisons for group in each.groups}):
        accuracies: dict[str, list[float]] = {}
        apart: set[frozenset[str]] = set()
        for each in comparisons:
            for group in each.groups:
                if group.task != task:
                    continue
                accuracies.setdefault(each.old_model, []).append(group.overall.accuracy_old)
                accuracies.setdefault(each.new_model, []).append(group.overall.accuracy_new)
                if group.verdict in ("better", "worse"):
                    apart.add(frozenset((each.old_model, each.new_model)))
        mean = {model: sum(values) / len(values) for model, values in accuracies.items()}
        order = sorted(mean, key=lambda model: (-mean[model], model))
        letters = share_letters(order, apart) if lettered else dict.fromkeys(order, "")
        for model in order:
            yield Rank(task, model, mean[model], letters[model])


def share_letters(order: Sequence[str], apart: set[frozenset[str]]) -> dict[str, str]:
    """Give every name letters, so that two share one exactly where they are not shown to differ.

    Parameters
    ----------
    order : sequence of str
        Names; letters go from the first on.
    apart : set of frozenset of str
        Pairs that are shown to differ.

    Notes
    -----
    By insertion and absorption (Piepho 2004, Journal of Computational and Graphical Statistics
    13:456): each column of names that holds a pair that differs is split into two, one without
    either, and columns within others are dropped.

    Examples
    --------
    >>> share_letters(["x", "y", "z"], {frozenset("xz")})
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    columns = [frozenset(order)]
    for pair in sorted(apart, key=sorted):
        split = []
        for column in columns:
            split += [column - {name} for name in pair] if pair <= column else [column]
        columns = [c for c in dict.fromkeys(split) if not any(c < other for other in split)]
    place = {name: i for i, name in enumerate(order)}
    columns.sort(key=lambda column: sorted(place[name] for name in column))
    return {
        name: "".join(_letter(i) for i, column in enumerate(columns) if name in column)
        for name in order
    }


def _letter(number: int) -> str:
    """Return a, b, ..., z, a1, b1, ...: as many as are needed."""
    turn, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(turn) if turn else "")
