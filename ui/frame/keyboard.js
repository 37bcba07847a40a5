// Where a page begins, for eyes and for Tab. On a phone, its tab scrolls into view. The menu precedes the page in the document, but a page begins with its own controls, and the first
// stop is a button that leads to the menu. A panel follows the page in the document: if it is opened by a key, it gets
// the focus, and Escape returns the focus to its button.

const PANEL = '[data-testid="stPopoverBody"]', CONTROLS = "input, textarea, button, a[href]";
const MAIN = '[data-testid="stMain"]', MENU = '[data-testid="stSidebarNavLink"]';

// Called when a page is opened.
export default function ({ data, parentElement }) {
  parentElement.querySelector("button").onclick = menu;
  window.__trilensPanels ??= !document.addEventListener("click", entered);
  const main = document.querySelector(MAIN), last = window.__trilensPage;
  if (main && !(last?.main === main && last.page === data.page)) {
    begin(main, data.page);
  }
}

// A page that was just loaded, or chosen in the menu, begins at its top; the focus never leaves a control in use.
function begin(main, page) {
  const at = document.activeElement;
  window.__trilensPage = { main, page };
  if (at && at !== document.body && !at.closest('[data-testid="stSidebar"]')) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

function menu() {
  const here = () => [...document.querySelectorAll(MENU)].find((link) => link.getAttribute("aria-current") === "page")
    ?? document.querySelector(MENU);
  const open = document.querySelector('[data-testid="stExpandSidebarButton"]');
  if (!open) return void here()?.focus();
  open.click();
  setTimeout(() => here()?.focus(), 400);
}

// A click without a mouse comes from a key.
function entered(event) {
  const button = event.detail === 0 && event.target.closest?.('[data-testid="stPopover"] button');
  if (!button || button.closest(PANEL)) return;
  let left = 20;
  const enter = () => {
    const first = [...document.querySelectorAll(`${PANEL} :is(${CONTROLS})`)]
      .find((one) => one.tabIndex >= 0 && !one.disabled && !one.ariaLabel?.startsWith("Help"));
    if (document.activeElement !== button) return;
    if (first && button.ariaExpanded === "true") first.focus();
    else if (left--) setTimeout(enter, 50);
  };
  setTimeout(enter, 50);
}
