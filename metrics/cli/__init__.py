"""The command line: `trilens`."""
