"""Style shared by all figures: palette, numbers, wording, fonts and HTML."""
