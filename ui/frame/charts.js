// What charts need of the page they stand on.

const CHART = ".js-plotly-plot", STILL = 4;

// Mounted on every page, and again at every run of it: one pair of listeners and one look ahead do for all.
export default function ({ data }) {
  window.__trilensCharts ??= heard() && fetched(data.library);
}

// Streamlit asks for the library of charts at the first chart, which then waits for it longer than for all else.
function fetched(library) {
  const main = document.querySelector('script[type="module"][src*="/static/js/"]');
  const later = window.requestIdleCallback ?? ((run) => setTimeout(run, 500));
  if (main) later(() => import(new URL(library, main.src)).catch(() => {}));
  return true;
}

// plotly looks for the point below the pointer up to 50 ms after the last move. If the button is pressed before that,
// it knows the point of an earlier place, or finds itself in a drag and forgets it, and the click comes to nothing or to
// another point. So it looks when the button is pressed, and what it finds is kept for the click.
function heard() {
  let held = null;
  const press = (event) => {
    const drawn = event.button === 0 && event.target.closest?.(CHART);
    const points = drawn?._fullLayout ? below(drawn, event) : null;
    held = points?.length ? { drawn, points, x: event.clientX, y: event.clientY } : null;
  };
  const release = (event) => {
    const still = held && Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL;
    if (still && !held.drawn._hoverdata) held.drawn._hoverdata = held.points;
    held = null;
  };
  addEventListener("mousedown", press, true);
  addEventListener("click", beside, true);
  addEventListener("mouseup", release, true);
  return true;
}

// A click on the name or the numbers of a row, which stand beside the plot, is one on the row (`whole_row`).
function beside(event) {
  const drawn = event.isTrusted && event.target.closest?.(CHART);
  const plot = drawn?.layout?.meta === "rows" && drawn.querySelector(".nsewdrag");
  if (!plot) return;
  const { left, right, top, bottom, width } = plot.getBoundingClientRect(), y = event.clientY;
  if ((event.clientX >= left && event.clientX <= right) || y < top || y > bottom) return;
  const at = { bubbles: true, cancelable: true, view: window, button: 0, clientX: left + width / 2, clientY: y };
  plot.dispatchEvent(new MouseEvent("mousemove", at));
  plot.dispatchEvent(new MouseEvent("mousedown", at));
  document.elementFromPoint(at.clientX, y)?.dispatchEvent(new MouseEvent("mouseup", at));
}

// The points below the pointer now. plotly waits by the chart's id: under another one it does not.
function below(drawn, event) {
  const all = drawn._fullLayout, id = all._uid;
  all._uid = `${id} pressed`;
  event.target.dispatchEvent(new MouseEvent("mousemove", event));
  all._uid = id;
  return drawn._hoverdata;
}
