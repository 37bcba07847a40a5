"""Work in the background: the queue, the numbers of a study, and progress."""
