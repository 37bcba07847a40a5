"""The roles of columns, from what a person states, their names and their contents."""
