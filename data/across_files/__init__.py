"""Facts that no file of a study shows alone: who wrote captions, which question was asked, and which texts and ids
recur.
"""
