import pytest

from lcstats.errors import OptionError
from lcstats.report.task_kinds import AVERAGED, RULES, UNKNOWN, check_kinds, kind_of_task


@pytest.mark.parametrize(
    ("kind", "tasks"),
    [
        ("retrieval", "single-needle niah_multikey_2 passkey kv_retrieval lines qa1 qa_1 qa10"),
        ("reasoning", "two-hop multihop uuid_chain vt qa2 qa_2 qa3 qa15 hotpotqa 2wikimqa"),
        ("reasoning", "multi_needle_reasoning longbench_v2"),
        ("aggregation", "aggregate-ten cwe fwe qa7 qa8 passage_count Counting-Stars gov_sum"),
    ],
)
def test_names_of_known_suites_have_their_kind(kind, tasks):
    assert {task: kind_of_task(task).kind for task in tasks.split()} == dict.fromkeys(
        tasks.split(), kind
    )


@pytest.mark.parametrize("task", ["shop", "account", "default", "trec"])
def test_a_name_that_no_rule_knows_gets_the_stricter_bar_and_says_so(task):
    assert (kind_of_task(task).kind, kind_of_task(task).why) == ("retrieval", UNKNOWN)


def test_every_rule_is_the_first_for_some_name():
    names = ["qa1", "qa7", "qa2", "two-hop", "cwe", "needle"]
    assert [kind_of_task(name).why for name in names] == [
        f"by its name: {rule.words}" for rule in RULES
    ]


def test_what_is_told_goes_before_every_rule():
    assert kind_of_task("two-hop", {"two-hop": "retrieval"}).kind == "retrieval"
    assert kind_of_task("two-hop", {"other": "retrieval"}).kind == "reasoning"


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        (("needle", "passkey"), "retrieval"),
        (("needle", "cwe"), "reasoning"),
        (("cwe", "fwe"), "aggregation"),
    ],
)
def test_an_average_is_retrieval_only_if_all_its_tasks_are(members, kind):
    found = kind_of_task("average", members=members)
    assert found.kind == kind
    assert (found.why == AVERAGED) == (kind != "retrieval")


def test_kinds_and_tasks_that_do_not_exist_are_refused_with_the_mend():
    with pytest.raises(OptionError, match=r"expected one of needle.*--task-kind TASK=reasoning"):
        check_kinds({"nedle": "reasoning"}, ["needle"])
    with pytest.raises(OptionError, match="expected one of retrieval, reasoning, aggregation"):
        check_kinds({"needle": "hard"}, ["needle"])
