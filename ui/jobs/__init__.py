"""Background work: the queue, the numbers of a study, and progress."""
