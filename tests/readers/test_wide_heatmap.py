"""Wide tables of means: recognised and refused, since no cell says how many trials it is of."""

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials

ROUCHER = ",1000,9928,18857\n0,10.0,10.0,0.0\n7,10.0,8.5,0.0\n"


@pytest.mark.parametrize(
    "text",
    [
        ROUCHER,
        ROUCHER.replace(",", ";"),
        "Document Depth,4K,128K\n0,1,0.5\n100,1,0.9\n",
        ",2048,4096\nLlama-2-7b,1.0,0.35\n",
    ],
    ids=["lengths", "semicolons", "named depth and K", "language models as rows"],
)
def test_it_is_refused_with_what_to_read_instead(tmp_path, text):
    path = tmp_path / "gpt4.csv"
    path.write_text(text)
    with pytest.raises(
        FormatError,
        match=r"gpt4\.csv is a table of means .* how many trials .*expected single trials"
        r".*columns length,depth,n,k",
    ):
        read_trials(path)


@pytest.mark.parametrize("header", [",0,1,2", "1000,2000,4000", "length,4096", "id,4k,score"])
def test_other_headers_are_not_taken_for_one(tmp_path, header):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n" + ",".join("1" * (header.count(",") + 1)) + "\n")
    with pytest.raises(ValueError, match="expected") as caught:
        read_trials(path)
    assert "means" not in str(caught.value)
