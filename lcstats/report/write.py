"""``write_report``: the door of this room. It orders the work; the others do it."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from lcstats.cells import Cells, Results, average_tasks, count_cells
from lcstats.errors import LcstatsWarning, Notice, announce
from lcstats.lengths import Criterion
from lcstats.options import check_type
from lcstats.records import SCHEMA_VERSION
from lcstats.report.contents import (
    GroupContent,
    Request,
    build_group,
    fit_if_wanted,
    length_table,
    mass_table,
    pattern_table,
    summary_table,
)
from lcstats.report.documents import (
    effective_length_document,
    fit_document,
    list_warnings,
    needles_document,
    read_document,
    to_json,
)
from lcstats.report.figures import FigurePlan
from lcstats.report.fits import coefficient_table, each_group
from lcstats.report.folder import MANIFEST, build_folder, list_files
from lcstats.report.methods_text import Methods, describe_methods
from lcstats.report.needles import NeedleContent, analyze_tasks
from lcstats.report.pages import render_page
from lcstats.report.patterns import patterns_document
from lcstats.report.settings import ReportSettings, list_settings
from lcstats.report.slugs import slugs_of
from lcstats.report.spec_sheet import SpecSheet, group_by_model, spec_sheet_document, spec_table
from lcstats.report.tables import latex_table, markdown_table
from lcstats.report.timings import find_timings

PAGE = "index.html"
MARKDOWN = "report.md"
REFERENCES = "references.bib"

SUMMARY_CAPTION = "Effective length by method and depth treatment, each with its set."
SPEC_CAPTION = "Spec sheet: effective length under the bar of each kind of task."
PATTERN_CAPTION = "Patterns looked for, with one-sided p-values and Holm's correction."


@dataclass(frozen=True, slots=True, eq=False)
class ReportContent:
    """Everything that the pages of a report say.

    Attributes
    ----------
    groups : tuple of GroupContent
    read : mapping
        The ``read`` object.
    settings : mapping
        Every setting by name.
    origin : str
        Where the results come from, in words; may be empty.
    level : float
    notices : tuple of Notice
        Notices on the table as a whole.
    bars : mapping of str to float
        Threshold of the spec sheet by kind of task.
    needles : NeedleContent
        Tasks of several needles.
    """

    groups: tuple[GroupContent, ...]
    read: dict[str, Any]
    settings: dict[str, Any]
    origin: str
    level: float
    notices: tuple[Notice, ...]
    bars: Mapping[str, float]
    needles: NeedleContent

    @property
    def sheets(self) -> tuple[SpecSheet, ...]:
        """The spec sheets, one per language model."""
        return group_by_model([group.sheet for group in self.groups])

    @property
    def methods(self) -> Methods:
        """What the methods section of a paper would say, with references."""
        return describe_methods(self.settings, self.bars, self.level)


def write_report(
    results: Results,
    directory: str | os.PathLike[str],
    *,
    criterion: Criterion,
    level: float = 0.95,
    settings: ReportSettings | None = None,
) -> Path:
    """Write a report: a page that opens from disk, figures, tables and JSON beside it.

    The page begins, for every (model, task), with task, threshold, depth treatment, effective
    length and set, unscored trials and warnings; the worst depth stands beside a mean over
    depths. Equal results and settings give byte-identical files.

    Parameters
    ----------
    results : Trials or Cells
        Of one or several language models and tasks.
    directory : path-like
        Made if it does not exist. In the folder of an earlier report that report's files are
        replaced; a folder that holds other things is refused.
    criterion : Criterion
    level : float
        Level of the sets, in (0, 1).
    settings : ReportSettings, optional
        Everything else that can be asked for.

    Returns
    -------
    Path
        The page, ``index.html``. Beside it: ``report.json``, ``report.md``, ``figures/`` (SVG,
        PDF, PNG) and ``tables/`` (CSV).

    Raises
    ------
    TableError
        If no trial is scored.
    OptionError
        If the folder holds other things, or an option is out of range. Nothing is written then.

    Warns
    -----
    LcstatsWarning
        Every notice on the answers under `criterion`, once; the page has all of them.

    Examples
    --------
    >>> import json, tempfile
    >>> from lcstats.cells import Cells
    >>> successes = [[20, 19, 20], [17, 15, 19], [9, 4, 12]]
    >>> cells = Cells.from_counts([4096, 8192, 16384], [0, 0.5, 1], n_cases=20, successes=successes)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(cells, folder, criterion=Criterion(0.85))
    ...     report = json.loads(page.with_name("report.json").read_text())
    >>> report["effective_length"]["groups"][0]["estimates"][0]["display"]
    '8192'
    """
    settings = settings or ReportSettings()
    folder = Path(directory)
    with build_folder(folder) as aside:
        content = _build_content(results, criterion, level=level, settings=settings, folder=aside)
        _write_tables(content, aside)
        _write_pages(content, aside)
    announce(dict.fromkeys(n for group in content.groups for n in group.answer.notices))
    return folder / PAGE


def _build_content(
    results: Results,
    criterion: Criterion,
    *,
    level: float,
    settings: ReportSettings,
    folder: Path,
) -> ReportContent:
    """Analyse every group and draw its figures, in silence: the pages carry the notices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        cells = count_cells(results, repeats=settings.repeats, axis=settings.axis)
        if settings.average_tasks:
            cells = average_tasks(cells)
        check_type(criterion, Criterion, "criterion")
        settings.check_names(cells.models, _task_names(cells))
        request = Request(
            results=results,
            criterion=criterion,
            level=level,
            settings=settings,
            folder=folder,
            plan=FigurePlan.of(len(cells), settings.seed),
            timings=find_timings(results),
        )
        slugs = slugs_of([(grid.model, grid.task) for grid in cells.grids])
        fits = each_group(cells, lambda group: fit_if_wanted(group, criterion, settings=settings))
        groups = tuple(
            build_group(group, tested, slug=slug, request=request)
            for group, tested, slug in zip(cells, fits, slugs, strict=True)
        )
        needles = analyze_tasks(results, criterion, level=level, settings=settings)
    return ReportContent(
        groups=groups,
        read=read_document(results, repeats=settings.repeats),
        settings=list_settings(settings, criterion, level=level, reading=cells.reading),
        origin=settings.origin,
        level=level,
        notices=tuple(dict.fromkeys((*cells.notices, *needles.notices))),
        bars={kind: float(bar) for kind, bar in settings.bars.items()},
        needles=needles,
    )


