"""The numbers of a figure as one table, for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from figures.export.latex import Side


@dataclass(frozen=True)
class Table:
    """The numbers of a panel: `frame` returns all columns under the names that programs read.

    `labels` maps the columns that people see to their headings, in order; `brief` are those that fit a terminal.
    `formats` (see `formed`) are for columns that `digits` decimals do not suit. `file` is the name of the output file,
    `best` gives the better end of each heading under which rows are compared; `caption` is the caption of the LaTeX
    table.
    """

    frame: Callable[[], pd.DataFrame]
    labels: Mapping[str, str]
    file: str
    formats: Mapping[str, str] = field(default_factory=dict)
    digits: int = 3
    brief: Sequence[str] = ()
    best: Mapping[str, Side] = field(default_factory=dict)
    caption: str = ""

    @classmethod
    def of_studies(cls, tables: Mapping[str, Table]) -> Table:
        """Return the tables of several studies as one table whose first column names the study."""

        def frame() -> pd.DataFrame:
            import pandas as pd

            return pd.concat([one.frame().assign(study=name) for name, one in tables.items()])[columns]

        first = next(iter(tables.values()))
        columns = ["study", *first.frame().columns]
        brief = ("study", *(first.brief or first.labels))
        return replace(first, frame=frame, labels={"study": "Study", **first.labels}, brief=brief, best={})

    @classmethod
    def plain(
        cls,
        frame: Callable[[], pd.DataFrame],
        columns: Iterable[str],
        file: str,
        formats: Mapping[str, str] | None = None,
    ) -> Table:
        """Return a table whose columns have the same names for people and programs."""
        return cls(frame, {name: name for name in columns}, file, formats or {})

    def readable(self) -> pd.DataFrame:
        """Return the columns that people see, under their headings."""
        return self.frame()[list(self.labels)].rename(columns=dict(self.labels))

    @property
    def printf(self) -> dict[str, str]:
        """The formats by heading."""
        return {self.labels[name]: form for name, form in self.formats.items()}
