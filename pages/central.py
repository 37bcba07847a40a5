"""Central captions: How close do models stay to the middle of what people say?"""

from ui import render, shell
from ui.views import central

shell.page(render.page("central", central.cards, part="cards", head=central.head, item=central.item))
