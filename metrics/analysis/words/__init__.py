"""Words and phrases that a run uses more or less often than people do."""
