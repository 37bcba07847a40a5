// What the pointer does on a chart of captions that plotly does not do: the picture of the point below it, and clicks
// that are heard although the hand moved just before.

const SIDE = 150, REACH = 16, STILL = 4, PAUSE = 60;
const running = new WeakMap();
const pictures = new Map();

// Called again with new data: a picture that was asked for.
export default function ({ data, parentElement, setTriggerValue }) {
  const at = running.get(parentElement) ?? started(parentElement);
  at.data = data;
  at.ask = (item) => setTriggerValue("wanted", item);
  if (data.item !== null) pictures.set(`${data.study} ${data.item}`, data.picture);
  at.draw();
  return at.stop;
}

function started(parentElement) {
  const at = { data: null, ask: null, chart: null, hovered: null, place: null };
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
  const leave = () => { at.chart?.removeListener?.("plotly_hover", over); at.chart?.removeListener?.("plotly_unhover", out); };
  // The chart may be drawn anew: it is looked for now and then.
  const watch = setInterval(() => {
    const found = document.querySelector(`.st-key-${at.data.chart} .js-plotly-plot`);
    if (!found || found === at.chart || !found.on) return;
    leave();
    at.chart = found;
    found.on("plotly_hover", over);
    found.on("plotly_unhover", out);
  }, 100);
  const quiet = heard(() => `.st-key-${at.data.chart} .js-plotly-plot`);
  at.stop = () => { clearInterval(watch); clearTimeout(timer); quiet(); leave(); image.remove(); running.delete(parentElement); };
  running.set(parentElement, at);
  return at;
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

// plotly looks for the point below the pointer up to 50 ms after the last move. If the button is pressed before that,
// it finds itself in a drag, forgets the point, and the click comes to nothing. The point is kept for it.
function heard(chart) {
  let held = null;
  const press = (event) => {
    const drawn = event.button === 0 && event.target.closest?.(chart());
    const points = drawn ? drawn._hoverdata : null;
    held = points?.length && near(drawn, points[0], event) ? { drawn, points, x: event.clientX, y: event.clientY } : null;
  };
  const release = (event) => {
    const still = held && Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL;
    if (still && !held.drawn._hoverdata) held.drawn._hoverdata = held.points;
    held = null;
  };
  addEventListener("mousedown", press, true);
  addEventListener("mouseup", release, true);
  return () => { removeEventListener("mousedown", press, true); removeEventListener("mouseup", release, true); };
}

function near(drawn, { x, y, xaxis, yaxis }, { clientX, clientY }) {
  if (!xaxis?.d2p) return false;
  const { left, top } = drawn.getBoundingClientRect();
  return Math.hypot(left + xaxis._offset + xaxis.d2p(x) - clientX, top + yaxis._offset + yaxis.d2p(y) - clientY) < REACH;
}
