"""Unique vs correct: Does a metric see both correctness and variety?"""

from ui import render, shell
from ui.views import dominance, unique_correct

shell.page(
    render.page(
        "unique_correct", unique_correct.captions, part="captions", tabs=dominance.tabs, instead=dominance.show_alone
    )
)
