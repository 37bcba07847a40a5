"""The parts of the pages: one module a page."""
