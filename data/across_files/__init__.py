"""What only the files of a study together show: who wrote, what was asked, and which texts and ids recur."""
