"""The methods section of a paper, for what a report did, with the references it needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lcstats.lengths.answer import treatment_words
from lcstats.lengths.criterion import parse_treatment
from lcstats.options import percent
from lcstats.report.patterns import CEILING, CLIFF


@dataclass(frozen=True, slots=True)
class Reference:
    """One paper.

    Attributes
    ----------
    key : str
        Of its BibTeX entry.
    authors : str
        With `` and `` between them, as BibTeX has them.
    year : int
    title, journal, pages : str
    volume : int
    """

    key: str
    authors: str
    year: int
    title: str
    journal: str
    volume: int
    pages: str

    def bibtex(self) -> str:
        """Return the entry for a bibliography."""
        fields = {
            "author": self.authors,
            "year": self.year,
            "title": f"{{{self.title}}}",
            "journal": self.journal,
            "volume": self.volume,
            "pages": self.pages.replace("-", "--"),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@article{{{self.key},", *lines, "}"])

    def formatted(self) -> str:
        """Return the reference as a reader sees it.

        Examples
        --------
        >>> print(REFERENCES["holm1979"].formatted())
        Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian \
Journal of Statistics 6, 65-70.
        """
        names = self.authors.replace(" and ", ", ")
        journal = f"{self.journal} {self.volume}, {self.pages}"
        return f"{names} ({self.year}). {self.title}. {journal}."


_PAPERS = (
    Reference(
        "agresti2000",
        "Agresti, A. and Caffo, B.",
        2000,
        "Simple and effective confidence intervals for proportions and differences of proportions "
        "result from adding two successes and two failures",
        "The American Statistician",
        54,
        "280-288",
    ),
    Reference(
        "berger1982",
        "Berger, R. L.",
        1982,
        "Multiparameter hypothesis testing and acceptance sampling",
        "Technometrics",
        24,
        "295-300",
    ),
    Reference(
        "brown2001",
        "Brown, L. D. and Cai, T. T. and DasGupta, A.",
        2001,
        "Interval estimation for a binomial proportion",
        "Statistical Science",
        16,
        "101-133",
    ),
    Reference(
        "clopper1934",
        "Clopper, C. J. and Pearson, E. S.",
        1934,
        "The use of confidence or fiducial limits illustrated in the case of the binomial",
        "Biometrika",
        26,
        "404-413",
    ),
    Reference(
        "firth1993",
        "Firth, D.",
        1993,
        "Bias reduction of maximum likelihood estimates",
        "Biometrika",
        80,
        "27-38",
    ),
    Reference(
        "hoeffding1956",
        "Hoeffding, W.",
        1956,
        "On the distribution of the number of successes in independent trials",
        "The Annals of Mathematical Statistics",
        27,
        "713-721",
    ),
    Reference(
        "holm1979",
        "Holm, S.",
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics",
        6,
        "65-70",
    ),
    Reference(
        "mantel1963",
        "Mantel, N.",
        1963,
        "Chi-square tests with one degree of freedom; extensions of the Mantel-Haenszel procedure",
        "Journal of the American Statistical Association",
        58,
        "690-700",
    ),
    Reference(
        "wilson1927",
        "Wilson, E. B.",
        1927,
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association",
        22,
        "209-212",
    ),
)
REFERENCES: Mapping[str, Reference] = {paper.key: paper for paper in _PAPERS}
"""Papers by key, in alphabetical order."""


@dataclass(frozen=True, slots=True)
class Methods:
    """What a methods section says.

    Attributes
    ----------
    paragraphs : tuple of str
    references : tuple of Reference
        Those that the paragraphs rest on.
    """

    paragraphs: tuple[str, ...]
    references: tuple[Reference, ...]

    @property
    def bibtex(self) -> str:
        """The references as a BibTeX file."""
        return "\n\n".join(reference.bibtex() for reference in self.references) + "\n"


@dataclass(frozen=True, slots=True)
class _Part:
    """A paragraph, and the papers it rests on."""

    words: str
    cites: tuple[str, ...] = ()


def describe_methods(
    settings: Mapping[str, Any], bars: Mapping[str, float], level: float
) -> Methods:
    """Say how the numbers of a report were made.

    Parameters
    ----------
    settings : mapping
        As :func:`lcstats.report.settings.list_settings` returns them.
    bars : mapping of str to float
        Threshold of the spec sheet by kind of task.
    level : float
    """
    parts = tuple(_parts(settings, bars, level))
    cited = {key for part in parts for key in part.cites}
    return Methods(
        tuple(part.words for part in parts),
        tuple(paper for paper in _PAPERS if paper.key in cited),
    )


def _parts(settings: Mapping[str, Any], bars: Mapping[str, float], level: float) -> Iterator[_Part]:
    yield _length(settings, bars)
    yield _sets(settings, level)
    if "curve" in settings["method"]:
        yield _curve(settings)
    yield _accuracies(level)
    yield _patterns(level)


def _length(settings: Mapping[str, Any], bars: Mapping[str, float]) -> _Part:
    rule = {
        "absolute": "an accuracy of at least the threshold",
        "relative": "at least that share of the language model's accuracy at its base lengths",
        "above_chance": "at least that share of the way from guessing to 1",
    }[settings["rule"]]
    repeats = {
        "fold": "Repeats of a case were folded into one observation.",
        "independent": "Repeats of a case were counted as cases of their own.",
    }[settings["repeats"]]
    return _Part(
        "Effective length is the largest tested length such that it and every shorter tested "
        f"length reach {rule} ({treatment_words(settings['depth_treatment'])}); it was decided on "
        f"integer counts, and ties pass. The threshold was {settings['threshold']:g}; in the spec "
        f"sheet it was {bars['retrieval']:g} for retrieval and {bars['reasoning']:g} for reasoning "
        f"and aggregation. Trials without a score were left out and never counted as wrong. "
        f"{repeats}"
    )


def _sets(settings: Mapping[str, Any], level: float) -> _Part:
    words = f"Every effective length stands with a {percent(level)} set of consecutive lengths. "
    if parse_treatment(settings["depth_treatment"]).is_order:
        words += (
            "Sets for parts of a length are hybrid: the upper end comes from inverting exact tests "
            "on the raw cells, the lower end from the posterior of a smooth surface over length "
            "and depth with beta-binomial cells."
        )
    else:
        words += (
            "Sets are certified where cases are independent, 0/1 and balanced over depths: they "
            "invert exact tests of nested hypotheses, with binomial tails that hold whatever the "
            "depths' accuracies are (Hoeffding 1956). Elsewhere they come from Jeffreys Beta "
            "distributions of each length's accuracy (Brown, Cai and DasGupta 2001), and the "
            "report says so beside each."
        )
        return _Part(words, ("hoeffding1956", "brown2001"))
    return _Part(words)


def _curve(settings: Mapping[str, Any]) -> _Part:
    penalty = {
        "jeffreys": "with Jeffreys' penalty (Firth 1993), which keeps separated data finite",
        "none": "by plain maximum likelihood",
    }[settings["penalty"]]
    return _Part(
        "The curve is logistic in log2 of length, with a penalty for the middle of the context "
        f"that grows with length and a bonus for its end, fitted {penalty}. A parametric bootstrap "
        "tests its fit by length, by depth and by cell; a curve that fails is drawn dashed and not "
        "quoted.",
        ("firth1993",) if settings["penalty"] == "jeffreys" else (),
    )


def _accuracies(level: float) -> _Part:
    return _Part(
        f"Intervals of accuracies are Wilson's (1927) at {percent(level)}, on the number of "
        "independent cases that a mean over depths is worth. The interval of the worst cell is "
        "Clopper and Pearson's (1934), Bonferroni-corrected for all cells, because it was picked.",
        ("wilson1927", "clopper1934"),
    )


def _patterns(level: float) -> _Part:
    return _Part(
        "Patterns were tested without a curve. Trends over length within depths and over depth "
        "within lengths are Mantel's (1963); a middle dip has to be below both ends (Berger 1982). "
        f"Cliffs are losses beyond {CLIFF:g}, with a success and a failure added to each side "
        "(Agresti and Caffo 2000), Bonferroni-corrected for the places looked at; a ceiling is an "
        f"exact binomial test against {CEILING:g} at every length. P-values are one-sided and "
        f"Holm-corrected (1979) over the patterns of each language model and task; a pattern is "
        f"shown at {1 - level:.3g}. Over many groups some are shown by chance.",
        ("mantel1963", "berger1982", "agresti2000", "holm1979"),
    )
