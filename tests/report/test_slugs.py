from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.report.slugs import LONGEST_SLUG, slug_of, slugs_of

ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_ordinary_names_stay_readable():
    assert slug_of("GPT-4.1_mini", "single-needle") == "GPT-4.1_mini--single-needle"


@pytest.mark.parametrize(
    "name",
    ["../../x", "a/b", "..", ".", "", "a\\b", "C:\\x", "nul\0", "x" * 300, " ", "模型", "-rf"],
)
def test_names_that_paths_must_not_have_become_safe(name):
    slug = slug_of(name, "task")
    assert set(slug) <= ALLOWED
    assert PurePosixPath(slug).name == slug
    assert not slug.startswith((".", "-"))
    assert len(slug) <= LONGEST_SLUG + 9


@given(st.text(), st.text())
def test_any_names_are_safe(model, task):
    slug = slug_of(model, task)
    assert set(slug) <= ALLOWED
    assert not slug.startswith((".", "-"))
    assert not slug.endswith((".", "-"))


@given(st.lists(st.tuples(st.text("aA-./x"), st.text("aA-./x")), unique=True, max_size=12))
def test_different_groups_have_different_files_whatever_the_case(groups):
    slugs = [slug.lower() for slug in slugs_of(groups)]
    assert len(set(slugs)) == len(groups)


def test_a_name_that_looks_like_a_hash_gets_one():
    hashed = slug_of("../../x", "a/b")
    model, _, task = hashed.partition("--")
    assert slug_of(model, task) != hashed


def test_the_same_names_always_give_the_same_slug():
    assert slug_of("../../x", "a/b") == "x--a-b-e4c340be"
