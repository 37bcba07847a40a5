// Draws a figure for paper in the browser and hands it over as a file: SVG with its fonts inside, or PNG.
// Everything comes from this server; nothing is sent anywhere.

const INK = "#1C1B1A", MUTED = "#67645E", FAMILY = '"IBM Plex Sans", "Helvetica Neue", Arial, sans-serif';
const TITLE = { size: 13, weight: 600, line: 17, colour: INK }, FOOT = { size: 10.6, weight: 400, line: 14, colour: MUTED };
const EDGE = 2;
const SVG = "http://www.w3.org/2000/svg";
const shared = (window.__trilensExport ??= {});

export default function ({ data, parentElement }) {
  const status = parentElement.querySelector("[role=status]");
  const [titled, noted] = ["title", "notes"].map((name) => parentElement.querySelector(`input[name=${name}]`));
  titled.closest("label").hidden = !data.title;
  noted.closest("label").hidden = !data.notes;
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = async () => {
      status.textContent = "Drawing…";
      try {
        const { kind, inches } = button.dataset;
        const svg = await drawn(data, Number(inches), titled.checked, noted.checked);
        const file = kind === "svg" ? new Blob([svg.text], { type: "image/svg+xml" }) : await raster(svg, data);
        hand(file, `${data.name}-${inches}in.${kind}`);
        status.textContent = "";
      } catch (error) {
        status.textContent = `Not saved: ${error.message ?? error}`;
      }
    };
  }
}

// plotly is fetched once per page, and only when somebody saves a figure.
function plotly(path) {
  return (shared.plotly ??= fetched(path).catch((error) => { shared.plotly = undefined; throw error; }));
}

// The app may be served below a path, and a page's address may end in a slash or not.
async function fetched(path) {
  const bases = [new URL("./", location.href), new URL(location.pathname.replace(/\/?$/, "/"), location.origin), new URL("../", location.href)];
  for (const base of bases) {
    const answer = await fetch(new URL(path, base));
    if (!answer.ok || !/javascript/.test(answer.headers.get("content-type") ?? "")) continue;
    const url = URL.createObjectURL(await answer.blob());
    const script = Object.assign(document.createElement("script"), { src: url });
    const loaded = new Promise((done, fail) => { script.onload = done; script.onerror = () => fail(new Error("plotly did not start")); });
    document.head.append(script);
    await loaded;
    script.remove();
    URL.revokeObjectURL(url);
    return window.Plotly;
  }
  throw new Error("plotly is not where the server has it");
}

async function drawn(data, inches, titled, noted) {
  const Plotly = await plotly(data.plotly);
  // Texts are measured before they are drawn, so the page's fonts must be loaded.
  await Promise.all([400, 600, 700].map((weight) => document.fonts.load(`${weight} 12px ${FAMILY}`)));
  const { figure: { data: traces, layout }, height } = data.sheets[inches];
  const width = (inches * 96) / data.scale;
  const figure = { data: traces, layout: { ...layout, width, height } };
  const plot = await Plotly.toImage(figure, { format: "svg", width, height, imageDataOnly: true });
  const below = [noted ? data.notes : "", data.footer].filter(Boolean).join("\n");
  return framed(data, inches, width, height, inner(plot), titled && data.title ? data.title : "", below);
}

function inner(text) {
  // Control characters are data too, and XML cannot hold them.
  const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  const read = new DOMParser().parseFromString(clean, "image/svg+xml");
  if (read.querySelector("parsererror")) throw new Error("the drawing could not be read");
  return read.documentElement;
}

function framed(data, inches, width, height, plot, title, below) {
  const heading = lines(title, TITLE, width), foot = lines(below, FOOT, width);
  const top = heading.length ? heading.length * TITLE.line + 8 : 0;
  const all = top + height + (foot.length ? 6 + foot.length * FOOT.line + 4 : 0);
  const out = node("svg", { width: `${inches}in`, height: `${((all / width) * inches).toFixed(4)}in`, viewBox: `0 0 ${round(width)} ${round(all)}`, role: "img" });
  out.append(node("title", {}, data.title || data.name), node("desc", {}, data.alt), node("metadata", {}, JSON.stringify(about(data))), node("style", {}, data.fonts));
  out.append(node("rect", { width: "100%", height: "100%", fill: "#FFFFFF" }));
  heading.forEach((line, i) => out.append(words(line, TITLE, 12 + i * TITLE.line)));
  plot.setAttribute("y", top);
  out.append(plot);
  foot.forEach((line, i) => out.append(words(line, FOOT, top + height + 6 + 10 + i * FOOT.line)));
  return { text: new XMLSerializer().serializeToString(out), inches, ratio: all / width };
}

