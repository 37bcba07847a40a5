"""Analyses of scored studies: what pages, reports and commands show, as arrays and plain data."""
