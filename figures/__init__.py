"""What numbers look like: Plotly figures, sentences, LaTeX, HTML and the report."""
