"""Words: What does a run say too often, and what too rarely?"""

from ui import render, shell
from ui.views import words

shell.page(render.page("words", words.captions))
