"""Entry point of the app: `streamlit run app.py`."""

from ui.frame import browser

browser.load_charts()  # First, so that the browser loads the chart library while this server imports the rest.

from ui import shell  # noqa: E402

shell.start()
