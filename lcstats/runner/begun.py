"""Beginning a sweep, or going on with one: which file, which design, which stage."""

import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.records import SCHEMA_VERSION
from lcstats.runner.design import Design, key_of_row
from lcstats.runner.ledger import TRY_AGAIN, read_rows, read_trial_rows
from lcstats.runner.manifest import (
    Manifest,
    installed_versions,
    read_manifest,
    refuse_changes,
)
from lcstats.runner.received import Calibration
from lcstats.runner.replies import Backend
from lcstats.runner.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """A sweep that can be run.

    Attributes
    ----------
    output : Path
    design : Design
        At its stage.
    manifest : dict
        The record beside the file, without the calibration.
    calibration : Calibration or None
        That of the first run; None for a new sweep.
    """

    output: Path
    design: Design
    manifest: Manifest
    calibration: Calibration | None


def begin(
    backend: Backend, design: Design, output: Path, settings: Settings, *, resume: bool
) -> Begun:
    """Begin a sweep, or go on with one.

    A design of stage 0 has to be the one that the file was begun with. One of a later stage is
    added to what is there: it goes on with the last one if that is the same and not yet done. The
    trials of a plan are added once, however often it is given.

    Raises
    ------
    OptionError
        If the file is there and was not to be, or was begun with another design or settings.
    """
    _check_place(output)
    now = _describe(backend, settings)
    before = read_manifest(output)
    if not _holds_anything(output, is_ours=before is not None):
        first = _plain([design.to_dict()])
        return Begun(output, design, {**now, "stages": first}, None)
    if not resume:
        raise OptionError(
            describe(
                f"{output} is there already",
                "expected a new file",
                "pass resume=True (--resume) to go on with it, or name another with -o",
            )
        )
    if before is None:
        raise OptionError(
            describe(
                f"{output} has no record beside it",
                "expected the .manifest.json that 'lcstats run' wrote",
                "bring it back, or name another file with -o",
            )
        )
    refuse_changes(output, before, _plain(now))
    staged = _at_stage(design, before["stages"], output)
    stages = {stage["stage"]: stage for stage in before["stages"]}
    stages[staged.stage] = _plain(staged.to_dict())
    manifest = {**now, "stages": list(stages.values())}
    calibration = before.get("calibration")
    return Begun(output, staged, manifest, calibration and Calibration(**calibration))


def _at_stage(design: Design, stages: list[dict[str, Any]], output: Path) -> Design:
    """Return the design at the stage where it goes on or begins; refuse one that was changed."""
    last = stages[-1]
    if design.plan:
        return _of_plan(design, stages)
    if design.stage == 0:
        first = stages[0]
        if first != _plain(design.to_dict()):
            raise OptionError(
                describe(
                    f"{output} was begun with another design",
                    "expected the same tasks, lengths, depths, trials, seed and order",
                    "run the old design to its end and the new one into another file with -o",
                )
            )
        return design
    same = design.at_stage(last["stage"])
    if last["stage"] > 0 and last == _plain(same.to_dict()) and not _is_complete(same, output):
        return same
    return design.at_stage(last["stage"] + 1)


def _of_plan(design: Design, stages: list[dict[str, Any]]) -> Design:
    """Return the design at the stage of its plan: the one that it has, or a new one."""
    for stage in stages:
        known = design.at_stage(stage["stage"])
        if stage == _plain(known.to_dict()):
            return known
    return design.at_stage(stages[-1]["stage"] + 1)


def _is_complete(design: Design, output: Path) -> bool:
    done = {
        key_of_row(row)
        for row in read_trial_rows(output)
        if row["stage"] == design.stage and row["status"] not in TRY_AGAIN
    }
    return len(done) >= design.n_trials


def _describe(backend: Backend, settings: Settings) -> Manifest:
    chosen = settings.to_dict()
    sent = backend.decoding(settings.max_output_tokens)
    return {
        "schema_version": SCHEMA_VERSION,
        "model": backend.model,
        "backend": backend.describe(),
        "tokenizer": backend.tokenizer.describe(),
        **chosen,
        "decoding": {**chosen["decoding"], "sent": sent},
        "versions": installed_versions(),
        "system": platform.system(),
    }


def _plain(value: Any) -> Any:
    """Return what JSON makes of a value, so that what was read can be compared with it."""
    return json.loads(json.dumps(value))


def _holds_anything(output: Path, *, is_ours: bool) -> bool:
    """Tell whether a file holds more than the torn first line of a sweep that was killed."""
    if is_ours:
        return next(read_rows(output), None) is not None
    return output.exists() and output.stat().st_size > 0


def _check_place(output: Path) -> None:
    if output.suffix != ".jsonl" or not output.parent.is_dir():
        raise OptionError(
            describe(
                f"the output is {output}",
                "expected a file name that ends in .jsonl, in a folder that exists",
                "write -o trials.jsonl, say",
            )
        )
