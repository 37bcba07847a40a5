"""Arena: Which run is preferred, and how surely?"""

from ui import render, shell

shell.page(render.page("arena"))
