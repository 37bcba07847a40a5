"""Triangles: what lies behind one TRM."""
