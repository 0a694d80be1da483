"""The figures of a report: drawn once, kept as files, and put into the page as inline SVG."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import escape

from lcstats.cells import Cells
from lcstats.lengths import EffectiveLength, Estimate, outcome_label
from lcstats.lengths.quoting import NAMES
from lcstats.options import percent
from lcstats.plots import (
    plot_decay,
    plot_depth,
    plot_heatmap,
    plot_masses,
    plot_methods,
    plot_residuals,
    save_figure,
)
from lcstats.plots.labels import band_bias_words, depth_labels
from lcstats.report.fits import FitWithTest, crossing_words, plot_options, verdict
from lcstats.trials.wording import counted

SUFFIXES = (".svg", ".pdf", ".png")
MOST_IN_FULL = 12
"""Groups up to which a report draws every figure in every format, as part of the page."""

MOST_WITH_BRIEF = 40
"""Groups up to which a larger report draws :data:`BRIEF_KINDS`; beyond, the decay alone.

Drawing takes most of the time of a report, four fifths of it with two figures per group.
"""

BRIEF_KINDS = ("decay", "heatmap", "residuals")
"""Figures of each group of a larger report, where it has them."""

SHARE_TO_MENTION = 0.005
MOST_POINTS_NAMED = 12


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """One figure of a report.

    Attributes
    ----------
    kind : str
    title : str
    text : str
        What it shows, in words, for who cannot see it.
    files : mapping of str to str
        Suffix without dot to the file's name within the report.
    svg : str
        The figure as an element of the page; empty where the page refers to the file.
    """

    kind: str
    title: str
    text: str
    files: dict[str, str]
    svg: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a figure is and how to draw it."""

    kind: str
    title: str
    text: str
    plot: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """How much a report draws and shows of each group: less of each where there are many.

    Attributes
    ----------
    suffixes : tuple of str
        Formats that are kept as files.
    kinds : tuple of str
        Kinds of figures; empty for all there are.
    inline : bool
        Whether figures are part of the page; else it refers to their files.
    n_failures : int
        Failing trials that are shown of each group.
    seed : int
        Of a curve's band.
    """

    suffixes: tuple[str, ...]
    kinds: tuple[str, ...]
    inline: bool
    n_failures: int
    seed: int = 0

    @classmethod
    def of(cls, n_groups: int, seed: int) -> "FigurePlan":
        """Return the plan for a report on a number of groups."""
        if n_groups <= MOST_IN_FULL:
            return cls(SUFFIXES, (), True, 12, seed)
        kinds = BRIEF_KINDS if n_groups <= MOST_WITH_BRIEF else BRIEF_KINDS[:1]
        return cls((".svg",), kinds, False, 3, seed)


def draw_figures(
    cells: Cells,
    answer: EffectiveLength,
    tested: FitWithTest | None,
    *,
    name: str,
    folder: Path,
    plan: FigurePlan,
) -> tuple[FigureEntry, ...]:
    """Draw every figure of one group below `folder`; their files begin with `name`."""
    (folder / name).parent.mkdir(exist_ok=True)
    return tuple(
        _draw(figure, name=f"{name}-{figure.kind}", folder=folder, plan=plan)
        for figure in _plans(cells, answer, tested, plan.seed)
        if not plan.kinds or figure.kind in plan.kinds
    )


