"""Streamlit user interface: the shell, the parts of the pages, sessions and jobs."""
