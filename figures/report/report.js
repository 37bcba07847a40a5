// Draws the charts of the report, light or dark like the reader's system, and light on paper.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const config = { displaylogo: false, displayModeBar: false, responsive: true };
  const charts = [...document.querySelectorAll("script[data-chart]")].map((script) => [document.getElementById(script.dataset.chart), script.textContent]);

  // The chart is stored once, with the parts that differ on a dark background.
  function figure(text, mode) {
    const { data, layout, dark: changes } = JSON.parse(text), whole = { data, layout };
    if (mode === "dark") {
      for (const [path, value] of changes) {
        const last = path[path.length - 1];
        const at = path.slice(0, -1).reduce((part, key) => (part[key] ??= {}), whole);
        if (value === null) delete at[last]; else at[last] = value;
      }
    }
    return { data: whole.data, layout: { template: TEMPLATES[mode], ...whole.layout } };
  }

  // A chart on a folded page is drawn when the page is opened.
  const drawn = new Map();
  function draw(mode) {
    for (const [place, text] of charts) {
      if (drawn.get(place) === mode || place.closest(".tl-page:not([open])")) continue;
      const { data, layout } = figure(text, mode);
      Plotly.react(place, data, layout, config);
      drawn.set(place, mode);
    }
  }

  const folded = () => document.querySelectorAll(":is(.tl-page, .tl-verdict details):not([open])");
  // Px between the margins of a sheet; whatever is wider is shrunk on paper, where nothing scrolls sideways.
  const SHEET = 690;
  const wide = () => document.querySelectorAll(".tl-scroll, .tl-wide");
  // Minimum width in px at which a leaderboard still has its bars.
  const BOARD = 920;
  function fit(box) {
    const chart = box.querySelector("[id^=chart-]"), least = chart && parseFloat(chart.style.minWidth);
    // A chart is redrawn at the width of the sheet.
    if (least) { if (least > SHEET) chart.style.zoom = SHEET / least; return; }
    if (box.classList.contains("tl-scroll")) { box.style.zoom = SHEET / BOARD; return; }
    box.style.width = `${SHEET}px`;
    const share = SHEET / box.scrollWidth;
    box.style.width = "";
    if (share < 1) box.firstElementChild.style.zoom = share;
  }
  let opened = [], ready = false, paper = false;
  // Parts opened for printing report this only after their charts were drawn, so charts stay light until it is done.
  const screen = () => ready && draw(dark.matches && !paper ? "dark" : "light");
  function follow() {
    const page = location.hash && document.getElementById(location.hash.slice(1));
    const part = page && page.querySelector(".tl-page:not([open])");
    if (part) { part.open = true; page.scrollIntoView(); }
  }
  addEventListener("load", () => document.fonts.ready.then(() => { ready = true; follow(); screen(); }));
  addEventListener("hashchange", follow);
  // A second click on a link does not change the address.
  addEventListener("click", (event) => { if (event.target.closest('a[href^="#"]')) setTimeout(follow); });
  addEventListener("toggle", screen, true);
  dark.addEventListener("change", screen);
  const all = document.querySelector(".tl-all");
  if (all) all.onclick = () => { for (const page of document.querySelectorAll(".tl-page")) page.open = true; };
  addEventListener("beforeprint", () => {
    paper = true;
    opened = [...folded()];
    opened.forEach((part) => { part.open = true; });
    wide().forEach(fit);
    draw("light");
  });
  addEventListener("afterprint", () => {
    paper = false;
    opened.forEach((part) => { part.open = false; });
    wide().forEach((box) => { box.style.zoom = box.firstElementChild.style.zoom = ""; });
    screen();
  });
})();
