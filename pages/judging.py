"""Judge: Can a judge's answers be trusted?"""

from ui import render, shell
from ui.views import judging, judging_ask

shell.page(render.page("judging", judging.answers, first=judging_ask.offer))