def _task_names(cells: Cells) -> list[str]:
    """Name the tasks, those that were averaged among them."""
    names = (name for grid in cells.grids for name in (grid.task, *grid.members))
    return list(dict.fromkeys(names))


def report_document(content: ReportContent, files: Sequence[str]) -> dict[str, Any]:
    """Return the object of ``report.json``; what later analyses bring is null."""
    answers = [group.answer for group in content.groups]
    others = [group.other for group in content.groups if group.other]
    return {
        "schema_version": SCHEMA_VERSION,
        "source": {
            "origin": content.origin or None,
            "format": content.read["format"],
            "files": content.read["files"],
        },
        "settings": content.settings,
        "read": content.read,
        "fit": _fit_document(content),
        "effective_length": effective_length_document(answers, content.notices),
        "other_depth_treatment": effective_length_document(others, content.notices),
        "needles": _needles_document(content),
        "spec_sheet": spec_sheet_document(content.sheets, content.bars),
        "patterns": patterns_document(
            {(g.answer.model, g.answer.task): g.patterns for g in content.groups}, content.level
        ),
        "files": list(files),
        "warnings": list_warnings(content.notices)
        + [
            {**notice.to_dict(), "model": group.answer.model, "task": group.answer.task}
            for group in content.groups
            for notice in group.notices
        ],
    }


def _needles_document(content: ReportContent) -> dict[str, Any] | None:
    """Return the ``needles`` object, or None where no task asks for several."""
    analyses = content.needles.analyses
    return needles_document(analyses, content.notices) if analyses else None


def _fit_document(content: ReportContent) -> dict[str, Any] | None:
    """Return the ``fit`` object, or None where no group has a curve."""
    tested = [group.tested for group in content.groups if group.tested]
    if not tested:
        return None
    return fit_document(tested, content.notices)


def _write_tables(content: ReportContent, folder: Path) -> None:
    tables, groups = folder / "tables", content.groups
    tables.mkdir()
    _write_table(summary_table(groups), tables / "effective-lengths", SUMMARY_CAPTION)
    _write_table(spec_table(content.sheets), tables / "spec-sheet", SPEC_CAPTION)
    _write_table(pattern_table(groups), tables / "patterns", PATTERN_CAPTION)
    for group in groups:
        _write_csv(group.cells.to_frame(), tables / f"{group.slug}-cells.csv")
        _write_csv(length_table(group.answer), tables / f"{group.slug}-lengths.csv")
        _write_csv(group.sheet.decay, tables / f"{group.slug}-decay.csv")
        _write_csv(mass_table(group.answer), tables / f"{group.slug}-masses.csv")
        if group.tested:
            _write_csv(coefficient_table(group.tested.fit), tables / f"{group.slug}-curve.csv")


def _write_table(table: pd.DataFrame, path: Path, caption: str) -> None:
    """Write a table as CSV in full, and as LaTeX and Markdown with four digits."""
    _write_csv(table, path.with_suffix(".csv"))
    _write_text(path.with_suffix(".tex"), latex_table(table, caption, label=f"tab:{path.name}"))
    _write_text(path.with_suffix(".md"), markdown_table(table, caption))


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    _write_text(path, table.to_csv(index=False, lineterminator="\n"))


def _write_pages(content: ReportContent, folder: Path) -> None:
    _write_text(folder / REFERENCES, content.methods.bibtex)
    files = sorted({*list_files(folder), PAGE, MARKDOWN, MANIFEST})
    _write_text(folder / PAGE, render_page("report.html.j2", content=content, files=files))
    _write_text(folder / MARKDOWN, render_page("report.md.j2", content=content, files=files))
    _write_text(folder / MANIFEST, to_json(report_document(content, files)) + "\n")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
