// Back goes back one page. Streamlit makes an entry of the browser's history of every address that it writes; here the
// address follows the controls of a page, so only another page is a new entry.

// Mounted on every page, and again at every run of it: the history is mended once.
export default function () {
  window.__trilensHistory ??= mended(window.history);
}

function mended(history) {
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const to = new URL(url ?? "", location.href);
    const here = to.origin === location.origin && to.pathname === location.pathname;
    return here ? history.replaceState(state, title, url) : push(state, title, url);
  };
  return true;
}
