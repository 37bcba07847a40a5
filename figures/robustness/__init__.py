"""The Robustness page: a cell a fault and metric, one caption before and after, and what is said of them."""