def _plans(
    cells: Cells, answer: EffectiveLength, tested: FitWithTest | None, seed: int
) -> Iterator[_Plan]:
    curve = plot_options(tested, seed=seed)
    yield _Plan(
        "decay",
        "Accuracy by length",
        describe_decay(answer, tested),
        lambda: plot_decay(cells, effective_length=answer, **curve),
    )
    if answer.beside:
        yield _Plan(
            "methods",
            "What each method says",
            describe_methods(answer),
            lambda: plot_methods(answer),
        )
    yield _Plan(
        "heatmap",
        f"Accuracy by {'task, ' if cells.grid.members else ''}length and depth",
        describe_heatmap(cells),
        lambda: plot_heatmap(cells, effective_length=answer),
    )
    if np.isfinite(cells.grid.depths).sum() > 1 and not cells.grid.members:
        yield _Plan(
            "depth",
            "Accuracy by depth",
            describe_depth(cells, tested),
            lambda: plot_depth(cells, **curve),
        )
    if tested is not None and tested.fails:
        yield _Plan(
            "residuals",
            "Where the curve does not fit",
            describe_residuals(tested),
            lambda: plot_residuals(tested.fit, goodness=tested.goodness),
        )
    if answer.quoted.masses:
        yield _Plan("masses", "Masses", describe_masses(answer), lambda: plot_masses(answer))


def _draw(figure: _Plan, *, name: str, folder: Path, plan: FigurePlan) -> FigureEntry:
    files = {suffix[1:]: f"{name}{suffix}" for suffix in plan.suffixes}
    drawn = figure.plot().figure
    for file in files.values():
        save_figure(drawn, folder / file)
    svg = ""
    if plan.inline:
        source = (folder / files["svg"]).read_text(encoding="utf-8")
        svg = inline_svg(source, name.replace("/", "-"), figure.text)
    return FigureEntry(figure.kind, figure.title, figure.text, files, svg)


def inline_svg(svg: str, identity: str, text: str) -> str:
    """Return an SVG file as an element of an HTML page.

    The prologue and the metadata go, identifiers get a prefix so that several figures can share
    a page, and the text that says what is to be seen is tied to the image.

    Parameters
    ----------
    svg : str
        A whole SVG file.
    identity : str
        Prefix of identifiers, unique in the page.
    text : str
        What the figure shows.

    Examples
    --------
    >>> print(inline_svg('<?xml version="1.0"?><svg><g id="a"/></svg>', "x", "T"))
    <svg role="img" aria-labelledby="x-text"><title id="x-text">T</title><g id="x-a"/></svg>
    """
    body = svg[svg.index("<svg") :].rstrip()
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    references = re.compile(r'(\bid="|href="#|url\(#)')
    body = re.sub(r"<[^>]+>", lambda tag: references.sub(rf"\g<1>{identity}-", tag[0]), body)
    head, closing, rest = body.partition(">")
    attributes = f'<svg role="img" aria-labelledby="{identity}-text"'
    title = f'<title id="{identity}-text">{escape(text)}</title>'
    return f"{head.replace('<svg', attributes, 1)}{closing}{title}{rest}"


def describe_decay(answer: EffectiveLength, tested: FitWithTest | None = None) -> str:
    """Say what the decay figure shows: every length of a few, else the ends and the extremes."""
    accuracy, n_lengths = answer.accuracy, answer.lengths.size
    shown = list(range(n_lengths))
    if n_lengths > MOST_POINTS_NAMED:
        shown = sorted({0, int(accuracy.argmax()), int(accuracy.argmin()), n_lengths - 1})
    points = ", ".join(f"{accuracy[i]:.2f} at {answer.lengths[i]}" for i in shown)
    more = f" (highest, lowest and both ends of {n_lengths})" if len(shown) < n_lengths else ""
    return (
        f"Accuracy, {answer.depth_in_words()}, by length in {answer.length_unit}: {points}{more}. "
        f"The threshold is {float(answer.applied_threshold):.4g}; the effective length is "
        f"{answer.quoted.display}.{_curve_in_decay(answer, tested)}"
    )


def _curve_in_decay(answer: EffectiveLength, tested: FitWithTest | None) -> str:
    estimate = next((e for e in answer.estimates if e.method == "curve"), None)
    if tested is None or estimate is None:
        return ""
    crossing = crossing_words(estimate, answer.length_unit)
    line = "dashed line, because it does not fit," if tested.fails else "line"
    bias = band_bias_words(answer.criterion.treatment)
    band = f"its band ({bias})" if bias else "its band"
    return f" The fitted curve, a {line} with {band}, crosses the threshold {crossing}."


