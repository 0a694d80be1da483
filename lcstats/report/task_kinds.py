"""Retrieval, reasoning or aggregation: what kind of task a name stands for, by rules that are said.

A language model that finds one sentence in 128K tokens may be unable to join two, so a length is
stated per kind. Names are all there is to go by; what they hide is said with ``--task-kind``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lcstats.errors import OptionError, describe
from lcstats.options import TaskKind, check_option

KIND_MEANINGS: Mapping[TaskKind, str] = {
    "retrieval": "find what is written in the context",
    "reasoning": "join facts from several places, or conclude from them",
    "aggregation": "count, sum, order or summarise what is spread over the context",
}
"""What each kind of task asks of a language model."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """One rule: names that match `pattern` are of `kind`.

    Attributes
    ----------
    kind : {"retrieval", "reasoning", "aggregation"}
    words : str
        The rule as reports say it.
    pattern : str
        Regular expression, searched for in the name in lower case with ``-`` for blanks and ``_``,
        which thereby end words.
    """

    kind: TaskKind
    words: str
    pattern: str


RULES = (
    NameRule("retrieval", "BABILong's tasks of one fact", r"^qa-?(1|4|5|6|9|10)$"),
    NameRule("aggregation", "BABILong's counting and lists", r"^qa-?(7|8)$"),
    NameRule("reasoning", "BABILong's other tasks, HotpotQA in RULER", r"^qa-?\d+$"),
    NameRule(
        "reasoning",
        "hops, chain, reasoning, variable tracking, or a multi-hop data set",
        r"\bhops?\b|(two|three|multi)hops?\b|\bchain|reason|\bvt\b|variable-?track|hotpot|2wiki|musique|\blogic|\bmath"
        r"|babi|flenqa|nocha|longbench-v2|\bcode-(run|debug)",
    ),
    NameRule(
        "aggregation",
        "aggregate, count, words (cwe, fwe), sum, order",
        r"aggregat|\bcount(ing)?\b|\b[cf]we\b|(common|frequent)-words|\bsum|\border|\bsort|top-?k\b",
    ),
    NameRule(
        "retrieval",
        "needle, retrieval, key, passkey, lines, single",
        r"needle|niah|retriev|passkey|\bkv\b|\bkey|\blines\b|number-string|\bsingle|four-values"
        r"|distract|mrcr|\btopic",
    ),
)
"""Tried in this order; the first that matches decides."""

UNKNOWN = "no rule knows its name; retrieval has the stricter bar"
SAID = "as told"
AVERAGED = "an average that not only retrieval is part of"


@dataclass(frozen=True, slots=True)
class KindOfTask:
    """The kind of one task.

    Attributes
    ----------
    kind : {"retrieval", "reasoning", "aggregation"}
    why : str
        The rule that says so.
    """

    kind: TaskKind
    why: str

    @property
    def is_retrieval(self) -> bool:
        """True for the easiest kind."""
        return self.kind == "retrieval"


def kind_of_task(
    task: str, told: Mapping[str, TaskKind] | None = None, members: Sequence[str] = ()
) -> KindOfTask:
    """Return the kind of a task: as told, else by its name.

    Parameters
    ----------
    task : str
    told : mapping of str to str, optional
        Kinds by task name; they go before every rule.
    members : sequence of str
        Tasks that were averaged: retrieval only if all of them are.

    Examples
    --------
    >>> kind_of_task("niah_single_1").kind, kind_of_task("vt").kind, kind_of_task("cwe").kind
    ('retrieval', 'reasoning', 'aggregation')
    >>> kind_of_task("default").why
    'no rule knows its name; retrieval has the stricter bar'
    >>> kind_of_task("default", {"default": "reasoning"})
    KindOfTask(kind='reasoning', why='as told')
    """
    told = told or {}
    if task in told:
        return KindOfTask(told[task], SAID)
    if members:
        kinds = {kind_of_task(member, told).kind for member in members}
        if kinds != {"retrieval"}:
            return KindOfTask(kinds.pop() if len(kinds) == 1 else "reasoning", AVERAGED)
        return KindOfTask("retrieval", "an average of retrieval tasks")
    name = re.sub(r"[\s_]+", "-", task.lower())
    rule = next((rule for rule in RULES if re.search(rule.pattern, name)), None)
    if rule is None:
        return KindOfTask("retrieval", UNKNOWN)
    return KindOfTask(rule.kind, f"by its name: {rule.words}")


def check_kinds(told: Mapping[str, TaskKind], tasks: Sequence[str]) -> None:
    """Refuse kinds that do not exist, and kinds of tasks that the results do not have.

    Raises
    ------
    OptionError
        The message names the tasks, and the flag.
    """
    for task, kind in told.items():
        check_option(kind, TaskKind, "task_kinds")
        if task not in tasks:
            raise OptionError(
                describe(
                    f"task_kinds (--task-kind) names the task {task!r}, which the results lack",
                    f"expected one of {', '.join(tasks)}",
                    "write the name as it is there, --task-kind TASK=reasoning",
                )
            )
