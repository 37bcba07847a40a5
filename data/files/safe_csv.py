"""Write CSV that a spreadsheet cannot execute; every CSV and TSV that leaves Trilens is written here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Matches also after apostrophes, so that the first one of a guarded text is always ours and can be removed again.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def to_csv(frame: pd.DataFrame, separator: str = ",") -> bytes:
    """Return a table as UTF-8 with a header but no index, numbers at full precision, missing values empty, and texts
    and column names as `guarded` returns them.
    """
    texts = {c: frame[c].map(guarded) for c in frame.columns if frame[c].dtype.kind not in "iufb"}
    safe = frame.assign(**{str(c): values for c, values in texts.items()}) if texts else frame
    safe = safe.rename(columns=guarded)
    return bytes(safe.to_csv(index=False, sep=separator, lineterminator="\n").encode("utf-8", "replace"))


def guarded(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would read as a formula; return anything else unchanged.

    Numbers as text, such as "-0.5", stay. To restore a table, remove the first apostrophe of every cell that begins
    with one or more apostrophes followed by one of = + - @, a tab or a line break. Source: OWASP, CSV Injection.
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
