// Watches the page's displayed background: no traffic until it changes, then one rerun of the page.
export default function (component) {
  const host = component.parentElement.host || component.parentElement;
  const read = () => getComputedStyle(host).getPropertyValue('--st-background-color').trim();
  let seen = read();
  const timer = setInterval(() => {
    const now = read();
    if (now && seen && now !== seen) component.setTriggerValue('switched', now);
    seen = now || seen;
  }, 300);
  return () => clearInterval(timer);
}
