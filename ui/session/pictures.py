"""The pictures of the open study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from data.check import SEVERITIES, Finding, Loaded
from data.checks.duplicates import check_pictures
from data.findings import Log
from data.pictures.given_pictures import Pictures, together
from data.study import Item
from figures.images import pictures
from figures.images.pictures import Picture
from ui.session import state


def picture_of(item: Item) -> Picture | None:
    """Return the picture of an item in the open study, or None."""
    return pictures.picture(item, state.is_demo(), state.loaded())


def alone(given: Loaded) -> bool:
    """Return whether the new files are only pictures for the open study."""
    only = given.study is None and given.pictures is not None and not state.is_demo()
    return only and all(one.code == "pictures_alone" for one in given.errors)


def add(new: Loaded) -> bool:
    """Add pictures, which were opened separately, and their findings to the study.

    Return False if `state.update` fails.
    """
    found = [one for one in new.findings if one.code != "pictures_alone"]
    given = new.pictures
    if given is not None:
        given = replace(given, files=tuple(replace(one, apart=True) for one in given.files), pattern="")
    return state.update(lambda old: changed(old, together(old.pictures, given), [*old.findings, *found], found))


def changed(
    old: Loaded, given: Pictures | None, findings: Sequence[Finding], of_draft: Sequence[Finding] = ()
) -> Loaded:
    """Return the study with these pictures and findings. The findings `of_draft` survive repairs."""
    log = Log(tuple(one for one in findings if one.code != "same_pictures"))
    if old.study is not None:
        parts = old.draft.parts if old.draft else ()
        check_pictures(old.study, given, log, any(record.cluster for part in parts for record in part.records))
    ordered = tuple(sorted(log.findings(), key=lambda one: SEVERITIES.index(one.severity)))
    draft = old.draft and replace(old.draft, findings=(*old.draft.findings, *of_draft), pictures=given)
    return replace(old, pictures=given, findings=ordered, draft=draft)


def after(new: Pictures | None, old: Pictures | None) -> Pictures | None:
    """Return the pictures of a study whose files changed: the new ones and those that were opened separately.

    The old pattern of names stays. None if no picture and no pattern is left.
    """
    stay = old and replace(old, files=tuple(one for one in old.files if one.apart))
    return together(stay, new)
