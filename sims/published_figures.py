"""Figures of the worked example: the tasks' curves, and how often a sweep lands on the truth."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lcstats.plots import save_figure
from lcstats.plots.style import figure_style, palette
from lcstats.truths import SINGLE_NEEDLE, TASKS
from sims.coverage_simulation import DEPTHS, LENGTHS
from sims.published_study import CASES, THRESHOLD, Outcome

TASK_COLORS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#CC79A7")
SHARE_COLORS = ("#0072B2", "#A6C8E0", "#D55E00")
LABELS = ("hit", "one doubling off", "further")


def draw_curves(path: Path) -> None:
    """Draw every task's depth mean by length, and the single needle by depth at three lengths."""
    with figure_style():
        figure = Figure(figsize=(6.9, 2.6), layout="constrained")
        by_length, by_depth = figure.subplots(1, 2, width_ratios=(3, 2))
        _draw_tasks(by_length)
        _draw_depths(by_depth)
        figure.legend(loc="outside lower center", ncols=4)
        save_figure(figure, path)


def draw_study(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw the shares of simulated tables that hit the true length, or miss by how much."""
    with figure_style():
        figure = Figure(figsize=(6.9, 2.4), layout="constrained")
        axes = figure.subplots(1, len(TASKS), sharey=True)
        for ax, truth in zip(axes, TASKS, strict=True):
            _draw_shares(ax, [outcome for outcome in outcomes if outcome.task == truth.name])
            ax.set_title(truth.name, loc="center")
        axes[0].set_ylabel("Share of tables")
        axes[len(TASKS) // 2].set_xlabel("Cases per cell")
        handles = axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=3)
        save_figure(figure, path)


def _draw_tasks(ax: Axes) -> None:
    lengths = np.geomspace(LENGTHS[0], LENGTHS[-1], 97)
    for truth, color in zip(TASKS, TASK_COLORS, strict=True):
        mean = truth.accuracy(lengths, DEPTHS).mean(axis=1)
        ax.plot(lengths, mean, color=color, label=truth.name)
    ax.axhline(THRESHOLD, color=palette().bar, linestyle="--", label=f"threshold {THRESHOLD}")
    ax.set_xscale("log", base=2)
    ax.set_xticks(LENGTHS, [f"{length // 1024}K" for length in LENGTHS], minor=False)
    ax.set_ylim(0, 1)
    ax.set_xlabel("Context length (tokens)")
    ax.set_ylabel("Accuracy, mean over depths")


def _draw_depths(ax: Axes) -> None:
    depths = np.linspace(0, 1, 101)
    for length, style in zip(LENGTHS[[3, 5, 7]], (":", "--", "-"), strict=True):
        accuracy = SINGLE_NEEDLE.accuracy([length], depths)[0]
        name = f"single-needle at {length // 1024}K"
        ax.plot(depths, accuracy, linestyle=style, color=TASK_COLORS[0], label=name)
    ax.set_ylim(0, 1)
    ax.set_xlabel("Depth (0 = start, 1 = end)")


def _draw_shares(ax: Axes, outcomes: Sequence[Outcome]) -> None:
    shares = np.array([outcome.shares for outcome in outcomes])
    bottom = np.zeros(len(outcomes))
    for column, (color, label) in enumerate(zip(SHARE_COLORS, LABELS, strict=True)):
        ax.bar(range(len(outcomes)), shares[:, column], bottom=bottom, color=color, label=label)
        bottom += shares[:, column]
    ax.set_xticks(range(len(outcomes)), list(map(str, CASES)))
    ax.set_ylim(0, 1)
