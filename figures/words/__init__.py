"""Words that a run uses more, or less, often than people, as a chart, sentences and marked captions."""
