"""Figures and tables for papers: LaTeX, image formats and MathML."""
