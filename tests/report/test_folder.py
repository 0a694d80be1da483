import json
from pathlib import Path

import pytest

from lcstats.errors import OptionError
from lcstats.report.folder import build_folder, check_folder, list_files, read_manifest


def build(folder: Path, files: dict[str, str]) -> None:
    manifest = {"schema_version": 1, "effective_length": {}, "files": [*files, "report.json"]}
    with build_folder(folder) as aside:
        for name, text in {**files, "report.json": json.dumps(manifest)}.items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).write_text(text)


def snapshot(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in list_files(folder)}


def test_a_new_folder_appears_whole(tmp_path):
    folder = tmp_path / "a" / "b" / "report"
    build(folder, {"index.html": "page", "tables/x.csv": "x"})
    assert list_files(folder) == ["index.html", "report.json", "tables/x.csv"]
    assert folder.stat().st_mode & 0o777 == (tmp_path / "a").stat().st_mode & 0o777
    assert [path.name for path in folder.parent.iterdir()] == ["report"]


def test_an_empty_folder_is_used(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    build(folder, {"index.html": "page"})
    assert list_files(folder) == ["index.html", "report.json"]


def test_an_earlier_report_is_replaced_and_other_files_stay(tmp_path):
    folder = tmp_path / "report"
    build(folder, {"index.html": "old", "tables/gone.csv": "old"})
    (folder / "tables" / "mine.csv").write_text("mine")
    build(folder, {"index.html": "new"})
    files = snapshot(folder)
    files.pop("report.json")
    assert files == {"index.html": "new", "tables/mine.csv": "mine"}


@pytest.mark.parametrize("exists", [False, True])
def test_a_failure_leaves_everything_as_it_was(tmp_path, exists):
    folder = tmp_path / "deep" / "report"
    if exists:
        build(folder, {"index.html": "old"})
    before = snapshot(tmp_path)
    with pytest.raises(IsADirectoryError):
        build(folder, {"index.html": "half way", ".": "no file"})
    assert snapshot(tmp_path) == before
    assert folder.exists() == exists
    assert (tmp_path / "deep").exists() == exists


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        '{"files": ["index.html"]}',
        '{"schema_version": 1, "effective_length": {}, "files": ["../mine.txt"]}',
        '{"schema_version": 1, "effective_length": {}, "files": ["/etc/passwd"]}',
    ],
)
def test_a_report_json_that_is_not_ours_does_not_make_a_folder_ours(tmp_path, manifest):
    (tmp_path / "report.json").write_text(manifest)
    assert read_manifest(tmp_path) is None
    with pytest.raises(OptionError, match="name another folder with -o"):
        check_folder(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "report").write_text("")
    with pytest.raises(OptionError, match="name another folder with -o"):
        check_folder(tmp_path / "report")


def test_what_an_interrupted_report_left_is_no_other_thing(tmp_path):
    (tmp_path / ".lcstats-partial-x").mkdir()
    check_folder(tmp_path)
