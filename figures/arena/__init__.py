"""Arena: strengths of runs, estimated from votes on pairs of captions."""
