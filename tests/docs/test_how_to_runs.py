"""The how-to pages' blocks run, in order, and print what the pages show of them.

``docs/how_to_inputs.py`` says on what, and which cannot be run. Pages that take longer are run
where ``LCSTATS_TEST_HOW_TO`` is set, as ``bash .ci/extra docs`` does.
"""

import os
from pathlib import Path

import pytest

from docs.blocks import find_blocks
from docs.how_to_inputs import MADE_UP, NOT_RUN, PUBLISHED

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how-to"
PAGES = {page.stem: page.read_text("utf-8") for page in sorted(FOLDER.glob("*.md"))}
QUICK = {"index", "missing-and-failed-trials", "own-tables", "what-to-run-next"}


def is_run(page, block):
    return not any(where == page and words in block.code for where, words in NOT_RUN)


def is_compared(page, block):
    """Of made-up files, which are not those of the page, only errors are."""
    return "Error:" in block.shown or not any(name in block.code for name in MADE_UP.get(page, {}))


def check_page(page):
    """Run all blocks of a page in this folder; return what went wrong."""
    return [
        fault
        for block in find_blocks(PAGES[page])
        if is_run(page, block)
        for fault in block.faults(compare=is_compared(page, block))
    ]


def lay_out(page, folder, real_data):
    for name, write in MADE_UP.get(page, {}).items():
        write(folder / name)
    for name, source in PUBLISHED.get(page, {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(real_data() / source)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch, request):
    if page not in QUICK and not os.environ.get("LCSTATS_TEST_HOW_TO"):
        pytest.skip("takes long: set LCSTATS_TEST_HOW_TO=1, or run bash .ci/extra docs")
    lay_out(page, tmp_path, lambda: request.getfixturevalue("real_data"))
    monkeypatch.chdir(tmp_path)
    faults = check_page(page)
    assert not faults, "\n\n".join(faults)


def test_what_is_not_run_is_there_and_has_a_reason():
    for (page, words), why in NOT_RUN.items():
        assert any(words in block.code for block in find_blocks(PAGES[page])), (page, words)
        assert why


def test_inputs_are_named_on_their_pages():
    for inputs in (MADE_UP, PUBLISHED):
        for page, names in inputs.items():
            assert [name for name in names if name.split("/")[0] not in PAGES[page]] == []


WRONG = """\
```sh
lcstats read nothing.csv
```

```sh
lcstats formats
```

```text
no such line
```
"""


def test_a_block_that_fails_or_prints_something_else_is_seen(monkeypatch, tmp_path):
    monkeypatch.setitem(PAGES, "wrong", WRONG)
    monkeypatch.chdir(tmp_path)
    failed, differs = check_page("wrong")
    assert "nothing.csv does not exist" in failed
    assert differs.endswith("did not print\nno such line")
