// Back goes back one page, or to the image before. Streamlit makes an entry of the browser's history of every address
// that it writes; here the address follows the controls of a page, so only another page or another image is a new entry.

// Mounted on every page, and again at every run of it: the history is mended once.
export default function () {
  window.__trilensHistory ??= mended(window.history);
}

function mended(history) {
  const push = history.pushState.bind(history);
  let here = location.pathname, left = null, gone = null, acted = false;
  const image = (url) => url.searchParams.get("image");

  // A page may write the image that it begins with: only one that somebody has gone to since is an entry.
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => { acted = true; }, true);

  // Streamlit may write the address of the next page before it has left this one, whose entry then has to be put right.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href], tr.go");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    left = new URL(location.href);
    gone = null;
    if (!link.href || new URL(link.href).pathname !== location.pathname) acted = false;
  }, true);
  // Back leaves a page whose last run may still be on its way, and would open it again.
  window.addEventListener("popstate", () => {
    if (here !== location.pathname) gone = here;
    here = location.pathname;
    left = null;
    acted = false;
  });

  history.pushState = (state, title, url) => {
    const to = new URL(url ?? "", location.href);
    if (to.origin !== location.origin) return push(state, title, url);
    if (to.pathname === location.pathname) {
      const another = acted && image(to) !== image(new URL(location.href));
      acted = false;
      return another ? push(state, title, url) : history.replaceState(state, title, url);
    }
    acted = false;
    if (to.pathname === gone) return undefined;
    if (left?.pathname === location.pathname && left.href !== location.href) history.replaceState({}, "", left);
    left = null;
    here = to.pathname;
    return push(state, title, url);
  };
  return true;
}
