"""Frontier: Which model best balances quality and diversity?"""

from ui import render, shell
from ui.views import frontier, frontier_pair

shell.page(render.page("frontier", frontier.one_run, part="run", options=frontier_pair.known_pairs))
