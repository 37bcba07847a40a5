"""Entry point of the app: `streamlit run app.py`."""

from ui.frame import browser, early

# First, so that the browser shows the menu and loads the chart library while this server imports the rest.
early.show()
browser.load_charts()

from ui import shell  # noqa: E402

shell.start()
