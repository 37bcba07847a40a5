"""Bring together what files say of the same item, run and caption."""
