"""``lcstats rescore``: score the outputs of a sweep again, without sending anything."""

from dataclasses import asdict

import click

from lcstats.cli.commands import define_command
from lcstats.cli.options import json_option, output_option, scoring_option
from lcstats.cli.output import check_file, print_json, print_text


@define_command("rescore", "lcstats rescore trials.jsonl --scoring contains -o lenient.jsonl")
@click.argument("path", metavar="PATH")
@scoring_option
@output_option("FILE", "Where the rescored trials go: .jsonl.")
@json_option
def command(path: str, scoring: str, output: str, as_json: bool) -> None:
    """Score the outputs of a sweep again, without sending anything.

    Failed requests and cut prompts stay what they were.
    """
    from lcstats.runner.rescore import rescore
    from lcstats.trials.wording import counted

    check_file(output, (".jsonl",))
    done = rescore(path, output, strictness=scoring)  # type: ignore[arg-type]
    if as_json:
        print_json({"schema_version": 1, **asdict(done), "output": str(done.output)})
        return
    print_text(
        f"{counted(done.n_trials, 'trial')}, {done.n_scored} scored: {done.n_changed} changed, "
        f"{done.n_up} up and {done.n_down} down"
    )
    print_text(f"Written to {done.output}")
