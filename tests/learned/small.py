"""Networks of a few thousand weights, trained briefly, for tests whose law does not depend on what they learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from metrics.learned import cosmic, critique

WIDTH = 16


@contextmanager
def small_networks(epochs: int = 1) -> Iterator[None]:
    """Train COSMic's networks with narrow layers, and all networks for `epochs` alone."""
    with pytest.MonkeyPatch.context() as here:
        here.setattr(cosmic, "PROJECTED", WIDTH)
        here.setattr(cosmic, "SIZES", tuple(min(WIDTH, size) for size in cosmic.SIZES))
        here.setattr(cosmic, "RECIPE", replace(cosmic.RECIPE, epochs=epochs))
        here.setattr(critique, "Recipe", partial(critique.Recipe, epochs=epochs))
        yield
