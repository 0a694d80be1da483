"""The figures of a report: drawn once, kept as files, and put into the page as inline SVG."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import escape

from lcstats.cells import Cells
from lcstats.lengths import EffectiveLength, outcome_label
from lcstats.plots import length_label, plot_decay, plot_heatmap, plot_masses, save_figure

SUFFIXES = (".svg", ".pdf", ".png")
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
        The figure as an element of the page.
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


def draw_figures(
    cells: Cells, answer: EffectiveLength, *, slug: str, folder: Path
) -> tuple[FigureEntry, ...]:
    """Draw every figure of one group into ``folder/figures``."""
    (folder / "figures").mkdir(exist_ok=True)
    return tuple(
        _draw(plan, name=f"figures/{slug}-{plan.kind}", folder=folder)
        for plan in _plans(cells, answer)
    )


def _plans(cells: Cells, answer: EffectiveLength) -> Iterator[_Plan]:
    yield _Plan(
        "decay",
        "Accuracy by length",
        describe_decay(answer),
        lambda: plot_decay(cells, effective_length=answer),
    )
    yield _Plan(
        "heatmap",
        "Accuracy by length and depth",
        describe_heatmap(cells),
        lambda: plot_heatmap(cells, effective_length=answer),
    )
    if answer.observed.masses:
        yield _Plan("masses", "Masses", describe_masses(answer), lambda: plot_masses(answer))


def _draw(plan: _Plan, *, name: str, folder: Path) -> FigureEntry:
    files = {suffix[1:]: f"{name}{suffix}" for suffix in SUFFIXES}
    figure = plan.plot().figure
    for file in files.values():
        save_figure(figure, folder / file)
        # The layout of the first format holds for all: finding it takes as long as drawing.
        figure.set_layout_engine("none")
    svg = (folder / files["svg"]).read_text(encoding="utf-8")
    identity = name.replace("/", "-")
    return FigureEntry(
        plan.kind, plan.title, plan.text, files, inline_svg(svg, identity, plan.text)
    )


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


def describe_decay(answer: EffectiveLength) -> str:
    """Say what the decay figure shows: every length of a few, else the ends and the extremes."""
    accuracy, n_lengths = answer.accuracy, answer.lengths.size
    shown = list(range(n_lengths))
    if n_lengths > MOST_POINTS_NAMED:
        shown = sorted({0, int(accuracy.argmax()), int(accuracy.argmin()), n_lengths - 1})
    points = ", ".join(
        f"{accuracy[i]:.2f} at {length_label(answer.lengths[i], answer.length_unit)}" for i in shown
    )
    more = f" (highest, lowest and both ends of {n_lengths})" if len(shown) < n_lengths else ""
    return (
        f"Accuracy, {answer.depth_in_words()}, by length in {answer.length_unit}: {points}{more}. "
        f"The threshold is {float(answer.applied_threshold):.4g}; the effective length is "
        f"{answer.observed.display}."
    )


def describe_heatmap(cells: Cells) -> str:
    """Say what the heat map shows."""
    grid = cells.grid
    accuracy = grid.accuracy
    row, column = np.unravel_index(np.nanargmin(accuracy), accuracy.shape)
    depth = grid.depths[column]
    place = f"length {grid.lengths[row]}" + ("" if np.isnan(depth) else f", depth {depth:.3g}")
    n_holes = int((grid.n_cases == 0).sum())
    holes = f" {n_holes} of {accuracy.size} cells have no data." if n_holes else ""
    return (
        f"Accuracy of {accuracy.size - n_holes} cells, {grid.lengths.size} lengths by "
        f"{grid.depths.size} depths: from {np.nanmin(accuracy):.2f} to {np.nanmax(accuracy):.2f}; "
        f"the lowest is at {place}.{holes}"
    )


def describe_masses(answer: EffectiveLength) -> str:
    """Say what the masses figure shows."""
    estimate = answer.observed
    parts = []
    for kind, mass in estimate.masses.items():
        shares = ", ".join(
            f"{outcome_label(outcome, estimate.lengths)} {share:.0%}"
            for outcome, share in enumerate(mass.tolist())
            if share >= SHARE_TO_MENTION
        )
        parts.append(f"{kind}: {shares}")
    return "Share of every outcome, which is not an interval. " + "; ".join(parts) + "."
