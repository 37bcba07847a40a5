"""Facts that only all files of a study together show: who wrote captions, which question was asked, and which texts and
ids recur.
"""