def describe_methods(answer: EffectiveLength) -> str:
    """Say what the methods figure shows: every method's length, sets and likeliest outcome."""
    said = "; ".join(_said_by(estimate, answer) for estimate in (answer.quoted, *answer.beside))
    return (
        f"Effective length in {answer.length_unit} by every method, with its sets and, as sticks, "
        f"its masses: {said}."
    )


def _said_by(estimate: Estimate, answer: EffectiveLength) -> str:
    words = f"{NAMES[estimate.method]} {estimate.display}"
    if estimate.method == "curve" and answer.curve_fails:
        words += ", dashed because it does not fit"
    for interval in estimate.sets:
        words += f", {percent(interval.level)} {interval.kind} set {interval.display}"
    for kind, mass in list(estimate.masses.items())[:1]:
        likeliest = int(mass.argmax())
        label = outcome_label(likeliest, estimate.lengths, masses=True)
        words += f", most {kind} mass {mass[likeliest]:.0%} at {label}"
    return words


def describe_depth(cells: Cells, tested: FitWithTest | None) -> str:
    """Say what the depth figure shows: mean accuracy at the start, in the middle, at the end."""
    grid = cells.grid
    placed = np.flatnonzero(np.isfinite(grid.depths) & (grid.n_cases.sum(axis=0) > 0))
    picked = [placed[0], placed[np.abs(grid.depths[placed] - 0.5).argmin()], placed[-1]]
    labels = depth_labels(grid.depths)
    points = ", ".join(
        f"{grid.successes[:, i].sum() / grid.n_cases[:, i].sum():.2f} at {labels[i]}"
        for i in dict.fromkeys(picked)
    )
    curve = "" if tested is None else " Lines are the fitted curve with its band"
    curve += ", dashed because it does not fit." if tested and tested.fails else "." * bool(curve)
    return (
        "Accuracy by depth, 0 being the start of the context, for short to long contexts. Over "
        f"all lengths it is {points}.{curve}"
    )


def describe_residuals(tested: FitWithTest) -> str:
    """Say what the residual figure shows."""
    return (
        "Pearson residual of every cell: blue does better than the curve says, red worse. "
        f"Verdict: {verdict(tested.goodness)}."
    )


def describe_heatmap(cells: Cells) -> str:
    """Say what the heat map shows."""
    grid = cells.grid
    accuracy = grid.accuracy
    row, column = np.unravel_index(np.nanargmin(accuracy), accuracy.shape)
    place = f"length {grid.lengths[row]}"
    if grid.members:
        place = f"{grid.members[grid.member_codes[column]]}, {place}"
    if not np.isnan(grid.depths[column]):
        place += f", depth {depth_labels(grid.depths)[column]}"
    n_holes = int((grid.n_cases == 0).sum())
    holes = f" {n_holes} of {accuracy.size} cells have no scored trial." if n_holes else ""
    size = f"{counted(grid.lengths.size, 'length')} by {counted(grid.depths.size, 'depth')}"
    size += f" of {len(grid.members)} tasks" * bool(grid.members)
    return (
        f"Accuracy of {accuracy.size - n_holes} cells, {size}: from {np.nanmin(accuracy):.2f} to "
        f"{np.nanmax(accuracy):.2f}; the lowest is at {place}.{holes}"
    )


def describe_masses(answer: EffectiveLength) -> str:
    """Say what the masses figure shows."""
    estimate = answer.quoted
    parts = []
    for kind, mass in estimate.masses.items():
        shares = ", ".join(
            f"{outcome_label(outcome, estimate.lengths)} {share:.1%}"
            for outcome, share in enumerate(mass.tolist())
            if share >= SHARE_TO_MENTION
        )
        parts.append(f"{kind}: {shares}")
    return "Share of every outcome, which is not an interval. " + "; ".join(parts) + "."
