// What charts need from their page.

const CHART = ".js-plotly-plot", STILL = 4;

// Mounted on every page, and again on every rerun: one set of listeners and one prefetch suffice.
export default function ({ data }) {
  window.__trilensCharts ??= heard() && fetched(data.library);
}

// Streamlit loads the charting library only for the first chart, and that takes longer than everything else.
function fetched(library) {
  const main = document.querySelector('script[type="module"][src*="/static/js/"]');
  const later = window.requestIdleCallback ?? ((run) => setTimeout(run, 500));
  if (main) later(() => import(new URL(library, main.src)).catch(() => {}));
  return true;
}

// plotly looks up the point under the pointer as late as 50 ms after the last move. If the button is pressed earlier,
// plotly still has the point of a previous position, or takes the press for a drag, and the click is lost or selects
// another point. So we make it look when the button is pressed, and keep what it finds for the click.
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

// A click on the name or the numbers of a row, which are beside the plot, counts as one on the row (`whole_row`).
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

// The points under the pointer now. plotly throttles by the chart's id, so under another id it answers at once.
function below(drawn, event) {
  const all = drawn._fullLayout, id = all._uid;
  all._uid = `${id} pressed`;
  event.target.dispatchEvent(new MouseEvent("mousemove", event));
  all._uid = id;
  return drawn._hoverdata;
}
