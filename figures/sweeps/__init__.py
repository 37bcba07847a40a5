"""The sweeps of temperatures and decoders: charts, words and tables."""
