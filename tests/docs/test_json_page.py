"""The page on JSON has the tables that follow from the schema, and its example validates."""

import json
import re

import jsonschema
import pytest

from docs import schema_tables
from lcstats.cells import Cells
from lcstats.lengths import Criterion, effective_length
from lcstats.report.documents import effective_length_document, to_json

PAGE = schema_tables.PAGE.read_text(encoding="utf-8")


def test_tables_are_those_of_the_schema():
    assert schema_tables.build_page(PAGE) == PAGE, "run: python -m docs.schema_tables"


def test_links_lead_to_parts():
    headings = set(re.findall(r"^### (\S+)$", PAGE, flags=re.MULTILINE))
    assert headings >= {"effective-length", "interval"}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= headings


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_example_validates(is_whole, tmp_path, monkeypatch):
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    cells = Cells.from_counts([4096, 8192], [0.0, 1.0], n_cases=30, successes=[[30, 29], [11, 9]])
    answer = effective_length(cells, Criterion(0.85))
    document = json.loads(to_json(effective_length_document([answer])))
    if not is_whole:
        del document["groups"][0]["task"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.json").write_text(json.dumps(document))
    if is_whole:
        exec(example, {})
    else:
        with pytest.raises(jsonschema.ValidationError, match="'task' is a required property"):
            exec(example, {})
