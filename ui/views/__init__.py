"""The parts of the pages: one module per page."""
