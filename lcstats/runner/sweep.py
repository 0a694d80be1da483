"""``run_sweep``: every trial of a design sent once, scored, and on disk before the next."""

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lcstats.errors import Notice, OptionError, RunError, announce, describe
from lcstats.options import check_type
from lcstats.records import SCHEMA_VERSION
from lcstats.runner.backends import open_backend
from lcstats.runner.begun import Begun, begin
from lcstats.runner.design import Design, Key, PlannedTrial, key_of_row
from lcstats.runner.keys import make_rng
from lcstats.runner.ledger import TRY_AGAIN, Ledger, read_trial_rows
from lcstats.runner.manifest import write_manifest
from lcstats.runner.prompts import Press, Prompt, check_places
from lcstats.runner.received import PROBE_LENGTHS, Calibration
from lcstats.runner.replies import Backend, Reply, Request
from lcstats.runner.rows import make_row, score_reply
from lcstats.runner.settings import Settings
from lcstats.runner.tasks import parse_task

BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is.

    Attributes
    ----------
    n_done, n_planned : int
        Trials of the whole sweep.
    spent : float
        In the currency of the budget; tokens without one.
    seconds : float
        Since this run began.
    """

    n_done: int
    n_planned: int
    spent: float
    seconds: float


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep came to.

    Attributes
    ----------
    output : Path
        Its table.
    n_planned, n_done : int
        Trials of the design, and those of them that have a row now.
    n_unscored_by_status : mapping of str to int
    tokens_asked, tokens_received, output_tokens : int
        Over all rows; received where the server said.
    spent : float
        In the currency of the budget; tokens without one.
    seconds : float
        Of this run.
    stop_reason : str or None
        ``budget`` if that ended it.
    notices : tuple of Notice
    """

    output: Path
    n_planned: int
    n_done: int
    n_unscored_by_status: Mapping[str, int]
    tokens_asked: int
    tokens_received: int
    output_tokens: int
    spent: float
    seconds: float
    stop_reason: str | None
    notices: tuple[Notice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the ``run`` object of the JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "output": str(self.output),
            "n_planned": self.n_planned,
            "n_done": self.n_done,
            "n_unscored_by_status": dict(self.n_unscored_by_status),
            "tokens_asked": self.tokens_asked,
            "tokens_received": self.tokens_received,
            "output_tokens": self.output_tokens,
            "seconds": self.seconds,
            "stop_reason": self.stop_reason,
        }


@dataclass(slots=True)
class Tally:
    """What rows add up to; a later row of a trial takes the place of the earlier one."""

    settings: Settings
    statuses: dict[Key, str] = field(default_factory=dict)
    asked: int = 0
    received: int = 0
    output: int = 0
    spent: float = 0.0
    reserved: float = 0.0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.statuses[key_of_row(row)] = row["status"]
        received = row["tokens_counted"] or 0
        output = row["output_tokens"] or 0
        self.asked += row["tokens_asked"]
        self.received += received
        self.output += output
        self.spent += self.price(received or row["tokens_asked"], output)

    def price(self, sent: int, received: int) -> float:
        """Return what a request takes of the budget, in tokens without one."""
        ceiling = self.settings.ceiling
        return float(sent + received) if ceiling is None else ceiling.charge(sent, received)

    def affords(self, price: float) -> bool:
        """Tell whether a further request stays within the budget, whatever is under way."""
        ceiling = self.settings.ceiling
        return ceiling is None or self.spent + self.reserved + price <= ceiling.amount

    def is_done(self, key: Key) -> bool:
        """Tell whether a trial has a row that stays."""
        return self.statuses.get(key, "error") not in TRY_AGAIN


