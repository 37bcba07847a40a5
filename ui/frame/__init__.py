"""The frame of a page: look, theme, charts, exports and errors."""
