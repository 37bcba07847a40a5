"""Entry point of the app: `streamlit run app.py`."""

from ui import shell

shell.start()
