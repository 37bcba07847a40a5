// Back goes back one page. Streamlit makes an entry of the browser's history of every address that it writes; here the
// address follows the controls of a page, so only another page is a new entry.

// Mounted on every page, and again at every run of it: the history is mended once.
export default function () {
  window.__trilensHistory ??= mended(window.history);
}

function mended(history) {
  const push = history.pushState.bind(history);
  let left = null;

  // Streamlit may write the address of the next page before it has left this one, whose entry then has to be put right.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (link && !link.target && !event.ctrlKey && !event.metaKey && !event.shiftKey) left = new URL(location.href);
  }, true);
  window.addEventListener("popstate", () => { left = null; });

  history.pushState = (state, title, url) => {
    const to = new URL(url ?? "", location.href);
    const here = to.origin === location.origin && to.pathname === location.pathname;
    if (here) return history.replaceState(state, title, url);
    if (left?.pathname === location.pathname && left.href !== location.href) history.replaceState({}, "", left);
    left = null;
    return push(state, title, url);
  };
  return true;
}
