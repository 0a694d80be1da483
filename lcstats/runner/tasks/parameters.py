"""What tasks share: a label from the parameters that differ from the usual ones, and a record."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from lcstats.errors import OptionError, describe
from lcstats.options import check_whole


@dataclass(frozen=True, slots=True)
class Parameters:
    """Base of tasks whose parameters are whole numbers.

    Attributes
    ----------
    NAME : str
        Name of the task, without parameters.
    MOST : mapping of str to int
        The most that a parameter can be, where there is a most.
    """

    NAME: ClassVar[str] = ""
    MOST: ClassVar[Mapping[str, int]] = MappingProxyType({})
    takes_depth: ClassVar[bool] = True
    takes_length: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            check_whole(value, field.name, least=1)
            if value > self.MOST.get(field.name, value):
                raise OptionError(
                    describe(
                        f"{field.name} of {self.NAME} is {value}",
                        f"expected at most {self.MOST[field.name]}",
                        f"write {self.NAME}:{field.name}={self.MOST[field.name]}",
                    )
                )

    @property
    def label(self) -> str:
        """Name, and the parameters that are not the usual ones."""
        return _label(self)

    def describe(self) -> dict[str, Any]:
        """Return name and parameters."""
        return {"name": self.NAME, **asdict(self)}


@cache
def _label(task: Parameters) -> str:
    unusual = (f for f in fields(task) if getattr(task, f.name) != f.default)
    return ":".join([task.NAME, *(f"{f.name}={getattr(task, f.name)}" for f in unusual)])
