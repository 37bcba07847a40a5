"""Write small workbooks without a library."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(merged: Sequence[str] = (), **sheets: Sequence[Sequence[str]]) -> bytes:
    """Return the bytes of a workbook with texts; `merged` are ranges of merged cells in its first sheet, such as
    A1:B1.
    """
    names = list(sheets)
    listed = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, name in enumerate(names, 1))
    kinds = "".join(f'<Relationship Id="r{k}" Type="{_RELATED}/worksheet" Target="s{k}.xml"/>' for k in _upto(names))
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    parts = "".join(
        f'<Override PartName="/xl/s{k}.xml" ContentType="{types}worksheet+xml"/>' for k in range(1, len(names) + 1)
    )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" '
        f'ContentType="{types}sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{kinds}</Relationships>',
    }
    for k, name in enumerate(names, 1):
        members[f"xl/s{k}.xml"] = _sheet(sheets[name], merged if k == 1 else ())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in members.items():
            archive.writestr(path, text)
    return file.getvalue()


def _upto(names: Sequence[str]) -> range:
    return range(1, len(names) + 1)


def _sheet(rows: Sequence[Sequence[str]], merged: Sequence[str]) -> str:
    def cell(row: int, column: int, text: str) -> str:
        return f'<c r="{chr(64 + column)}{row}" t="inlineStr"><is><t>{text}</t></is></c>' if text else ""

    made = (
        f'<row r="{n}">{"".join(cell(n, k, text) for k, text in enumerate(row, 1))}</row>'
        for n, row in enumerate(rows, 1)
    )
    ranges = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    spans = f'<mergeCells count="{len(merged)}">{ranges}</mergeCells>' if merged else ""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(made)}</sheetData>{spans}</worksheet>'
