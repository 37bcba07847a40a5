"""Types of the arrays that the mathematics takes, and of the tail of a test."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.bool_]
"""One label per text: True for candidates, False for references."""

Alternative = Literal["greater", "less"]