// What does not fit into the picture: the meaning of its marks, the signatures of its numbers, and the program.
function about(data) {
  return { Software: data.software, Description: data.notes, Signature: data.signatures.join(" ") };
}

function words(line, style, y) {
  return node("text", { x: EDGE, y: round(y), "font-family": FAMILY, "font-size": style.size, "font-weight": style.weight, fill: style.colour }, line);
}

function node(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return made;
}

// Lines break at spaces, signatures, which have none, after a bar, and whatever is still too long anywhere.
function lines(text, style, width) {
  const pen = (shared.pen ??= document.createElement("canvas").getContext("2d"));
  pen.font = `${style.weight} ${style.size}px ${FAMILY}`;
  const fits = (line) => pen.measureText(line.trimEnd()).width <= width - 2 * EDGE;
  const found = [];
  for (const row of text ? text.split("\n") : []) {
    let line = "";
    for (const part of row.split(/(?<=[ |])/)) {
      if (line && !fits(line + part)) { found.push(line.trimEnd()); line = ""; }
      line += part;
      while (!fits(line) && line.length > 1) {
        let cut = line.length - 1;
        while (cut > 1 && !fits(line.slice(0, cut))) cut -= 1;
        found.push(line.slice(0, cut));
        line = line.slice(cut);
      }
    }
    found.push(line.trimEnd());
  }
  return found;
}

async function raster(svg, data) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(svg.inches * data.dpi);
  canvas.height = Math.round(svg.inches * data.dpi * svg.ratio);
  const png = new Uint8Array(await (await settled(canvas, image)).arrayBuffer());
  const chunks = [resolution(data.dpi), ...Object.entries(about(data)).filter(([, text]) => text).map(([key, text]) => note(key, text))];
  return new Blob([png.subarray(0, 33), ...chunks, png.subarray(33)], { type: "image/png" });
}

// Browsers report an image as decoded while its fonts are still loading, and draw it without text. So it is drawn
// again until nothing changes any more.
async function settled(canvas, image) {
  let last = -1;
  for (let turn = 0; turn < 20; turn += 1) {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the browser could not make a PNG");
    if (turn > 1 && blob.size === last) return blob;
    last = blob.size;
    await new Promise((done) => setTimeout(done, 80));
  }
  throw new Error("the fonts of the figure did not settle");
}

// Chunks follow the header (8 + 25 bytes). The resolution tells a word processor how wide the picture is.
function resolution(dpi) {
  const body = new DataView(new ArrayBuffer(9)), per_metre = Math.round(dpi / 0.0254);
  body.setUint32(0, per_metre);
  body.setUint32(4, per_metre);
  body.setUint8(8, 1);
  return chunk("pHYs", new Uint8Array(body.buffer));
}

// Plain ASCII as tEXt, which every reader knows; other letters as iTXt, which is UTF-8.
function note(key, text) {
  const plain = /^[\x20-\x7e]*$/.test(text);
  return chunk(plain ? "tEXt" : "iTXt", new TextEncoder().encode(`${key}\0${plain ? "" : "\0\0\0\0"}${text.replaceAll("\0", "\ufffd")}`));
}

function chunk(type, body) {
  const made = new Uint8Array(12 + body.length), view = new DataView(made.buffer);
  view.setUint32(0, body.length);
  made.set(new TextEncoder().encode(type), 4);
  made.set(body, 8);
  view.setUint32(8 + body.length, checksum(made.subarray(4, 8 + body.length)));
  return made;
}

function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function hand(file, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function round(value) {
  return Math.round(value * 100) / 100;
}
