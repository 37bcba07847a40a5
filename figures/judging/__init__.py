"""How far a judge's answers can be trusted: a row for each kind of question, sentences and tables."""
