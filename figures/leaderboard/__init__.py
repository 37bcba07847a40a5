"""The leaderboard: rows, words, HTML and LaTeX."""
