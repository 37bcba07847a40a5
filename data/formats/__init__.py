"""Loaders of files; each package imports only the packages named before it.

`nesting` turns JSON into rows; `columns` gives columns their roles; `tables` reads rows of captions; `containers` reads
bytes and text as tables; `numbers` reads scores and judgments; `known` contains the formats with a fixed structure.
`registry` lists the known formats in the order in which they are tried.
"""
