"""``lcstats read``: say what was found, and write it as one tidy table."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import read_results
from lcstats.cli.options import (
    ReadingOptions,
    json_option,
    output_option,
    paths_argument,
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

if TYPE_CHECKING:
    from lcstats.cells import Cells

GZIPPED = ".gz"
TABLE_SUFFIXES = (".csv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz")
MOST_FILES = 3
MOST_NAMED = 10


@define_command("read", "lcstats read results/ --score-threshold 7 -o trials.csv")
@paths_argument()
@reading_options
@output_option(
    "FILE", "Write the normalised table: .csv, .jsonl, also .gz, or .parquet.", required=False
)
@json_option
def command(reading: ReadingOptions, output: str | None, as_json: bool) -> None:
    """Say what was found in results files, and write it as one table.

    PATH is a file, a folder, a glob or - for standard input; .gz, .zst and .zip are opened. The
    format is recognised by content.
    """
    from lcstats.report.documents import read_document

    if output is not None:
        check_file(output, TABLE_SUFFIXES)
    results = read_results(reading)
    document = read_document(results, repeats=reading.repeats)
    if output is not None:
        write_table(results, output)
    if as_json:
        print_json({**document, "output": output})
        return
    print_notices(results.notices)
    for line in describe_reading(document):
        print_text(line)
    if output is not None:
        print_text(f"Written to {output}")


def write_table(results: Any, output: str) -> None:
    """Write the normalised table, of trials or of counts; the file appears whole or not at all."""
    from lcstats.cells import Cells
    from lcstats.readers import write_trials

    path = Path(output)
    is_gzipped = path.suffix.lower() == GZIPPED
    with whole_files(path.parent) as folder:
        plain = folder / (path.stem if is_gzipped else path.name)
        if isinstance(results, Cells):
            write_counts(results, plain)
        else:
            write_trials(results, plain)
        if is_gzipped:
            _gzip(plain, folder / path.name)


def _gzip(plain: Path, target: Path) -> None:
    """Put a file's gzip in its place, without the time in it: equal tables are equal bytes."""
    target.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    plain.unlink()


def write_counts(cells: "Cells", path: Path) -> None:
    """Write a table of counts that can be read again."""
    frame = cells.to_frame()[["model", "task", "length", "depth", "n_cases", "successes"]]
    unit = cells.grids[0].length_unit
    if unit != "tokens":
        frame = frame.assign(length_unit=unit)
    if path.suffix.lower() == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    elif path.suffix.lower() == ".jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        frame.to_parquet(path, index=False)


def describe_reading(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say what was found."""
    from lcstats.trials.wording import counted

    files, unit = document["files"], document["length_unit"]
    yield f"Format: {document['format']}, {counted(len(files), 'file')}"
    yield f"Files: {name_some(files, most=MOST_FILES)}"
    yield f"Models: {name_some(document['models'])}"
    yield f"Tasks: {name_some(document['tasks'])}"
    mapping = (f"{name} from {theirs!r}" for name, theirs in document["mapping"].items())
    yield f"Columns: {', '.join(mapping) or 'counts given as cells'}"
    yield f"Trials: {_trial_words(document)}"
    if document["n_unscored"]:
        statuses = document["unscored_by_status"].items()
        yield f"Unscored: {', '.join(f'{count} {status}' for status, count in statuses)}"
    yield f"Duplicates dropped: {document['n_duplicates']}"
    depths = name_some([f"{depth:.4g}" for depth in document["depths"]], most=40)
    yield f"Depths: {len(document['depths'])} ({depths})"
    if document["n_without_depth"]:
        yield f"Without depth: {counted(document['n_without_depth'], 'trial')}"
    if document["n_needles"]:
        yield f"Needles per trial: {', '.join(map(str, document['n_needles']))}"
    yield ""
    yield columns_of_text(_rows_by_length(document, unit))


def _trial_words(document: dict[str, Any]) -> str:
    from lcstats.trials.wording import counted

    if document["n_trials"] is None:
        return f"of an unknown number, {counted(document['n_means'], 'mean score')} only"
    return (
        f"{document['n_trials']} ({document['n_scored']} scored, {document['n_unscored']} "
        f"unscored), {counted(document['n_cases'], 'case')}"
        + (", counts only" if document["aggregate_only"] else "")
    )


def _rows_by_length(document: dict[str, Any], unit: str) -> Iterator[tuple[object, ...]]:
    if document["n_trials"] is None:
        yield f"length ({unit})", "means"
        yield from document["n_means_by_length"].items()
        return
    yield f"length ({unit})", "trials", "unscored"
    for length, count in document["n_trials_by_length"].items():
        yield length, count, document["unscored_by_length"].get(length, 0)


def name_some(names: list[str], *, most: int = MOST_NAMED) -> str:
    """Name the first few of a list, and count the rest.

    Examples
    --------
    >>> name_some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more
