"""How metrics can be fooled: people's captions, damaged more and more, and the share of the score that they keep."""
