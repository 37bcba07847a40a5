"""Facts that show only when a study's files are read together: who wrote captions, which question was asked, and which
texts and ids recur.
"""
