"""``lcstats simulate``: a table of trials from a built-in truth."""

import click

from lcstats.cli.commands import define_command
from lcstats.cli.options import json_option, output_option
from lcstats.cli.output import check_file, print_json, print_notices, print_text
from lcstats.cli.parameters import DEPTHS, LENGTHS
from lcstats.cli.read import TABLE_SUFFIXES, write_table


@define_command(
    "simulate",
    "lcstats simulate --truth single-needle --lengths 4K..128K --depths 11 --trials 20 --seed 1 "
    "-o trials.csv",
)
@click.option(
    "--truth",
    default="single-needle",
    show_default=True,
    metavar="NAME",
    help="Built-in truth; a wrong name lists them all.",
)
@click.option(
    "--lengths",
    type=LENGTHS,
    default="1K..128K",
    show_default=True,
    metavar="L,L,...|L..L",
    help="Lengths in tokens; a range doubles; K = 1024.",
)
@click.option(
    "--depths",
    type=DEPTHS,
    default="11",
    show_default=True,
    metavar="N|D,D,...",
    help="Number of evenly spaced depths, ends included, or fractions.",
)
@click.option(
    "--trials",
    "n_trials",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Trials per cell.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Equal seeds give equal tables.",
)
@output_option("FILE", "Where to: .csv, .jsonl, also .gz, or .parquet.")
@json_option
def command(
    truth: str,
    lengths: tuple[int, ...],
    depths: tuple[float, ...],
    n_trials: int,
    seed: int,
    output: str,
    as_json: bool,
) -> None:
    """Make a table of trials from a truth whose accuracies are known."""
    from lcstats.report.documents import list_warnings
    from lcstats.trials.wording import counted
    from lcstats.truths import simulate_trials

    check_file(output, TABLE_SUFFIXES)
    trials = simulate_trials(truth, lengths, depths, n_trials=n_trials, seed=seed)
    write_table(trials, output)
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "output": output,
                "truth": truth,
                "n_trials": trials.n_trials,
                "lengths": lengths,
                "depths": depths,
                "trials_per_cell": n_trials,
                "seed": seed,
                "warnings": list_warnings(trials.notices),
            }
        )
        return
    print_notices(trials.notices)
    print_text(
        f"{counted(trials.n_trials, 'simulated trial')} of {truth}: "
        f"{counted(len(lengths), 'length')}, {counted(len(depths), 'depth')}, {n_trials} per cell, "
        f"seed {seed}"
    )
    print_text(f"Written to {output}")
