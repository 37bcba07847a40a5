"""The experiment with unique and correct captions, and the shares of variance that the two qualities explain."""
