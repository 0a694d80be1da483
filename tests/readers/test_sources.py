"""From paths to contents: what is opened, what it is called, what is refused."""

import gzip
import io
import sys
import zipfile

import pyarrow as pa
import pytest

from lcstats.errors import FormatError, MissingExtraError
from lcstats.readers.sources import SMALL, STANDARD_INPUT, find_sources

CONTENT = b"length,score\n4096,1\n"


def contents(paths):
    return [source.content() for source in find_sources(paths)]


def names(paths):
    return [source.name for source in find_sources(paths)]


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/") + ".csv", data)
    return buffer.getvalue()


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "data",
    [
        CONTENT,
        gzip.compress(CONTENT),
        zipped(a=CONTENT),
        zstd(CONTENT),
        gzip.compress(zipped(a=CONTENT)),
    ],
    ids=["plain", "gz", "zip", "zst", "zip in gz"],
)
def test_compression_is_found_by_content(tmp_path, data):
    path = tmp_path / "results.csv"
    path.write_bytes(data)
    (source,) = find_sources(path)
    assert source.content() == CONTENT
    assert source.name == "results.csv"


def test_members_of_an_archive_have_names(tmp_path):
    path = tmp_path / "runs.zip"
    path.write_bytes(zipped(a=b"1", b__c=b"2"))
    assert names(path) == ["runs.zip!a.csv", "runs.zip!b/c.csv"]
    assert [source.folder for source in find_sources(path)] == ["runs.zip", "b"]


def test_a_folder_gives_its_visible_files_by_name(tmp_path):
    folder = tmp_path / "runs"
    for name in ("b.csv", "a.csv", ".hidden", "deep/c.csv", "deep/.git/d.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(CONTENT)
    assert names(folder) == ["runs/a.csv", "runs/b.csv", "runs/deep/c.csv"]
    assert names(str(folder) + "/") == names(folder)


def test_globs_and_lists_give_each_file_once(tmp_path):
    for name in ("a.csv", "b.csv", "[c].csv"):
        (tmp_path / name).write_bytes(CONTENT)
    assert len(names(str(tmp_path / "?.csv"))) == 2
    assert names([tmp_path / "b.csv", tmp_path / "a.csv", tmp_path / "b.csv"]) == ["b.csv", "a.csv"]
    assert names(tmp_path / "[c].csv") == ["[c].csv"]


def test_files_of_one_name_are_called_by_their_paths(tmp_path):
    paths = [tmp_path / "x" / "a.csv", tmp_path / "y" / "a.csv"]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(CONTENT)
    assert names(paths) == [str(path) for path in paths]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CONTENT))))
    (source,) = find_sources("-")
    assert (source.name, source.content(), source.folder) == (STANDARD_INPUT, CONTENT, "")


def test_of_a_long_file_only_the_start_is_held(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(b"x" * (SMALL + 10) + b"end")
    (source,) = find_sources(path)
    assert not source.is_whole
    assert (len(source.data), len(source.content())) == (SMALL, SMALL + 13)
    assert source.tail(3) == b"end"


@pytest.mark.parametrize("path", ["nowhere.csv", "no/*.csv"])
def test_a_path_to_nothing_is_refused(path):
    with pytest.raises(FormatError, match=r"does not exist; .*check the path"):
        find_sources(path)


def test_empty_folders_lists_and_archives_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"holds no files; .*check the path"):
        find_sources(tmp_path)
    with pytest.raises(FormatError, match="name what the sweep wrote"):
        find_sources([])
    (tmp_path / "a.zip").write_bytes(zipped(**{".hidden": CONTENT}))
    with pytest.raises(FormatError, match=r"a\.zip holds only 1 whose path.*check the path"):
        find_sources(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(CONTENT)[:-9],
        zstd(CONTENT)[:9],
        zipped(a=b"")[:40],
        zipped(a=CONTENT).replace(CONTENT, CONTENT[:-6]),
    ],
    # An archive's bytes hold the time it was made: as an id they differ between workers.
    ids=["gz", "zst", "zip-cut", "zip-content"],
)
def test_damaged_archives_are_refused(tmp_path, data):
    (tmp_path / "a.gz").write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.gz cannot be decompressed: .*copy it again"):
        find_sources(tmp_path / "a.gz")


def test_zstd_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("lcstats.extras.import_module", refuse)
    (tmp_path / "a.zst").write_bytes(zstd(CONTENT))
    with pytest.raises(MissingExtraError, match=r"pip install 'lcstats\[parquet\]'"):
        find_sources(tmp_path / "a.zst")


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(CONTENT)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FormatError, match=r"a\.csv cannot be read: permission denied; .*check its"):
        find_sources(path)


def test_a_file_that_is_spelled_twice_is_read_once(tmp_path):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    paths = [tmp_path / "a.csv", f"{tmp_path}/../{tmp_path.name}/a.csv", tmp_path]
    assert contents(paths) == [CONTENT]


@pytest.mark.parametrize("name", ["a.json", "a.parquet", "a.eval"])
def test_a_pointer_of_git_lfs_is_said_to_be_one(tmp_path, name):
    path = tmp_path / name
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    with pytest.raises(FormatError, match=r"pointer of Git LFS.*git lfs pull"):
        find_sources(path)
