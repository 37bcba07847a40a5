"""What all figures share: palette, numbers, wording, fonts and HTML."""
