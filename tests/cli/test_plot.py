import re

import pytest

FIRST_BYTES = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.mark.parametrize("kind", ["heatmap", "decay", "methods", "masses"])
def test_one_group_is_drawn_into_the_named_file(run, sweep, tmp_path, kind):
    path = tmp_path / f"{kind}.svg"
    result = run("plot", kind, sweep, "--select", "model=alpha", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"Written to {path}\n"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", FIRST_BYTES)
def test_the_suffix_is_the_format(run, sweep, tmp_path, suffix):
    path = tmp_path / f"decay.{suffix}"
    assert run("plot", "decay", sweep, "--select", "model=alpha", "-o", path).exit_code == 0
    assert path.read_bytes().startswith(FIRST_BYTES[suffix])


def test_several_groups_get_a_file_each(run_json, sweep, tmp_path):
    document = run_json("plot", "heatmap", sweep, "-o", tmp_path / "map.png")
    names = [f"map-{model}--needle.png" for model in ("alpha", "beta")]
    assert [entry["path"] for entry in document["files"]] == [str(tmp_path / n) for n in names]
    assert sorted(p.name for p in tmp_path.iterdir()) == names


def test_an_older_file_is_replaced(run, sweep, tmp_path):
    path = tmp_path / "decay.svg"
    path.write_text("old")
    assert run("plot", "decay", sweep, "--select", "model=alpha", "-o", path).exit_code == 0
    assert path.read_text() != "old"


def test_an_unknown_suffix_is_refused_before_reading(run, tmp_path):
    result = run("plot", "decay", tmp_path / "absent.csv", "-o", tmp_path / "decay.jpeg")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "write -o decay.svg, say" in result.stderr


def test_an_unknown_kind_lists_the_kinds(run, sweep):
    result = run("plot", "violin", sweep, "-o", "x.svg")
    assert result.exit_code == 2
    assert "'heatmap', 'decay', 'methods', 'depth', 'masses', 'residuals'" in result.stderr


def test_a_failure_leaves_nothing_behind(run, sweep, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("no ink")

    monkeypatch.setattr("lcstats.cli.plot.draw_group", fail)
    assert run("plot", "decay", sweep, "-o", tmp_path / "decay.svg").exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [(("plot", "decay"), "a.svg"), (("read",), "a.csv"), (("simulate",), "a.csv")],
    ids=["plot", "read", "simulate"],
)
def test_a_folder_that_is_not_there_is_not_made(run, sweep, tmp_path, command, name):
    paths = () if command == ("simulate",) else (sweep,)
    result = run(*command, *paths, "-o", tmp_path / "no" / "where" / name)
    assert (result.exit_code, result.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert f"make it with: mkdir -p {tmp_path}/no/where" in result.stderr


def test_the_decay_figure_has_the_curve_unless_it_is_left_out(run, sweep, tmp_path):
    with_curve, without = tmp_path / "curve.svg", tmp_path / "observed.svg"
    args = ("plot", "decay", sweep, "--select", "model=alpha")
    assert run(*args, "--method", "observed", "-o", without).exit_code == 0
    result = run(*args, "-o", with_curve)
    assert result.exit_code == 0
    assert "the terms separate right from wrong cells" in result.stderr
    assert "fitted curve" in with_curve.read_text("utf-8")
    assert "fitted curve" not in without.read_text("utf-8")


def test_residuals_of_an_average_say_that_tasks_have_curves_of_their_own(run, tmp_path):
    rows = [f"m,{t},{n}-{c},{n},{int(c < 3)}" for t in "ab" for n in (4096, 8192) for c in range(4)]
    (tmp_path / "two.csv").write_text("\n".join(["model,task,case,length,score", *rows]) + "\n")
    args = ("plot", "residuals", tmp_path / "two.csv", "--average-tasks", "-o", tmp_path / "r.svg")
    result = run(*args)
    assert result.exit_code == 2
    assert "averages tasks" in result.stderr
    assert "leave the tasks apart" in result.stderr


def test_the_methods_figure_has_every_method_that_was_asked_for(run, sweep, tmp_path):
    few, all_methods = tmp_path / "few.svg", tmp_path / "all.svg"
    args = ("plot", "methods", sweep, "--select", "model=alpha")
    assert run(*args, "--method", "observed", "-o", few).exit_code == 0
    assert run(*args, "--method", "observed,curve,flexible", "-o", all_methods).exit_code == 0
    assert "Curve: " not in few.read_text("utf-8")
    for words in ("Raw cells: 8K (to quote)", "Curve: 8K", "Flexible surface: 8K"):
        assert words in all_methods.read_text("utf-8")


@pytest.mark.parametrize("kind", ["heatmap", "decay"])
def test_together_all_groups_are_in_one_file(run_json, sweep, tmp_path, kind):
    path = tmp_path / "all.svg"
    document = run_json("plot", kind, sweep, "--together", "-o", path)
    assert [entry["path"] for entry in document["files"]] == [str(path)] * 2
    assert [entry["model"] for entry in document["files"]] == ["alpha", "beta"]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    words = path.read_text(encoding="utf-8")
    assert ">alpha" in words
    assert ">beta" in words


@pytest.mark.parametrize(("width", "points"), [("single", 3.3), ("double", 6.9), ("slide", 5.0)])
def test_the_width_is_that_of_the_preset(run, sweep, tmp_path, width, points):
    path = tmp_path / "a.svg"
    flags = ("--select", "model=alpha", "--width", width)
    assert run("plot", "masses", sweep, *flags, "-o", path).exit_code == 0
    (found,) = re.findall(r'<svg [^>]*width="([\d.]+)pt"', path.read_text(encoding="utf-8"))
    assert float(found) == pytest.approx(points * 72)


def test_theme_style_and_words_change_the_figure(run, sweep, tmp_path):
    looks = [(), ("--theme", "dark"), ("--style", "classic"), ("--words", "half-width")]
    files = []
    for number, look in enumerate(looks):
        path = tmp_path / f"{number}.svg"
        run("plot", "heatmap", sweep, "--select", "model=alpha", *look, "-o", path)
        files.append(path.read_text(encoding="utf-8").lower())
    assert len(set(files)) == len(looks)
    assert ["#16181c" in text for text in files] == [False, True, False, False]
    assert ["±" in text for text in files] == [False, False, False, True]


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        (("depth", "--together"), "forest shows several language models"),
        (("decay", "--style", "classic"), "draw a heatmap"),
        (("masses", "--words", "none"), "draw a heatmap"),
        (("latency",), "--map ttft_s=THEIRS"),
        (("cost",), "--price-in"),
    ],
)
def test_what_a_kind_cannot_show_is_refused(run, sweep, tmp_path, words, mend):
    result = run("plot", words[0], sweep, *words[1:], "-o", tmp_path / "a.svg")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert mend in result.stderr


def test_cost_is_drawn_from_prices(run, sweep, tmp_path):
    path = tmp_path / "cost.svg"
    result = run("plot", "cost", sweep, "--price-in", "2", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert "Cost per trial (US dollars)" in path.read_text(encoding="utf-8")


def test_a_posterior_predictive_check_is_drawn(run, sweep, tmp_path):
    path = tmp_path / "a.svg"
    flags = ("--select", "model=alpha")
    assert run("plot", "predictive", sweep, *flags, "-o", path).exit_code == 0
    assert "posterior predictive check" in path.read_text(encoding="utf-8")
