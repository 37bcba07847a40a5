// Back returns to the previous page or image. Streamlit adds every address that it writes to the browser's history; but
// here the address follows the controls of a page, so only another page or image becomes a new entry.

// Mounted on every page, and again on every rerun: the history is patched once.
export default function () {
  window.__trilensHistory ??= mended(window.history);
}

function mended(history) {
  const push = history.pushState.bind(history);
  let here = location.pathname, left = null, gone = null, acted = false;
  const image = (url) => url.searchParams.get("image");

  // A page may write the image that it opens with; only an image that somebody chose later becomes an entry.
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => { acted = true; }, true);

  // Streamlit may write the address of the next page before it leaves this one, whose entry must then be restored.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href], tr.go");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    left = new URL(location.href);
    gone = null;
    if (!link.href || new URL(link.href).pathname !== location.pathname) acted = false;
  }, true);
  // Back leaves a page whose last run may still arrive, which would reopen the page.
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
