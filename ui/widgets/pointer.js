// Shows the picture of the caption under the pointer, and preserves the zoom of a chart, which is lost when its figure
// changes and the chart is created anew.

const SIDE = 150, PAUSE = 60, SETTLED = 10;
const running = new WeakMap();
const pictures = new Map();

// Called again with new data, such as a requested picture.
export default function ({ data, parentElement, setTriggerValue }) {
  const at = running.get(parentElement) ?? started(parentElement);
  at.data = data;
  at.ask = (item) => setTriggerValue("wanted", item);
  if (data.item !== null) pictures.set(`${data.study} ${data.item}`, data.picture);
  at.draw();
  return at.stop;
}

function started(parentElement) {
  const at = { data: null, ask: null, chart: null, hovered: null, place: null, zoom: null, looks: 0 };
  const image = picture();
  const source = () => pictures.get(`${at.data.study} ${at.hovered}`);
  at.draw = () => {
    if (at.hovered === null || !source()) return void (image.style.display = "none");
    if (image.getAttribute("src") !== source()) image.src = source();
    const [x, y] = at.place;
    const left = x < innerWidth / 2 ? x - SIDE - 16 : x + 16;
    image.style.left = `${Math.max(4, Math.min(left, innerWidth - SIDE - 4))}px`;
    image.style.top = `${Math.min(y + 14, innerHeight - SIDE)}px`;
    image.style.display = "block";
  };
  let timer = 0;
  const over = ({ points, event }) => {
    const point = points.find((p) => Array.isArray(p.customdata));
    at.hovered = point && at.data.pictures ? point.customdata[1] : null;
    at.place = [event.clientX, event.clientY];
    at.draw();
    clearTimeout(timer);
    if (at.hovered !== null && source() === undefined) timer = setTimeout(() => at.ask(at.hovered), PAUSE);
  };
  const out = () => { at.hovered = null; clearTimeout(timer); at.draw(); };
  const moved = (change) => {
    if (Object.keys(change).some((name) => name.includes("axis"))) at.zoom = ranges(at.chart);
  };
  const heard = { plotly_hover: over, plotly_unhover: out, plotly_relayout: moved };
  const leave = () => {
    for (const [name, listener] of Object.entries(heard)) at.chart?.removeListener?.(name, listener);
  };
  // The chart may be replaced, so we look for it from time to time.
  const watch = setInterval(() => {
    const found = document.querySelector(`.st-key-${at.data.chart} .js-plotly-plot`);
    if (!found?.on || !found._fullLayout?.xaxis) return;
    if (found !== at.chart) {
      leave();
      out();
      at.chart = found;
      at.looks = SETTLED;
      for (const [name, listener] of Object.entries(heard)) found.on(name, listener);
    }
    // Until the chart has its final size, it may be redrawn as it was created.
    if (at.looks-- > 0) stay(found, at.zoom);
  }, 100);
  at.stop = () => { clearInterval(watch); clearTimeout(timer); leave(); image.remove(); running.delete(parentElement); };
  running.set(parentElement, at);
  return at;
}

// The visible part of a chart: the ends of its axes, and the plane to which they belong.
function ranges(chart) {
  const { xaxis, yaxis } = chart._fullLayout;
  return { plane: xaxis.uirevision, x: [...xaxis.range], y: [...yaxis.range] };
}

function stay(chart, zoom) {
  const now = ranges(chart);
  if (!zoom || now.plane !== zoom.plane || String([now.x, now.y]) === String([zoom.x, zoom.y])) return;
  window.Plotly?.relayout(chart, { "xaxis.range": [...zoom.x], "yaxis.range": [...zoom.y] });
}

function picture() {
  const image = document.createElement("img");
  Object.assign(image, { alt: "", className: "tl-thumbnail" });
  Object.assign(image.style, {
    position: "fixed", zIndex: 999, width: `${SIDE}px`, borderRadius: "6px", pointerEvents: "none", display: "none",
    boxShadow: "0 1px 8px rgba(0, 0, 0, .35)",
  });
  document.body.appendChild(image);
  return image;
}
