"""The command line: `python -m metrics`."""
