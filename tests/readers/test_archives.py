"""Zip members that are zstd streams: read, checked, and named where pyarrow is absent."""

import io
import zipfile

import pytest

from lcstats.errors import FormatError, MissingExtraError
from lcstats.readers.archives import read_member
from lcstats.readers.sources import find_sources

MEMBERS = {"a.csv": b"length,score\n4096,1\n", "deep/b.csv": b"x" * 100_000, "empty.csv": b""}


def read_all(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            member.filename: read_member(archive, member, data, name="a.zip")
            for member in archive.infolist()
        }


def test_zstd_members_are_read(zip_zstd):
    assert read_all(zip_zstd(MEMBERS)) == MEMBERS


def test_what_stands_before_an_archive_does_not_matter(zip_zstd):
    assert read_all(b"#!/bin/sh\n" + zip_zstd(MEMBERS)) == MEMBERS


def test_extra_fields_of_a_local_header_are_skipped(zip_zstd):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        member = zipfile.ZipInfo("a.csv")
        member.extra = b"\x99\x99\x04\x00data"
        archive.writestr(member, MEMBERS["a.csv"])
    assert read_all(buffer.getvalue()) == {"a.csv": MEMBERS["a.csv"]}


def test_a_folder_takes_them(tmp_path, zip_zstd):
    (tmp_path / "runs.zip").write_bytes(zip_zstd(MEMBERS))
    assert [source.content() for source in find_sources(tmp_path)] == [*MEMBERS.values()]


def test_a_damaged_member_is_refused(tmp_path, zip_zstd):
    data = zip_zstd({"a.csv": MEMBERS["a.csv"]})
    place = data.index(b"4096")
    (tmp_path / "a.zip").write_bytes(data[:place] + b"5" + data[place + 1 :])
    with pytest.raises(FormatError, match=r"a\.zip cannot be decompressed: .*copy it again"):
        find_sources(tmp_path / "a.zip")


def test_without_pyarrow_the_extra_is_named(tmp_path, zip_zstd, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    (tmp_path / "a.zip").write_bytes(zip_zstd(MEMBERS))
    monkeypatch.setattr("lcstats.extras.import_module", refuse)
    with pytest.raises(MissingExtraError, match=r"pip install 'lcstats\[parquet\]'"):
        find_sources(tmp_path / "a.zip")
