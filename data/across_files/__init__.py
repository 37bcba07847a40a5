"""Facts that only all files of a study together show: who wrote captions, what was asked, which texts and ids recur."""
