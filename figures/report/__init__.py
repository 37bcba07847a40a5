"""The report: every view as one HTML file."""
