"""Suggest corrections of misspelt names, columns and ids, as sentences for a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

from data.findings import SHOWN, TrustedText, clip

SIMILAR = 0.8
"""Minimum similarity; two swapped letters in a five-letter word reach it."""
_SHORTEST = 4
_MOST = 20_000
"""Maximum number of ids among which a similar one is sought."""
_DIGIT, _PADDING = re.compile(r"\d"), re.compile(r"(?<!\d)0+(?=\d)")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name of which `name` may be a misspelling, with the same first letter, or None."""
    alike = [one for one in known if one[:1] == name[:1] and (one.isascii() or not name.isascii())]
    near = get_close_matches(name[:100], alike, 1, SIMILAR)
    return near[0] if near and len(name) >= _SHORTEST else None


def misspelt(names: Iterable[str], known: Iterable[str]) -> TrustedText:
    """Return " Did you mean `caption` for `captoin`?" for names that may be misspelt; "" if there are none."""
    valid = tuple(known)
    pairs = ((name, nearest(name, valid)) for name in names if name not in valid)
    told = [f"`{clip(near)}` for `{clip(name)}`" for name, near in pairs if near is not None]
    return TrustedText(f" Did you mean {', '.join(told[:SHOWN])}?" if told else "")


def same_items(wrong: Sequence[str], free: Iterable[str], matched: int) -> TrustedText:
    """Return " Is img_33 the same item as img_3?" for ids without a match and the most similar `free` ids; "" if no id
    is similar.

    If more ids fail to match than match, the files number items differently, and only ids that differ in case or
    padding are suggested.
    """
    folded = {_plain(one): one for one in islice(free, _MOST)}
    found = ((id, _nearest_id(id, folded, len(wrong) <= matched)) for id in wrong[:SHOWN])
    told = [f"{clip(id)} the same item as {clip(near)}" for id, near in found if near is not None]
    return TrustedText(f" Is {', or '.join(told)}?" if told else "")


def _nearest_id(id: str, folded: dict[str, str], alike: bool) -> str | None:
    """Return the id, among `folded`, that differs only in case or padding; None if there is none.

    If `alike`, a similar id will do instead, provided that it differs in more than digits.
    """
    name = _plain(id)
    if name in folded or not alike:
        return folded.get(name)
    near = get_close_matches(name, folded, 3, SIMILAR)
    return next((folded[one] for one in near if _DIGIT.sub("0", one) != _DIGIT.sub("0", name)), None)


def _plain(id: str) -> str:
    return _PADDING.sub("", id.casefold())
