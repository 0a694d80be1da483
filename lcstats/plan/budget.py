"""A budget in one currency, and what a trial at every length takes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.options import check_option
from lcstats.plan.cost import Prices, trial_seconds, trial_tokens, trial_usd

Currency = Literal["tokens", "usd", "seconds"]

_PRICED: dict[str, Callable[[ArrayLike, Prices], NDArray[np.generic]]] = {
    "tokens": trial_tokens,
    "usd": trial_usd,
    "seconds": trial_seconds,
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a sweep may take.

    Parameters
    ----------
    amount : float
        Above 0.
    currency : {"tokens", "usd", "seconds"}
        Tokens sent and received, dollars, or seconds.
    prices : Prices
        Of a trial: output tokens, and the dollars or speeds that `currency` needs.

    Raises
    ------
    OptionError
        If the amount is no number above 0.

    Examples
    --------
    >>> Budget(2_000_000).trial_prices([4096, 131072]).tolist()
    [4096.0, 131072.0]
    """

    amount: float
    currency: Currency = "tokens"
    prices: Prices = field(default_factory=Prices)

    def __post_init__(self) -> None:
        """Refuse an amount that buys nothing."""
        check_option(self.currency, Currency, "currency")
        is_number = isinstance(self.amount, Real) and not isinstance(self.amount, bool)
        if not is_number or not isfinite(self.amount) or self.amount <= 0:
            raise OptionError(
                describe(
                    f"the budget is {self.amount!r} {self.currency}",
                    "expected a number above 0",
                    "pass Budget(5_000_000) for five million tokens, say",
                )
            )

    def trial_prices(self, lengths: ArrayLike) -> FloatArray:
        """Return what one trial takes at each length, shape (n_lengths,).

        Raises
        ------
        OptionError
            If `prices` lack what the currency needs.
        """
        return np.asarray(_PRICED[self.currency](lengths, self.prices), dtype=np.float64)

    def uniform_trials(self, lengths: ArrayLike, n_depths: int) -> int:
        """Return the trials per cell that the budget pays at all lengths and depths.

        Raises
        ------
        OptionError
            If it does not pay one.
        """
        once = float(self.trial_prices(lengths).sum()) * n_depths
        # A budget made of prices must pay for them, whatever their sum was rounded to.
        if self.amount * (1 + 1e-12) < once:
            raise OptionError(
                describe(
                    f"the budget is {self.amount:.10g} {self.currency}",
                    f"expected at least {once:.10g}, for one trial in every cell",
                    "raise the budget, or plan fewer lengths or depths",
                )
            )
        return int(self.amount * (1 + 1e-12) / once)
