"""The mathematics beneath the metrics: arrays in, numbers out, with no knowledge of studies."""
