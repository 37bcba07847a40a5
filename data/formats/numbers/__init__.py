"""Numbers beside captions: scores of metrics, ratings and preferences of people, answers of a judge."""
