"""Presentation of numbers: Plotly figures, sentences, LaTeX, HTML and the report."""
