// What charts need from their page.

const CHART = ".js-plotly-plot", PLOT = ".nsewdrag", STILL = 4;
const STOPS = { rows: ".barlayer .trace.bars path", marks: ".scatterlayer .points path" }, PLACE = '[class*="st-key-"]';

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
  addEventListener("keydown", entered, true);
  let waits = 0;
  new MutationObserver(() => { waits ||= setTimeout(() => { waits = 0; reachable(); }, 150); })
    .observe(document.body, { childList: true, subtree: true });
  return true;
}

// Tab reaches every row and every mark that can be clicked, and Enter clicks it. plotly draws them anew after each
// change; the focus then returns to the one that had it.
let chosen = null;
function reachable() {
  for (const drawn of document.querySelectorAll(CHART)) {
    const stops = stopsOf(drawn);
    for (const stop of stops.filter((one) => !one.hasAttribute("tabindex"))) {
      const said = { tabindex: "0", role: "button", "aria-label": traceOf(stop).name ?? "" };
      Object.entries(said).forEach((pair) => stop.setAttribute(...pair));
    }
    if (chosen && document.activeElement === document.body && chosen.place === placeOf(drawn)) stops[chosen.at]?.focus();
  }
}

function stopsOf(drawn) {
  const stops = STOPS[drawn.layout?.meta];
  return stops ? [...drawn.querySelectorAll(stops)].filter((one) => traceOf(one).customdata) : [];
}

function traceOf(mark) {
  return mark.closest(".trace")?.__data__?.[0]?.trace ?? {};
}

function placeOf(drawn) {
  return drawn.closest(PLACE)?.className;
}

function entered(event) {
  const stop = event.key === "Enter" && event.target.closest?.(`${CHART} path[tabindex]`);
  if (event.key === "Tab") chosen = null;
  if (!stop) return;
  event.preventDefault();
  const drawn = stop.closest(CHART), { left, width, top, height } = stop.getBoundingClientRect();
  chosen = { place: placeOf(drawn), at: stopsOf(drawn).indexOf(stop) };
  click(drawn.querySelector(PLOT), left + width / 2, top + height / 2);
}

// A click on the name or the numbers of a row, which are beside the plot, counts as one on the row (`whole_row`).
function beside(event) {
  const drawn = event.isTrusted && event.target.closest?.(CHART);
  const plot = drawn?.layout?.meta === "rows" && drawn.querySelector(PLOT);
  if (!plot) return;
  const { left, right, top, bottom, width } = plot.getBoundingClientRect(), y = event.clientY;
  if ((event.clientX >= left && event.clientX <= right) || y < top || y > bottom) return;
  click(plot, left + width / 2, y);
}

function click(plot, x, y) {
  const at = { bubbles: true, cancelable: true, view: window, button: 0, clientX: x, clientY: y };
  plot.dispatchEvent(new MouseEvent("mousemove", at));
  plot.dispatchEvent(new MouseEvent("mousedown", at));
  document.elementFromPoint(x, y)?.dispatchEvent(new MouseEvent("mouseup", at));
}

// The points under the pointer now. plotly throttles by the chart's id, so under another id it answers at once.
function below(drawn, event) {
  const all = drawn._fullLayout, id = all._uid;
  all._uid = `${id} pressed`;
  event.target.dispatchEvent(new MouseEvent("mousemove", event));
  all._uid = id;
  return drawn._hoverdata;
}
