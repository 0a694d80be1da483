"""JSON and JSONL: glued, cut and bad lines; lists; places of records."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import Source


def load(*texts, **options):
    request = ReadRequest(**options)
    sources = [Source(f"{i}.jsonl", "", text.encode()) for i, text in enumerate(texts)]
    return load_json([look_at(source, request) for source in sources], request)


def ids(table):
    return table.frame["id"].tolist()


def places(table):
    return [table.origin.place(row) for row in range(len(table.frame))]


def line(id):
    return json.dumps({"id": id, "length": 4096, "score": 1})


def test_lines_and_blank_lines():
    table = load(f"{line('a')}\n\n{line('b')}\r\n\n")
    assert ids(table) == ["a", "b"]
    assert places(table) == ["0.jsonl line 1", "0.jsonl line 3"]


def test_line_ends_of_old_machines():
    assert places(load(f"{line('a')}\r{line('b')}\r")) == ["0.jsonl line 1", "0.jsonl line 2"]


def test_separators_of_unicode_do_not_end_lines():
    assert ids(load(f"{line('a')}\n" + '{"id": "b\u2028c"}')) == ["a", "b\u2028c"]


def test_glued_objects_are_split():
    table = load(f"{line('a')}{line('b')}\n{line('c')}\n")
    assert ids(table) == ["a", "b", "c"]
    assert places(table)[1:] == ["0.jsonl line 1", "0.jsonl line 2"]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_cut_last_line_is_left_out_and_said(end):
    table = load(f"{line('a')}\n{line('b')}\n" + line("c")[:20] + end)
    assert ids(table) == ["a", "b"]
    assert (table.notices[0].code, "line 3" in table.notices[0].message) == ("cut-line", True)


def test_the_whole_objects_of_a_cut_line_are_kept():
    assert ids(load(f"{line('a')}\n{line('b')}{line('c')[:9]}")) == ["a", "b"]


def test_a_line_cut_within_a_character_is_a_cut_line():
    data = (line("a") + "\n").encode() + '{"id": "ü'.encode()[:-1]
    source = Source("a", "", data)
    table = load_json([look_at(source, ReadRequest())], ReadRequest())
    assert ids(table) == ["a"]


def test_bad_lines_are_named_or_skipped_and_counted():
    text = f"{line('a')}\n{{oops}}\n{line('b')}\n7\n{line('c')}\n"
    with pytest.raises(FormatError, match=r"(?s)line 2: .*--skip-bad-lines.*line 4: "):
        load(text)
    table = load(text, skip_bad_lines=True)
    assert ids(table) == ["a", "b", "c"]
    assert table.notices[0].message == "0.jsonl: 2 bad lines left out (line 2, 4)"
    assert places(table)[2] == "0.jsonl line 5"


def test_many_bad_lines_are_counted():
    with pytest.raises(FormatError, match="and 2 more lines"):
        load(f"{line('a')}\n" + "{oops}\n" * 7 + line("b"))


def test_a_bad_last_line_that_ends_is_bad_and_not_cut():
    with pytest.raises(FormatError, match="line 2: not one JSON object"):
        load(f"{line('a')}\n{{oops}}\n")


def test_lists_and_single_objects():
    table = load(json.dumps([{"id": 1}, {"id": 2}]), json.dumps({"id": 3}, indent=1))
    assert ids(table) == [1, 2, 3]
    assert places(table) == ["0.jsonl item 1", "0.jsonl item 2", "1.jsonl"]


def test_a_list_of_one_still_has_items():
    assert places(load(json.dumps([{"id": 1}]))) == ["0.jsonl item 1"]


def test_a_cut_list_is_refused():
    with pytest.raises(FormatError, match=r"is not JSON: .*close the list after its last"):
        load('[{"id": 1}, {"id"')


DOCUMENT = json.dumps(
    {"status": "ok", "samples": [{"id": n, "ok": True} for n in (1, 2)]}, indent=1
)


@pytest.mark.parametrize("end", [2, 9, 20, 40, 57, 66, 80, len(DOCUMENT) - 1])
def test_a_document_that_ends_early_is_one_document(end):
    last = DOCUMENT[:end].rstrip().count("\n") + 1
    mend = rf"one JSON document that ends early, at line {last}:.*; write it again; or"
    for options in ({}, {"skip_bad_lines": True}):
        with pytest.raises(FormatError, match=mend):
            load(DOCUMENT[:end], **options)


def test_a_document_on_one_line_that_ends_early_is_one_document():
    with pytest.raises(FormatError, match=r"ends early, at line 1: .*close the lists and objects"):
        load(json.dumps(json.loads(DOCUMENT))[:-9])


def test_a_document_with_a_slip_is_one_document():
    with pytest.raises(FormatError, match=r"one JSON document, and line 3, column 14 of it cannot"):
        load(DOCUMENT.replace('"samples": [', '"samples": [,'))


DEEP, LONG = "[" * 100_000 + "]" * 100_000, "1" * 5000


@pytest.mark.parametrize(("value", "fault"), [(DEEP, "nested too deeply"), (LONG, "many digits")])
def test_nesting_and_digits_without_end_are_bad_input(value, fault):
    with pytest.raises(FormatError, match=f"{fault} to be read; expected .*; mend what wrote it"):
        load(f'[{{"id": {value}}}]')
    for text in (f'{{"id": {value}}}', f'{line("a")}\n{{"id": {value}}}'):
        with pytest.raises(FormatError, match=f"line [12]: .*{fault} .*; mend it"):
            load(text)
        assert load(text, skip_bad_lines=True).notices[0].code == "bad-lines"


@pytest.mark.parametrize("text", ['[{"id": 1}, 7]', "[[1]]"])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(FormatError, match=r"item \d is .*remove it, or name another file"):
        load(text)


def test_mixed_columns_keep_their_values():
    frame = frame_of([{"a": 1, "b": True}, {"a": "x", "b": None}, {"c": 2}])
    assert frame["a"].tolist()[:2] == [1, "x"]
    assert frame["b"].tolist()[0] is True
    assert frame["c"].isna().tolist() == [True, True, False]


@given(st.lists(st.sampled_from(["\n", "", " ", "\n\n"]), min_size=1, max_size=8))
def test_how_objects_are_set_apart_does_not_matter(gaps):
    text = "".join(line(i) + gap for i, gap in enumerate(gaps))
    assert ids(load(text)) == list(range(len(gaps)))


def test_half_a_character_is_named_in_any_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"model":"m","id":"a\\ud800","length":4096,"score":1,"output":"x\\ud83d"}\n'
        '{"model":"m","id":"a\\ud801","length":4096,"score":0,"output":"\\ud83d\\ude00"}\n'
    )
    frame = read_trials(path).frame
    assert frame["case"].tolist() == ["a\\ud800", "a\\ud801"]
    assert frame["output"].tolist() == ["x\\ud83d", "\U0001f600"]


def test_two_fields_of_one_name_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"model":"m","id":1,"length":4096,"score":1,"score":0}\n')
    with pytest.raises(FormatError, match=r"several fields named 'score'.*rename or remove"):
        read_trials(path)
    path.write_text('{"model":"m","id":1,"length":4096,"note":1,"note":0,"score":0}\n')
    assert read_trials(path).n_trials == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"model,length,score\nm\0,4096,1\n", r"NUL byte \(0x00 at offset 20\).*remove its NUL"),
        ("model,length\n".encode("utf-16-le"), r"--encoding utf-16-le"),
        (b"null", r"name the results files themselves$"),
        (b"{}", r"it holds nothing but \{\}.*check that the sweep ran"),
        (b"[]\n", r"it holds nothing but \[\].*check that the sweep ran"),
    ],
    ids=["NUL", "UTF-16", "null", "object", "list"],
)
def test_unusable_contents_are_named_for_what_they_are(tmp_path, content, said):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_trials(path)
