// Links in our own tables and figures are followed within the session, without reloading the page. A click on a row
// follows its link. Without this script, and in a new tab, they are ordinary links.

const LINK = "a.tl-go[href]", ROW = "tr.go";

// Mounted on every page, and again on every rerun: one listener suffices, and sends to the latest mount.
export default function ({ setTriggerValue }) {
  window.__trilensFollow = { go: (href) => setTriggerValue("go", href) };
  window.__trilensFollows ??= !document.addEventListener("click", followed);
}

function followed(event) {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest?.(LINK) ?? event.target.closest?.(ROW)?.querySelector(LINK);
  if (!link || String(getSelection())) return;
  event.preventDefault();
  window.__trilensFollow.go(link.getAttribute("href"));
}
