"""Words: what a run says more, or less, often than people, as a chart, sentences and marked captions."""
