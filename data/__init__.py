"""Studies: loading, checking and converting captions."""
