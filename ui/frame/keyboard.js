// Where Tab begins. The menu stands before the page in the document; a page begins with its own controls, and the first
// stop is a button that leads to the menu.

const MAIN = '[data-testid="stMain"]', MENU = '[data-testid="stSidebarNavLink"]';

// Called when a page is opened.
export default function ({ data, parentElement }) {
  parentElement.querySelector("button").onclick = menu;
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
