"""The Robustness page: a cell per fault and metric, one caption before and after damage, and sentences about them."""
