"""JUnit XML of a comparison: one test case per task, for the test pages of CI servers."""

from xml.etree import ElementTree

from lcstats.comparison.gate import Gate, GateTest
from lcstats.comparison.result import Comparison

SUITE = "lcstats compare"


def junit_xml(comparison: Comparison) -> str:
    """Return a comparison as JUnit XML.

    A task at which the gate stops the change has failed. One that is undecided under a
    ``regression`` gate is skipped. Without a gate nothing fails.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.comparison import compare
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame({"case": range(50), "length": 8192, "score": [1] * 49 + [0]})
    >>> new = table.assign(score=[0] * 40 + [1] * 10)
    >>> answer = compare(Trials.from_frame(table), Trials.from_frame(new), gate="regression")
    >>> suite = ElementTree.fromstring(junit_xml(answer))
    >>> suite.get("failures"), suite.find("testcase").get("name")
    ('1', 'default')
    """
    suite = ElementTree.Element("testsuite", name=SUITE)
    gate = comparison.gate
    tests = {} if gate is None else {test.task: test for test in gate.tests}
    for group in comparison.groups:
        case = ElementTree.SubElement(
            suite, "testcase", classname=SUITE.replace(" ", "."), name=_legal(group.task)
        )
        if gate is not None:
            _add_outcome(case, gate, tests[group.task])
        ElementTree.SubElement(case, "system-out").text = _legal(comparison.sentence_on(group))
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(name, str(sum(1 for _ in suite.iter(tag))))
    suite.set("errors", "0")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _add_outcome(case: ElementTree.Element, gate: Gate, test: GateTest) -> None:
    if test.outcome in gate.stopping:
        tag = "failure"
    elif test.outcome == "undecided":
        tag = "skipped"
    else:
        return
    element = ElementTree.SubElement(case, tag, message=_legal(gate.words_on(test)))
    if tag == "failure":
        element.set("type", f"{gate.kind}-{test.outcome}")
        element.text = _legal(gate.sentence())


def _legal(text: str) -> str:
    """Spell out what XML 1.0 cannot hold, such as control characters in a task's name."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
