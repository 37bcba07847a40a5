"""The Robustness page: a cell for each fault and metric, one caption before and after damage, and sentences."""
