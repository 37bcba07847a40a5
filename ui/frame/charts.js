// What charts need of the page they stand on.

const CHART = ".js-plotly-plot", REACH = 16, STILL = 4;

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
// it finds itself in a drag, forgets the point, and the click comes to nothing. The point is kept for it.
function heard() {
  let held = null;
  const press = (event) => {
    const drawn = event.button === 0 && event.target.closest?.(CHART);
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
  return true;
}

function near(drawn, { x, y, xaxis, yaxis }, { clientX, clientY }) {
  if (!xaxis?.d2p) return false;
  const { left, top } = drawn.getBoundingClientRect();
  return Math.hypot(left + xaxis._offset + xaxis.d2p(x) - clientX, top + yaxis._offset + yaxis.d2p(y) - clientY) < REACH;
}
