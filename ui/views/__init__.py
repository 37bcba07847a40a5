"""The parts of the pages, in one or more modules per page."""
