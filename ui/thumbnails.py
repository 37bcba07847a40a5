"""Shows the picture of a point while the pointer is on it: plotly's own labels can hold text alone."""

from __future__ import annotations

import base64
import io
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from data.study import Study
from figures import pictures
from metrics.arrays import Integers
from ui import state

MOST = 200
"""Pictures sent to the browser: of more items none are, the picture beside the chart is always there."""
SIDE = 150
# The second number of a point's customdata is its item. The chart may be drawn anew: it is looked for now and then.
_JS = f"""
export default function (component) {{
  const {{ data }} = component;
  const image = document.createElement('img');
  Object.assign(image, {{ alt: '', className: 'tl-thumbnail' }});
  Object.assign(image.style, {{ position: 'fixed', zIndex: 999, width: '{SIDE}px', borderRadius: '6px',
    pointerEvents: 'none', display: 'none', boxShadow: '0 1px 8px rgba(0, 0, 0, .35)' }});
  document.body.appendChild(image);
  let chart = null;
  const hide = () => {{ image.style.display = 'none'; }};
  const show = (event) => {{
    const point = event.points.find((p) => Array.isArray(p.customdata));
    const source = point && data.pictures[point.customdata[1]];
    if (!source) return hide();
    if (image.getAttribute('src') !== source) image.src = source;
    const {{ clientX: x, clientY: y }} = event.event;
    const left = x < innerWidth / 2 ? x - {SIDE} - 16 : x + 16;
    image.style.left = Math.max(4, Math.min(left, innerWidth - {SIDE} - 4)) + 'px';
    image.style.top = Math.min(y + 14, innerHeight - {SIDE}) + 'px';
    image.style.display = 'block';
  }};
  const leave = () => {{
    if (!chart || !chart.removeListener) return;
    chart.removeListener('plotly_hover', show);
    chart.removeListener('plotly_unhover', hide);
  }};
  const look = () => {{
    const found = document.querySelector('.st-key-' + data.chart + ' .js-plotly-plot');
    if (!found || found === chart || !found.on) return;
    leave();
    chart = found;
    chart.on('plotly_hover', show);
    chart.on('plotly_unhover', hide);
  }};
  look();
  const timer = setInterval(look, 500);
  return () => {{ clearInterval(timer); leave(); image.remove(); }};
}}
"""


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("trilens_thumbnails", js=_JS)


def follow(study: Study, shown: Integers, chart: str) -> None:
    """Watch the chart of that key, whose points have (row, item) as customdata; nothing without pictures."""
    found = _thumbnails(study, study.digest, tuple(shown.tolist()), state.is_demo())
    if found:
        _component()(key=f"{chart}_thumbnails", data={"chart": chart, "pictures": found}, height=1)


@st.cache_resource(max_entries=8, show_spinner=False)
def _thumbnails(_study: Study, digest: str, shown: tuple[int, ...], demo: bool) -> dict[str, str]:
    if len(shown) > MOST:
        return {}
    paths = {str(k): pictures.picture(_study.items[k], demo) for k in shown}
    small = {k: _small(path) for k, path in paths.items() if path is not None}
    return {k: uri for k, uri in small.items() if uri}


def _small(path: Path) -> str:
    """A JPEG of at most SIDE pixels at twice the density as a data URI; "" for a file that is no picture."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            picture.draft("RGB", (2 * SIDE, 2 * SIDE))
            small = picture.convert("RGB")
            small.thumbnail((2 * SIDE, 2 * SIDE))
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=60)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()
