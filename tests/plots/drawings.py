"""Designs that figures have to cope with, and ways to look at what was drawn."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np

from lcstats.cells import Cells
from lcstats.curve import Curve
from lcstats.errors import LcstatsWarning
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.plots.fonts import quiet_about_fonts, spell_out

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)
NAME = "モデル七_$x^2$-a_very_long_name/with-organisation_and$dollars$_2026-08-01-preview-Q4_K_M"


def answer_of(cells: Cells, **options: object) -> EffectiveLength:
    """Return the effective length without its warnings, which other tests are about."""
    arguments = {"threshold": 0.85} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return effective_length(cells, Criterion(**arguments))


def simulated(lengths=LENGTHS, depths=DEPTHS, *, n_cases=20, lift=0.0, **names: str) -> Cells:
    """Cells of the curve, `lift` higher in accuracy, rounded so that no seed is needed."""
    curve = Curve(4.2, 0.30, 1.9, 0.6)
    accuracy = np.clip(curve.accuracy(lengths, np.nan_to_num(depths, nan=1.0)) + lift, 0, 1)
    successes = np.rint(accuracy * n_cases).astype(int)
    return Cells.from_counts(lengths, depths, n_cases=n_cases, successes=successes, **names)


def with_unscored(cells: Cells, unscored: dict[int, dict[str, int]]) -> Cells:
    return replace(cells, grids=(replace(cells.grid, unscored=unscored),))


def ragged() -> Cells:
    """Five cells all right, one without data, three all wrong; 32K asked for and never scored."""
    cells = Cells.from_counts(
        [4096, 8192, 16384],
        [0.0, 0.5, 1.0],
        n_cases=[[2, 2, 2], [2, 0, 2], [2, 2, 2]],
        successes=[[2, 2, 2], [2, 0, 2], [0, 0, 0]],
    )
    return with_unscored(cells, {8192: {"error": 2}, 32768: {"timeout": 6}})


DESIGNS = {
    "doublings": simulated(),
    "hole": ragged(),
    "one length": simulated(LENGTHS[3:4]),
    "one depth": simulated(depths=[0.5], n_cases=50),
    "no depth, documents": simulated(
        np.array([10, 20, 30, 50, 75, 100, 200, 500]),
        [np.nan],
        n_cases=100,
        length_unit="documents",
    ),
    "below": simulated(lift=-0.3),
    "beyond": simulated(lift=0.5),
    "not doublings": simulated(np.array([1000, 2500, 5000, 10000, 18559, 64000, 128000, 200000])),
    "many": simulated(np.linspace(1000, 200000, 35).astype(int), np.linspace(0, 1, 35), n_cases=1),
    "names": simulated(model=NAME, task="重_$task$\nof two lines"),
}

DESIGNS_AND_WIDTHS = [(design, "single") for design in DESIGNS] + [
    (design, "double") for design in ("hole", "no depth, documents", "many", "names")
]


def drawn_texts(ax):
    """Words of a figure as PNG and PDF show them, with their boxes."""
    figure = ax.figure
    with quiet_about_fonts():
        figure.draw_without_rendering()
    texts = [title for axes in figure.axes for title in (axes.title, axes._left_title)]
    texts += [*figure.texts, *(text for key in figure.legends for text in key.get_texts())]
    for axes in figure.axes:
        texts += axes.texts
        for axis in (axes.xaxis, axes.yaxis):
            texts += [axis.label, *(tick.label1 for tick in axis._update_ticks())]
            texts += [tick.label2 for tick in axis._update_ticks()]
        if axes.get_legend():
            texts += axes.get_legend().get_texts()
    seen = [text for text in texts if text.get_visible() and text.get_text().strip()]
    for text in seen:
        text.set_text(spell_out(text))
    return [(text.get_text(), text.get_window_extent()) for text in seen]


def clipped_and_overlapping(ax) -> tuple[list[str], list[tuple[str, str]]]:
    """Words that leave the figure, and pairs of words of which one lies on the other."""
    figure_box = ax.figure.bbox
    texts = drawn_texts(ax)
    slack = 1.0
    clipped = [
        words
        for words, box in texts
        if box.x0 < figure_box.x0 - slack
        or box.y0 < figure_box.y0 - slack
        or box.x1 > figure_box.x1 + slack
        or box.y1 > figure_box.y1 + slack
    ]
    overlapping = [
        (one, other)
        for (one, a), (other, b) in combinations(texts, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > slack and min(a.y1, b.y1) - max(a.y0, b.y0) > slack
    ]
    return clipped, overlapping
