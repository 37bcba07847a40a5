// Back goes back one page. Streamlit makes an entry of the browser's history of every address that it writes; here the
// address follows the controls of a page, so only another page is a new entry.

// Mounted on every page, and again at every run of it: the history is mended once.
export default function () {
  window.__trilensHistory ??= mended(window.history);
}

function mended(history) {
  const push = history.pushState.bind(history);
  let here = location.pathname, left = null, gone = null;

  // Streamlit may write the address of the next page before it has left this one, whose entry then has to be put right.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href], tr.go");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    left = new URL(location.href);
    gone = null;
  }, true);
  // Back leaves a page whose last run may still be on its way, and would open it again.
  window.addEventListener("popstate", () => {
    if (here !== location.pathname) gone = here;
    here = location.pathname;
    left = null;
  });

  history.pushState = (state, title, url) => {
    const to = new URL(url ?? "", location.href);
    if (to.origin !== location.origin) return push(state, title, url);
    if (to.pathname === location.pathname) return history.replaceState(state, title, url);
    if (to.pathname === gone) return undefined;
    if (left?.pathname === location.pathname && left.href !== location.href) history.replaceState({}, "", left);
    left = null;
    here = to.pathname;
    return push(state, title, url);
  };
  return true;
}
