"""The experiment with unique and correct captions, and the shares of variance that each explains."""
