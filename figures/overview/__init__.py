"""The Overview: its sentences, the chart of the runs in two orders, captions and triangles."""
