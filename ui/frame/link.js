// A button that copies the address of the view, and says so.

const SHOWN = 2500;

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("[role=status]");
  button.title = data.about;
  let timer = 0;
  const say = (text) => {
    status.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => { status.textContent = ""; }, SHOWN);
  };
  button.onclick = async () => {
    try {
      await copied(location.href, button);
      say("Copied");
    } catch {
      say("Not copied: copy the address above");
    }
  };
  return () => clearTimeout(timer);
}

// Browsers grant the clipboard only to pages on this machine or over https; the older way works everywhere.
async function copied(text, button) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  button.focus();
  if (!done) throw new Error("refused");
}
