"""Judge: Can the answers of a judge be trusted?"""

from ui import render, shell
from ui.views import judging

shell.page(render.page("judging", judging.answers))
