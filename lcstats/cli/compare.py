"""``lcstats compare``: language models on the same cases, and a gate on a change."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lcstats.cli.commands import define_command
from lcstats.cli.compare_options import CompareOptions, compare_options
from lcstats.cli.inputs import read_results
from lcstats.cli.options import (
    CriterionOptions,
    ReadingOptions,
    bar_options,
    json_option,
    reading_options,
)
from lcstats.cli.output import (
    check_file,
    columns_of_text,
    print_json,
    print_notices,
    print_text,
    whole_files,
)
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.cells import Results
    from lcstats.comparison import Comparison, SeveralComparison, TaskComparison

GATE_STOPS = 1
"""Exit code of a gate that stops the change."""

SHOWN_PLACES = 12
"""Lengths or depths of a table for people; --json has them all."""


@define_command(
    "compare",
    "lcstats compare old.jsonl new.jsonl --margin 0.02 --gate regression --junit gate.xml",
)
@click.argument("paths", metavar="OLD NEW...", nargs=-1, required=True)
@compare_options
@bar_options
@reading_options
@json_option
def command(
    asked: CompareOptions, bar: CriterionOptions, reading: ReadingOptions, as_json: bool
) -> None:
    """Compare language models, or versions of one, on the cases that both were scored on.

    OLD and NEW are files, folders or globs; one file may hold both. With more than two language
    models every pair is compared, or each with --reference.
    """
    _check_outputs(asked)
    _check_inputs(reading.paths)
    tables = [_read(path, asked, reading) for path in reading.paths]
    if _wants_several(tables, asked):
        _compare_several(tables, asked, reading, as_json=as_json)
        return
    from lcstats.comparison import compare

    old, new = _sides(tables, asked)
    comparison = compare(
        old,
        new,
        margin=asked.margin,
        level=asked.level,
        gate=asked.gate,
        repeats=reading.repeats,
        criterion=bar.criterion(),
    )
    found = tuple(dict.fromkeys(notice for table in tables for notice in table.notices))
    comparison = replace(comparison, notices=(*found, *comparison.notices))
    _write_files(comparison, asked)
    if as_json:
        print_json(comparison.to_dict())
    else:
        print_notices(comparison.notices)
        for line in describe_comparison(comparison):
            print_text(line)
    if comparison.gate is not None and comparison.gate.stops:
        raise click.exceptions.Exit(GATE_STOPS)


def _check_outputs(asked: CompareOptions) -> None:
    for path, suffix, flag in (
        (asked.junit, ".xml", "--junit"),
        (asked.markdown, ".md", "--markdown"),
    ):
        if path is not None:
            check_file(path, (suffix,), flag=flag)


def _check_inputs(paths: tuple[str, ...]) -> None:
    if paths.count("-") > 1:
        raise OptionError(
            describe(
                "standard input is named twice",
                "expected it at most once: it can be read only once",
                "write one of the tables to a file; or, if it holds both, name - once with "
                "--old-model and --new-model",
            )
        )


def _read(path: str, asked: CompareOptions, reading: ReadingOptions) -> "Results":
    from lcstats.comparison.restrict import restrict

    lengths, depths = asked.slice()
    return restrict(read_results(replace(reading, paths=(path,))), lengths, depths)


def _wants_several(tables: "list[Results]", asked: CompareOptions) -> bool:
    if asked.old_model is not None or asked.new_model is not None:
        return False
    alone = len(tables) == 1 and len(tables[0].models) > 2
    return asked.reference is not None or len(tables) > 2 or alone


def _sides(tables: "list[Results]", asked: CompareOptions) -> "tuple[Results, Results]":
    """Return the results of the old and of the new language model."""
    if len(tables) > 2:
        raise OptionError(
            describe(
                f"{len(tables)} paths are given with --old-model or --new-model",
                "expected OLD and NEW, or one path that holds both",
                "leave the flags out to compare every pair",
            )
        )
    old_model, new_model = asked.old_model, asked.new_model
    if len(tables) == 1:
        old_model, new_model = _both_named(tables[0].models, old_model, new_model)
    named = zip((tables[0], tables[-1]), (old_model, new_model), strict=True)
    old, new = (table if name is None else table.select(model=name) for table, name in named)
    return old, new


def _both_named(models: tuple[str, ...], old: str | None, new: str | None) -> tuple[str, str]:
    """Return both names for a single file; with two language models one name gives the other."""
    others = [model for model in models if model not in (old, new)]
    if len(models) == 2 and len(others) == 1:
        old, new = old or others[0], new or others[0]
    if old is None or new is None:
        raise OptionError(
            describe(
                f"one path is given, with the language models {', '.join(models)}",
                "expected to be told which is the old one and which the new",
                f"add --old-model {models[0]} --new-model {models[-1]}, say"
                if len(models) > 1
                else "add the results of the other as a second path",
            )
        )
    return old, new


def _compare_several(
    tables: "list[Results]", asked: CompareOptions, reading: ReadingOptions, *, as_json: bool
) -> None:
    from lcstats.comparison import compare_models

    _refuse_on_several(asked)
    several = compare_models(
        tables,
        reference=asked.reference,
        margin=asked.margin,
        level=asked.level,
        repeats=reading.repeats,
    )
    if as_json:
        print_json(several.to_dict())
        return
    print_notices((*(n for table in tables for n in table.notices), *several.notices))
    for line in describe_several(several):
        print_text(line)


def _refuse_on_several(asked: CompareOptions) -> None:
    """Refuse flags that are of one change, instead of ignoring them."""
    flags = {"--gate": asked.gate, "--junit": asked.junit, "--markdown": asked.markdown}
    given = [flag for flag, value in flags.items() if value is not None]
    given += _criterion_flags()
    if not given:
        return
    among = "--reference" if asked.reference is not None else "more than two language models"
    raise OptionError(
        describe(
            f"{given[0]} is given with {among}",
            "expected an old and a new one: gates, reports and shifts are of one change",
            "run 'lcstats compare OLD NEW' for each, or name --old-model and --new-model",
        )
    )


def _criterion_flags() -> Iterator[str]:
    """Yield the flags of a criterion that were written on the command line."""
    ctx = click.get_current_context()
    for field in fields(CriterionOptions):
        if ctx.get_parameter_source(field.name) is click.core.ParameterSource.COMMANDLINE:
            yield f"--{field.name.replace('_', '-')}"


def _write_files(comparison: "Comparison", asked: CompareOptions) -> None:
    from lcstats.comparison.junit import junit_xml
    from lcstats.comparison.summary import markdown_summary

    for path, make in ((asked.junit, junit_xml), (asked.markdown, markdown_summary)):
        if path is not None:
            with whole_files(Path(path).parent) as folder:
                (folder / Path(path).name).write_text(make(comparison), encoding="utf-8")


def describe_comparison(comparison: "Comparison") -> Iterator[str]:
    """Yield the lines that say a comparison, fit to be read aloud."""
    for group in comparison.groups:
        yield comparison.sentence_on(group)
        yield from _tables(group)
        yield from _lengths_lines(group)
    if comparison.pooled is not None:
        yield f"All tasks, pooled over their pairs: {comparison.pooled.words()}."
    if comparison.gate is not None:
        yield comparison.gate.sentence()


def _lengths_lines(group: "TaskComparison") -> Iterator[str]:
    """Say how far the effective length moved, by every method, and whether curves are equal."""
    for shift in group.effective_length_shift.values():
        yield f"{shift.task}: {shift.sentence()}."
    for test in group.curve_tests.values():
        yield f"{group.task}: {test.sentence()}."


def _tables(group: "TaskComparison") -> Iterator[str]:
    from lcstats.comparison.summary import HEADS, numbers_of

    for axis, slices in (("length", group.by_length), ("depth", group.by_depth)):
        if 1 < len(slices) <= SHOWN_PLACES:
            rows = [
                [
                    f"{each.place:g}" if axis == "depth" else str(each.place),
                    *numbers_of(each.contrast),
                ]
                for each in slices
            ]
            yield ""
            yield columns_of_text([[axis, *HEADS[2:-1]], *rows])
            yield ""


def describe_several(several: "SeveralComparison") -> Iterator[str]:
    """Yield the lines that say every comparison and, of every pair, who is tied with whom."""
    for comparison in several.comparisons:
        for group in comparison.groups:
            yield comparison.sentence_on(group, n_tests=several.n_tests)
    yield ""
    rows = [["task", "language model", "accuracy", "rank"]]
    rows += [[r.task, r.model, f"{r.accuracy:.3g}", r.letters or "-"] for r in several.ranking]
    yield columns_of_text(rows)
    if several.reference is None:
        yield "Language models of a task that share a letter are not shown to differ."
