"""Slices: Where is a run better or worse?"""

from ui import render, shell
from ui.views import slices

shell.page(render.page("slices", slices.captions))
