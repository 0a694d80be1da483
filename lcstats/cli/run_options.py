"""The flags of a run: what is asked, how it is sent, how far it may go."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.options import Function, Wrap, as_record, scoring_option
from lcstats.cli.parameters import DEPTHS, LENGTH, LENGTHS, PAIR
from lcstats.designs import READY
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.plan import Pursuit
    from lcstats.runner import Ceiling, Connection, Design, Settings
    from lcstats.runner.tokens import Tokenizer

DEFAULTS = {"seed": 0, "repeats": 1, "order": "random"}


@dataclass(frozen=True, slots=True)
class DesignOptions:
    """What is asked."""

    task: str | None
    design: str | None
    lengths: tuple[int, ...] | None
    depths: tuple[float, ...] | None
    trials: int | None
    repeats: int | None
    order: str | None
    seed: int | None

    def make(self, tokenizer: "Tokenizer") -> "Design":
        """Make the design; flags overrule a file or a ready design.

        Raises
        ------
        OptionError
            If something that it takes is missing, or flags contradict a list of cells.
        """
        from lcstats.cli.design_file import design_of_cells, read_design_file

        given = self._given()
        if self.design is None or self.design in READY:
            ready = _ready_fields(self.design)
            return _make_grid({**DEFAULTS, **ready, **given}, tokenizer)
        file = read_design_file(self.design)
        fields = {**DEFAULTS, **file.fields, **given}
        if not file.cells:
            return _make_grid(fields, tokenizer)
        self._refuse_beside_cells(given)
        return design_of_cells(
            file, seed=fields["seed"], repeats=fields["repeats"], order=fields["order"]
        )

    def _given(self) -> dict[str, Any]:
        fields = {
            "tasks": None if self.task is None else self.task.split(","),
            "lengths": self.lengths,
            "depths": self.depths,
            "trials": self.trials,
            "repeats": self.repeats,
            "order": self.order,
            "seed": self.seed,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _refuse_beside_cells(self, given: dict[str, Any]) -> None:
        from lcstats.cli.design_file import CELLS_SAY

        beside = [name for name in CELLS_SAY if name in given]
        if beside:
            raise OptionError(
                describe(
                    f"{self.design} lists its cells, and --{beside[0].removesuffix('s')} is given",
                    "expected the cells of the file alone",
                    "leave the flag out",
                )
            )


def _ready_fields(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    ready = READY[name]
    return {"lengths": ready.lengths, "depths": ready.depths, "trials": ready.n_trials}


def _make_grid(fields: dict[str, Any], tokenizer: "Tokenizer") -> "Design":
    from lcstats.runner import Design, parse_task
    from lcstats.runner.own_design import design_own_cases
    from lcstats.runner.tasks.own_cases import read_own_cases

    how = {name: fields[name] for name in DEFAULTS}
    names = [str(name) for name in fields.get("tasks") or ["single-needle"]]
    files = [name for name in names if name.endswith(".jsonl")]
    if files:
        if len(files) < len(names):
            raise OptionError(
                describe(
                    f"--task names {files[0]} and other tasks",
                    "expected files of cases alone, or tasks alone",
                    "run them one after the other, into files of their own",
                )
            )
        cases = [case for file in files for case in read_own_cases(file)]
        return design_own_cases(cases, fields.get("lengths") or (), tokenizer, **how)
    _require_grid(fields)
    tasks = [parse_task(name) for name in names]
    return Design.grid(tasks, fields["lengths"], fields["depths"], n_trials=fields["trials"], **how)


def _require_grid(fields: dict[str, Any]) -> None:
    missing = [name for name in ("lengths", "depths", "trials") if name not in fields]
    if missing:
        flags = " and ".join(f"--{name}" for name in missing)
        raise OptionError(
            describe(
                f"the design has no {' and no '.join(missing)}",
                f"expected {flags}, or a ready design",
                "pass --design quick, or --lengths 4K..32K --depths 5 --trials 20",
            )
        )


@dataclass(frozen=True, slots=True)
class SendingOptions:
    """How prompts are made and sent."""

    filler: str | None
    style: str
    scoring: str
    max_output_tokens: int
    context_window: int | None
    concurrency: int
    tokenizer: str | None
    base_url: str | None
    key_variable: str
    timeout: float
    max_wait: float
    dtype: str
    parameters: tuple[tuple[str, str], ...]

    def connection(self) -> "Connection":
        """Say how the language model is reached."""
        from lcstats.runner import Connection

        return Connection(
            base_url=self.base_url,
            tokenizer=self.tokenizer,
            key_variable=self.key_variable,
            timeout_s=self.timeout,
            max_wait_s=self.max_wait,
            dtype=self.dtype,
            parameters={name: _parse_value(value) for name, value in self.parameters},
        )

    def settings(self, ceiling: "Ceiling | None") -> "Settings":
        """Make the settings of the run."""
        from lcstats.runner import Settings, open_filler

        return Settings(
            filler=open_filler(self.filler),
            style=self.style,  # type: ignore[arg-type]
            strictness=self.scoring,  # type: ignore[arg-type]
            max_output_tokens=self.max_output_tokens,
            concurrency=self.concurrency,
            context_window=self.context_window,
            ceiling=ceiling,
        )


def _parse_value(text: str) -> Any:
    """Return a value written as JSON; what is none is a text.

    Examples
    --------
    >>> _parse_value("0.7"), _parse_value("null"), _parse_value("low")
    (0.7, None, 'low')
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def _join_tasks(
    ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> str | None:
    """Take a flag that is given again as further tasks, and not as another word for the first."""
    return ",".join(value) or None


_DESIGN: tuple[Wrap, ...] = (
    click.option(
        "--task",
        multiple=True,
        callback=_join_tasks,
        metavar="NAME,...|FILE.jsonl",
        help="Tasks, with parameters as distractors:n_distractors=8 and controls as "
        "two-hop.closed-book; or cases of your own. single-needle unless said.",
    ),
    click.option(
        "--design",
        metavar="|".join([*READY, "FILE"]),
        help="A ready design, or a .toml or .yaml file, also one of 'lcstats next'.",
    ),
    click.option(
        "--lengths",
        type=LENGTHS,
        metavar="L,L,...|L..L",
        help="Lengths in tokens; a range doubles; K = 1024.",
    ),
    click.option(
        "--depths",
        type=DEPTHS,
        metavar="N|D,D,...",
        help="Number of evenly spaced depths, ends included, or fractions.",
    ),
    click.option(
        "--trials", type=click.IntRange(min=1), metavar="N", help="Seeded cases per cell."
    ),
    click.option(
        "--repeats", type=click.IntRange(min=1), metavar="N", help="Times each case is sent; 1."
    ),
    click.option(
        "--order",
        type=click.Choice(["random", "prefix"]),
        help="Random, or cases that share a haystack one after the other, which costs less where "
        "the server caches prefixes and makes them a cluster.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), metavar="N", help="Equal seeds give equal prompts; 0."
    ),
)

_SENDING: tuple[Wrap, ...] = (
    click.option(
        "--filler",
        metavar="PATH",
        help="Text file, or folder of .txt and .md; neutral sentences unless given.",
    ),
    click.option(
        "--style",
        type=click.Choice(["question", "begun"]),
        default="question",
        show_default=True,
        help="End with the question, or with the first words of its answer.",
    ),
    scoring_option,
    click.option(
        "--max-output-tokens",
        type=click.IntRange(min=1),
        default=256,
        show_default=True,
        help="Most tokens of an answer, thinking included.",
    ),
    click.option(
        "--context-window",
        type=LENGTH,
        metavar="L",
        help="Tokens of prompt and answer together; longer prompts are built to fit into it.",
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(min=1),
        default=8,
        show_default=True,
        help="Requests at the same time.",
    ),
    click.option(
        "--tokenizer",
        metavar="builtin|hf:FOLDER|tiktoken:NAME",
        help="What counts tokens for openai:; the language model's own.",
    ),
    click.option("--base-url", metavar="URL", help="Server that speaks OpenAI's protocol."),
    click.option(
        "--key-variable",
        default="OPENAI_API_KEY",
        show_default=True,
        metavar="NAME",
        help="Environment variable with the key; it is never written.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=600.0,
        show_default=True,
        metavar="S",
        help="Seconds for one request.",
    ),
    click.option(
        "--max-wait",
        type=click.FloatRange(min=0),
        default=300.0,
        show_default=True,
        metavar="S",
        help="Seconds that a trial may wait for a busy server, all tries together.",
    ),
    click.option(
        "--dtype",
        default="auto",
        show_default=True,
        metavar="NAME",
        help="Numbers of the weights for hf:, such as float32 or bfloat16.",
    ),
    click.option(
        "--parameter",
        "parameters",
        type=PAIR,
        multiple=True,
        metavar="NAME=VALUE",
        help="Of every request to a server, over ours, such as temperature=1 or "
        "reasoning_effort=low; NAME=null leaves one out. Repeat for several.",
    ),
)


@dataclass(frozen=True, slots=True)
class GoingOptions:
    """Whether to send anything, to go on with a file, and to go on where results say so."""

    dry_run: bool
    resume: bool
    adaptive: bool
    batch: float
    until: str

    def pursuit(self) -> "Pursuit":
        """Make what is narrow enough."""
        from lcstats.plan import Pursuit

        return Pursuit.parse(self.until)


_GOING: tuple[Wrap, ...] = (
    click.option(
        "--dry-run", is_flag=True, help="Build prompts and say what they cost; send nothing."
    ),
    click.option("--resume", is_flag=True, help="Go on with the file that is there."),
    click.option(
        "--adaptive",
        is_flag=True,
        help="After the design, spend the rest of the budget where 'lcstats next' says, until the "
        "set is narrow enough; those trials are marked.",
    ),
    click.option(
        "--batch",
        type=float,
        default=0.25,
        show_default=True,
        metavar="X",
        help="For --adaptive: share of what is left to run before the next look.",
    ),
    click.option(
        "--until",
        default="set-size=1",
        show_default=True,
        metavar="set-size=N",
        help="For --adaptive: outcomes in the anytime set that are few enough to stop.",
    ),
)


def going_options(function: Function) -> Function:
    """Add the flags of going on; the command gets them as ``going``."""
    return as_record("going", GoingOptions, _GOING)(function)


def design_options(function: Function) -> Function:
    """Add the flags of a design; the command gets them as ``wanted``."""
    return as_record("wanted", DesignOptions, _DESIGN)(function)


def sending_options(function: Function) -> Function:
    """Add the flags of sending; the command gets them as ``sending``."""
    return as_record("sending", SendingOptions, _SENDING)(function)
