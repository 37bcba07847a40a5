"""Load, check and convert studies of captions."""
