"""The Overview: its sentences, the chart of the two orders, captions and triangles."""
