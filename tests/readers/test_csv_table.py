"""CSV: ids keep their text, lines their number; cut, long and misquoted lines are named."""

import numpy as np
import pytest

from lcstats.errors import FormatError, TableError
from lcstats.readers import read_trials
from lcstats.readers.csv_table import _CHUNK, load_csv
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import look_at
from lcstats.readers.sources import find_sources
from lcstats.trials import TableOptions
from lcstats.trials.values import texts_of

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture
def load(tmp_path):
    def load(text, **options):
        path = tmp_path / "a.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        request = ReadRequest(**options)
        return load_csv(look_at(find_sources(path)[0], request), request)

    return load


@pytest.mark.parametrize(
    "ids",
    [
        ("007", "7"),
        ("1", "2"),
        ("1.0", "2"),
        ("1", "a"),
        ("True", "False"),
        ("NA", "None"),
        ("1e5", "2e5"),
        ("-01", "1"),
        ("+5", "5"),
        ("99999999999999999999", "1"),
    ],
)
def test_ids_and_labels_keep_their_text(load, ids):
    rows = "".join(f"{id},{id},4096,1\n" for id in ids)
    frame = load("id,model,length,score\n" + rows).frame
    assert texts_of(frame["id"]).uniques == ids
    assert texts_of(frame["model"]).uniques == ids


def test_a_padded_id_far_into_a_long_file_keeps_its_text(load):
    line = "1,4096,1\n"
    n_lines = _CHUNK // len(line) + 10
    frame = load("id,length,score\n" + line * n_lines + "0042,4096,0\n").frame
    assert frame["id"].iloc[-1] == "0042"


def test_words_of_missing_are_text_or_missing_by_column(load):
    frame = load("model,length,score,response\nNA,4096,NA,null\nNone,8192,None,\n").frame
    assert frame["model"].tolist() == ["NA", "None"]
    assert frame["score"].isna().all()
    assert frame["response"].tolist()[0] == "null"
    assert frame["response"].isna().tolist() == [False, True]


def test_rows_know_their_lines(load):
    text = 'length,score,note\n  \n4096,1,"two\nlines"\n\n8192,0,x\n'
    origin = load(text).origin
    assert [origin.place(row) for row in range(2)] == ["a.csv line 3", "a.csv line 6"]


def test_an_unnamed_first_column_is_kept_as_an_extra(load):
    assert load(",length,score\n0,4096,1\n").frame.columns.tolist()[1:] == ["length", "score"]


def test_a_last_line_without_its_fields_is_left_out(load):
    table = load("length,depth,score\n4096,50,1\n8192,5")
    assert table.frame["length"].tolist() == [4096]
    assert table.notices[0].code == "cut-line"


def test_a_last_line_without_a_newline_is_kept(load):
    assert load("length,score\n4096,1\n8192,0").frame["length"].tolist() == [4096, 8192]


def test_the_last_line_of_a_quoted_field_is_no_cut_line(load):
    table = load('length,score,note\n4096,1,a\n8192,0,"two\nlines"')
    assert (table.frame["length"].tolist(), table.notices) == ([4096, 8192], ())


def test_rows_below_a_very_long_field_know_their_lines(load):
    origin = load(f"length,score,note\n4096,1,{'x' * 200_000}\n8192,0,b\n").origin
    assert origin.place(1) == "a.csv line 3"


def test_separators_of_unicode_do_not_end_a_header(load):
    table = load("length,score,a\x1eb\u2028c\n4096,1,x\n0,1,y\n")
    assert table.origin.place(1) == "a.csv line 3"


def test_a_mark_in_the_middle_of_a_file_is_no_crash(load):
    assert load(b"\n\xef\xbb\xbfmodel,length,score\nm,4096,1\n").frame["length"].tolist() == [4096]


def test_a_character_cut_off_at_the_end_is_no_encoding_error(load):
    table = load("length,score,note\n4096,1,a\n8192,0,ü".encode()[:-1])
    assert table.frame["length"].tolist() == [4096, 8192]


def test_lines_with_too_many_fields_are_all_named(load):
    text = "length,score\n4096,1\n4096,1,2\n8192,0\n1,2,3,4\n"
    with pytest.raises(FormatError, match=r"(?s)line 3: 3 fields.*line 5: 4 .*--skip-bad-lines"):
        load(text)
    table = load(text, skip_bad_lines=True)
    assert table.frame["length"].tolist() == [4096, 8192]
    assert table.notices[0].message == "a.csv: 2 bad lines left out"
    assert table.origin.place(1) == "a.csv line 4"


def test_a_header_that_lacks_a_name_is_refused(load):
    with pytest.raises(FormatError, match="name the first column"):
        load("length,score\n4096,1,9\n8192,0,9\n")


def test_an_open_quote_is_refused(load):
    with pytest.raises(FormatError, match="look for a quote that is not closed"):
        load('length,score\n4096,"1\n8192,0\n')


def test_twin_headers_are_refused(load):
    with pytest.raises(FormatError, match=r"named 'score'; .*rename or remove all but one"):
        load("length,score,score\n4096,1,0\n")
    assert load("length,score,note,note\n4096,1,a,b\n").frame.shape == (1, 4)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_line_ends_and_marks(load, ending, encoding):
    text = ending.join(["model,length,score", "ü,4096,1", "b,8192,0", ""])
    table = load(text.encode(encoding))
    assert table.frame["model"].tolist() == ["ü", "b"]
    assert table.origin.place(1) == "a.csv line 3"


def test_undecodable_bytes_are_refused_and_mended(load):
    data = "model,length,score\nü,4096,1\n".encode("cp1252")
    with pytest.raises(FormatError, match=r"offset 19 .*--encoding cp1252"):
        load(data)
    assert load(data, encoding="cp1252").frame["model"].tolist() == ["ü"]


def test_decimal_commas(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;length;depth;score\n1.000;4.096;25,5;0,75\n2;131.072;50,0;0,125\n")
    trials = read_trials(path, decimal=",", depth_unit="percent")
    assert trials.frame["length"].tolist() == [4096, 131072]
    assert trials.frame["depth"].tolist() == [0.255, 0.5]
    assert trials.frame["score"].tolist() == [0.75, 0.125]
    assert trials.frame["case"].tolist() == ["1.000", "2"]
    with pytest.raises(TableError, match="--decimal ,"):
        read_trials(path)


def test_floats_are_read_exactly(load):
    values = np.random.default_rng(1).random(1000).tolist()
    text = "length,score\n" + "".join(f"4096,{value!r}\n" for value in values)
    assert load(text).frame["score"].tolist() == values


def test_overrides_tell_which_columns_are_ids_and_numbers(load):
    options = TableOptions(columns={"case": "question", "length": "ctx"})
    frame = load("question,ctx,score\nNA,NA,1\n007,4096,0\n", table=options).frame
    assert frame["question"].tolist() == ["NA", "007"]
    assert frame["ctx"].isna().tolist() == [True, False]
