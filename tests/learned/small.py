"""Small networks that are trained briefly, for tests whose outcome does not depend on what the networks learn."""

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
    """Within this context, train networks for `epochs` epochs only, and COSMic's with narrow layers."""
    with pytest.MonkeyPatch.context() as here:
        here.setattr(cosmic, "PROJECTED", WIDTH)
        here.setattr(cosmic, "SIZES", tuple(min(WIDTH, size) for size in cosmic.SIZES))
        here.setattr(cosmic, "RECIPE", replace(cosmic.RECIPE, epochs=epochs))
        here.setattr(critique, "Recipe", partial(critique.Recipe, epochs=epochs))
        yield
