"""What fools a metric: people's captions, damaged more and more, and the score that each metric lets them keep."""
