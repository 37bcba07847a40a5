"""The leaderboard: rows, words, HTML, picture and LaTeX."""
