"""Replicates: runs that differ only in a seed form one setting, with variation between seeds and over items."""