def run_sweep(
    model: str | Backend,
    design: Design,
    output: str | Path,
    *,
    settings: Settings | None = None,
    resume: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Run a design on a language model and write one line per trial.

    Parameters
    ----------
    model : str or Backend
        ``simulated:NAME``, ``hf:FOLDER_OR_ID`` or ``openai:NAME``, or a backend that is open.
    design : Design
    output : path
        A ``.jsonl`` file; the record of the sweep is written beside it.
    settings : Settings, optional
    resume : bool
        Go on with a file that is there: what has a line is not asked again, unless it failed.
    watch : callable, optional
        Called with a :class:`Progress` after every trial.

    Returns
    -------
    SweepResult

    Raises
    ------
    OptionError
        If the file is there and `resume` is not set, if it was begun with another design or other
        settings, or if a prompt cannot be built.
    RunError
        If no request can succeed; what was done before is kept.

    Examples
    --------
    >>> import tempfile
    >>> from lcstats.runner.tasks import parse_task
    >>> design = Design.grid([parse_task("single-needle")], [512], [0.0, 0.5, 1.0], n_trials=2)
    >>> output = Path(tempfile.mkdtemp()) / "trials.jsonl"
    >>> run_sweep("simulated:perfect", design, output).n_done
    6
    """
    check_type(design, Design, "design")
    chosen = settings or Settings()
    backend = open_backend(model, seed=design.seed) if isinstance(model, str) else model
    begun = begin(backend, design, Path(output), chosen, resume=resume)
    run = _Run(backend, begun, chosen, watch)
    with _garbage_set_aside():
        _run_async(run)
    result = run.result()
    announce(result.notices)
    return result


@contextmanager
def _garbage_set_aside() -> Iterator[None]:
    """Keep what is there already out of every search for garbage.

    The libraries of a client are so many objects that looking through them again and again would
    take a tenth of a sweep's time.
    """
    is_ours = gc.get_freeze_count() == 0
    if is_ours:
        gc.freeze()
    try:
        yield
    finally:
        if is_ours:
            gc.unfreeze()


def _run_async(run: "_Run") -> None:
    """Run to the end, also where an event loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(run.all_trials())
        return
    with ThreadPoolExecutor(1) as executor:
        executor.submit(asyncio.run, run.all_trials()).result()


class _Run:
    """One run of a sweep: what changes while it lasts."""

    def __init__(
        self,
        backend: Backend,
        begun: Begun,
        settings: Settings,
        watch: Callable[[Progress], None] | None,
    ) -> None:
        self.backend, self.begun, self.settings, self.watch = backend, begun, settings, watch
        self.press = Press(backend.tokenizer, settings.filler, settings.style)
        self.calibration = begun.calibration or Calibration()
        self.tally = Tally(settings)
        self.planned = begun.design.planned()
        self.keys = [trial.key(settings.filler.digest) for trial in self.planned]
        self.n_done = 0
        self.started = time.monotonic()
        self.stop_reason: str | None = None

    async def all_trials(self) -> None:
        """Send every trial that has no row, several at a time."""
        try:
            if self.begun.calibration is None and self.backend.counts_itself:
                self.calibration = await self._probe()
            rehearse(self.begun.design, self.press, self._local)
            with Ledger(self.begun.output) as ledger:
                write_manifest(self.begun.output, self.record())
                pending = iter(self._pending())
                n_workers = min(self.settings.concurrency, len(self.keys))
                await _all_or_none([self._work(pending, ledger) for _ in range(n_workers)])
        finally:
            await self.backend.close()

    def _pending(self) -> list[PlannedTrial]:
        """Count the rows that are there, and return the trials that have none."""
        for row in read_trial_rows(self.begun.output):
            self.tally.add(row)
        self.n_done = sum(map(self.tally.is_done, self.keys))
        trials = zip(self.planned, self.keys, strict=True)
        return [trial for trial, key in trials if not self.tally.is_done(key)]

    async def _work(self, pending: Iterator[PlannedTrial], ledger: Ledger) -> None:
        for planned in pending:
            prompt = _build(planned, self.press, self._local(planned.length))
            price = self.tally.price(
                self.calibration.expected(prompt.n_tokens), self.settings.max_output_tokens
            )
            if self.stop_reason or not self.tally.affords(price):
                self.stop_reason = BUDGET
                return
            self.tally.reserved += price
            try:
                reply = await self.backend.answer(self._request(planned, prompt))
                await self._keep(planned, prompt, reply, ledger)
            finally:
                self.tally.reserved -= price

    async def _keep(
        self, planned: PlannedTrial, prompt: Prompt, reply: Reply, ledger: Ledger
    ) -> None:
        counted, cached = reply.tokens_received, reply.tokens_cached
        received = self.calibration.received(prompt.n_tokens, counted, cached)
        reply = replace(reply, tokens_received=received)
        scored = score_reply(prompt, reply, self.calibration, self.settings)
        row = make_row(
            planned,
            prompt,
            reply,
            scored,
            calibration=self.calibration,
            model=self.backend.model,
            settings=self.settings,
        )
        await ledger.keep(row)
        self.tally.add(row)
        self.n_done += self.tally.is_done(planned.key(self.settings.filler.digest))
        if self.watch is not None:
            self.watch(self._progress())

    def _request(self, planned: PlannedTrial, prompt: Prompt) -> Request:
        key = "|".join(map(str, planned.key(self.settings.filler.digest)))
        return Request(prompt, planned.length, planned.depth, key, self.settings.max_output_tokens)

    def _local(self, length: int) -> int:
        """Return a length by our count, so that the server's count does not exceed it."""
        return self.calibration.ours(self.settings.longest(length))

    async def _probe(self) -> Calibration:
        """Send two prompts, and one of them again, to see how the server counts them."""
        task = parse_task("single-needle")
        ours, theirs = [], []
        for length in PROBE_LENGTHS:
            rng = make_rng(self.begun.design.seed, "probe", length)
            prompt = self.press.build(task.make(rng, length), length, 0.5, rng=rng)
            reply = await self.backend.answer(Request(prompt, length, 0.5, f"probe {length}", 1))
            if reply.status in TRY_AGAIN:
                raise _no_answer(reply)
            ours.append(prompt.n_tokens)
            theirs.append(reply.tokens_received)
        return Calibration.measure(ours[:2], theirs)

    def _progress(self) -> Progress:
        seconds = time.monotonic() - self.started
        return Progress(self.n_done, len(self.keys), self.tally.spent, seconds)

    def record(self) -> dict[str, Any]:
        """Return the manifest as it stands."""
        return {**self.begun.manifest, "calibration": self.calibration.to_dict()}

    def result(self) -> SweepResult:
        """Return what the sweep came to."""
        states = [self.tally.statuses[key] for key in self.keys if key in self.tally.statuses]
        return SweepResult(
            output=self.begun.output,
            n_planned=len(self.keys),
            n_done=len(states),
            n_unscored_by_status=dict(Counter(s for s in states if s != "ok")),
            tokens_asked=self.tally.asked,
            tokens_received=self.tally.received,
            output_tokens=self.tally.output,
            spent=self.tally.spent,
            seconds=round(time.monotonic() - self.started, 3),
            stop_reason=self.stop_reason,
            notices=self.calibration.notices(),
        )


def _build(planned: PlannedTrial, press: Press, length: int) -> Prompt:
    """Build the prompt of a trial to a length by our count."""
    puzzle = planned.task.make(planned.rng("puzzle"), planned.length)
    return press.build(puzzle, length, planned.depth, rng=planned.rng("filler"))


def _no_answer(reply: Reply) -> RunError:
    return RunError(
        describe(
            f"the first request had no answer: {reply.status}, {reply.error}",
            "expected one before anything else is sent",
            "look at the server, and run again",
        )
    )


async def _all_or_none(work: Sequence[Any]) -> None:
    """Wait for all; if one fails, stop the others and raise its error."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class RehearsedRow:
    """All trials of a task at a length, of which one prompt was built.

    Attributes
    ----------
    task : str
    length : int
    n_trials : int
    tokens : int
        Of the prompt.
    """

    task: str
    length: int
    n_trials: int
    tokens: int


def rehearse(design: Design, press: Press, local: Callable[[int], int] = int) -> list[RehearsedRow]:
    """Build one prompt of every task and length before any is sent.

    Raises
    ------
    OptionError
        If one cannot be built, or two depths are one place in it; all faults at once.
    """
    by_row: dict[tuple[str, int], list[PlannedTrial]] = {}
    for planned in design.planned():
        by_row.setdefault((planned.task.label, planned.length), []).append(planned)
    rows: list[RehearsedRow] = []
    faults: dict[str, None] = {}
    for (task, length), trials in sorted(by_row.items()):
        try:
            tokens = _rehearse_row(trials, press, local(length))
            rows.append(RehearsedRow(task, length, len(trials), tokens))
        except OptionError as error:
            faults[f"{task}: {error}"] = None
    if faults:
        raise OptionError("\n".join(faults))
    return rows


def _rehearse_row(trials: Sequence[PlannedTrial], press: Press, length: int) -> int:
    prompt = _build(trials[0], press, length)
    depths = sorted({trial.depth for trial in trials if trial.depth is not None})
    check_places(prompt.filler_counts, depths, length)
    return prompt.n_tokens
