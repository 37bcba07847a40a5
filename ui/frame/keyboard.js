// Where Tab begins. The menu stands before the page in the document; a page begins with its own controls, and the first
// stop is a button that leads to the menu. A panel stands after the page in the document: opened by a key, it has the
// focus, and Escape gives it back to its button.

const PANEL = '[data-testid="stPopoverBody"]', CONTROLS = "input, textarea, button, a[href]";
const MAIN = '[data-testid="stMain"]', MENU = '[data-testid="stSidebarNavLink"]';

// Called when a page is opened.
export default function ({ data, parentElement }) {
  parentElement.querySelector("button").onclick = menu;
  window.__trilensPanels ??= !document.addEventListener("click", entered);
  const main = document.querySelector(MAIN), last = window.__trilensPage;
  if (main && !(last?.main === main && last.page === data.page)) begin(main, data.page);
}

// On a new page, whoever has just loaded it or chosen it in the menu begins at its top; nobody is taken out of a control.
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

// A click without a mouse is a key.
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
