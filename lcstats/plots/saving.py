"""Write figures: format by suffix, whole files only, equal figures as equal bytes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text

from lcstats.errors import OptionError, describe
from lcstats.plots.fonts import quiet_about_fonts, spell_out
from lcstats.plots.style import STYLE_FILE

UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


def save_figure(figure: Figure, path: str | os.PathLike[str], *, dpi: float | None = None) -> Path:
    r"""Write a figure as SVG, PDF or PNG.

    Text is kept as text in SVG and PDF. Files carry no date, so that equal figures are equal
    files; a file appears whole or not at all. Characters that no installed font has stay as
    they are in SVG, where the reader's fonts draw them, and are spelled out (``\u30e2``) in the
    other two.

    Parameters
    ----------
    figure : Figure
        ``axes.figure`` of what a ``plot_*`` function returned.
    path : str or path-like
        The suffix chooses the format: .svg, .pdf or .png.
    dpi : float, optional
        Dots per inch of PNG; three times as many as on the screen, and at least 300, unless given.

    Returns
    -------
    Path

    Raises
    ------
    OptionError
        If the suffix is another one or the folder does not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_figure(Figure(), Path(folder) / "empty.svg").name
    'empty.svg'
    """
    path = Path(path)
    file_format = _format_of(path)
    if not path.parent.is_dir():
        raise OptionError(
            describe(
                f"the folder {path.parent} does not exist",
                "expected an existing folder to write a figure to",
                "make the folder first, or correct the path",
            )
        )
    _write_whole(path, render_figure(figure, file_format, dpi=dpi))
    return path


def render_figure(figure: Figure, file_format: str, *, dpi: float | None = None) -> bytes:
    """Return the bytes of a figure as ``svg``, ``pdf`` or ``png``, as :func:`save_figure` does."""
    buffer = BytesIO()
    dpi = max(300.0, 3.0 * figure.dpi) if dpi is None else dpi
    words = nullcontext() if file_format == "svg" else _spelled_out(figure)
    fonts = _without_layout_tables() if file_format == "pdf" else nullcontext()
    with mpl.rc_context(_output_settings()), words, fonts, quiet_about_fonts():
        figure.savefig(buffer, format=file_format, dpi=dpi, metadata=UNDATED[file_format])
    return buffer.getvalue()


@contextmanager
def _without_layout_tables() -> Iterator[None]:
    """Leave a font's ligature and kerning tables out of what is embedded in a PDF.

    A PDF places every glyph itself and never looks at them; cutting them down to the glyphs used
    takes most of the time that a figure needs. fontTools has no other door for who calls it last,
    so where its default list is not found the tables are cut down as ever. It takes a while to
    import, and only PDFs need it.
    """
    options = import_module("fontTools.subset").Options
    kept = getattr(options, "_drop_tables_default", None)
    if kept is None:
        yield
        return
    options._drop_tables_default = [*kept, "GDEF", "GPOS", "GSUB", "MATH", "kern"]
    try:
        yield
    finally:
        options._drop_tables_default = kept


def _format_of(path: Path) -> str:
    file_format = path.suffix.lower().removeprefix(".")
    if file_format not in UNDATED:
        raise OptionError(
            describe(
                f"{path.name} does not say a format for figures",
                "expected a name that ends in .svg, .pdf or .png",
                "write figure.svg, say",
            )
        )
    return file_format


@lru_cache(maxsize=1)
def _output_settings() -> dict[Any, Any]:
    """Return what the style file says about files; the rest was settled when drawing."""
    settings = mpl.rc_params_from_file(STYLE_FILE, use_default_template=False)
    return {key: value for key, value in settings.items() if key.startswith(("svg.", "pdf."))}


@contextmanager
def _spelled_out(figure: Figure) -> Iterator[None]:
    """Spell out what no font can draw; titles keep room for it."""
    texts: list[Any] = figure.findobj(Text)
    words = [text.get_text() for text in texts]
    try:
        for text in texts:
            text.set_text(spell_out(text))
        yield
    finally:
        for text, said in zip(texts, words, strict=True):
            text.set_text(said)


def _write_whole(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
