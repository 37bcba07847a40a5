"""Formulas of the registry as MathML, which browsers render without scripts or network, and screen readers can read."""

from __future__ import annotations

import re
from functools import cache

from latex2mathml.converter import convert

from figures.style.escaping import esc

_BAR = re.compile(r'<mover>((?:(?!</?mover>).)*)<mo accent="true">&#x02015;</mo></mover>')
# The converter takes these signs for names: as operators, they get space around them.
# Few fonts have the small set minus; papers print a backslash for it.
_SIGNS = {
    "<mi>&#x029F5;</mi>": '<mo lspace="0.2em" rspace="0.2em">\\</mo>',
    "<mi>&#x0007E;</mi>": '<mo lspace="0.3em" rspace="0.3em">~</mo>',
    ">\\{</mo>": ">{</mo>",
    ">\\}</mo>": ">}</mo>",
}


@cache
def mathml(formula: str) -> str:
    """Return a LaTeX formula as a `math` element, with its source in `alttext`; for built-in formulas only."""
    # Browsers need no namespace; readers can copy `alttext`.
    drawn = convert(formula, xmlns="", display="block").replace(' xmlns=""', f' alttext="{esc(formula)}"', 1)
    # A bar over several signs stretches only in a mathematical font; a border always does.
    drawn = _BAR.sub(r'<mrow class="tl-bar">\1</mrow>', drawn)
    for sign, better in _SIGNS.items():
        drawn = drawn.replace(sign, better)
    return drawn
