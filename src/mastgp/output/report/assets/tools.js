"use strict";
/*
 * The menu of every chart: zoom and moves without a mouse, files of the picture and its numbers.
 * Legends that switch series off. What follows another width of the screen, and the printer.
 */
const mastTools = (() => {
  const C = mastCharts;
  const G = mastGestures;

  /* ---------------------------------------------------------------- files */

  function save(name, blob) {
    const link = C.html("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const fileName = (figure, ending) => `${(C.states.get(figure).options.name || "chart").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80)}.${ending}`;

  const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-family", "display"];

  const HEAD = 20; // pixels of a line above a saved picture
  const LETTER = 6.6;

  /* Lines above a saved picture: its name, what it says below that, and a legend of what is shown. */
  function headOf(figure, width, style) {
    const { options } = C.states.get(figure);
    const write = (x, line, text, colour, weight) => C.el("text", { x, y: HEAD * line - 5, style: `font:${weight} 12.5px ${style.fontFamily};fill:${colour}` }, text);
    const lines = [C.clipped(options.name || "", Math.floor(width / LETTER)), ...wrapped(options.note || "", Math.floor(width / LETTER))];
    const nodes = lines.map((text, i) => write(4, i + 1, text, style.color, i ? 400 : 600));
    let [x, line] = [4, lines.length + 1];
    const marks = [...(figure.closest("section") || document).querySelectorAll(".legend button[aria-pressed=true]")]
      .filter((button) => [...figure.querySelectorAll("[data-series]")].some((node) => node.dataset.series === button.dataset.series));
    marks.forEach((button) => {
      const wide = 22 + LETTER * button.textContent.length;
      if (x > 4 && x + wide > width) [x, line] = [4, line + 1];
      nodes.push(C.el("rect", { x, y: HEAD * line - 14, width: 12, height: 9, style: `fill:${getComputedStyle(button.querySelector("i")).backgroundColor}` }));
      nodes.push(write(x + 16, line, button.textContent, style.color, 400));
      x += wide + 10;
    });
    return { nodes, height: HEAD * (marks.length ? line : lines.length) + 4 };
  }

  /* Words in lines of at most so many letters. */
  function wrapped(text, letters) {
    return text.split(" ").filter(Boolean).reduce((lines, word) => {
      const last = lines[lines.length - 1];
      if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(C.clipped(word, letters));
      return lines;
    }, []);
  }

  /* The picture as it looks now: styles of the page are written into its elements. */
  function picture(figure) {
    const svg = figure.querySelector(".plot svg");
    const copy = svg.cloneNode(true);
    const from = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
      const style = getComputedStyle(from[i]);
      node.setAttribute("style", STYLES.map((key) => `${key}:${style.getPropertyValue(key)}`).join(";"));
    });
    const [width, tall] = [svg.width.baseVal.value, svg.height.baseVal.value];
    const page = getComputedStyle(document.body);
    const head = headOf(figure, width, page);
    copy.setAttribute("y", head.height);
    const whole = C.el("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: tall + head.height });
    whole.append(C.el("rect", { width: "100%", height: "100%", style: `fill:${page.backgroundColor}` }), ...head.nodes, copy);
    return { text: new XMLSerializer().serializeToString(whole), width, height: tall + head.height };
  }

  function savePng(figure) {
    const { text, width, height } = picture(figure);
    const image = new Image();
    image.onload = () => {
      const canvas = C.html("canvas", { width: 2 * width, height: 2 * height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(fileName(figure, "png"), blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }

  const saveSvg = (figure) => save(fileName(figure, "svg"), new Blob([picture(figure).text], { type: "image/svg+xml" }));

  /* Numbers of a chart as comma-separated text; a cell that a spreadsheet would run is made text. */
  function csvText(figure) {
    const cell = (value) => {
      if (typeof value === "number") return String(value);
      const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
      return `"${safe.replaceAll('"', '""')}"`;
    };
    return C.states.get(figure).options.table().map((row) => row.map(cell).join(",")).join("\r\n");
  }

  const saveCsv = (figure) => save(fileName(figure, "csv"), new Blob([csvText(figure)], { type: "text/csv" }));
  const VIEWS = [
    ["Zoom in", (figure) => G.zoomBy(figure, 2)],
    ["Zoom out", (figure) => G.zoomBy(figure, 0.5)],
    ["Show all", (figure) => G.setView(figure, {})],
  ];
  const MOVES = [["←", "Move left", [-0.3, 0]], ["→", "Move right", [0.3, 0]], ["↑", "Move up", [0, 0.3]], ["↓", "Move down", [0, -0.3]]];
  const FILES = [["Save as PNG", savePng], ["Save as SVG", saveSvg], ["Save numbers as CSV", saveCsv]];

  function button(words, action, attributes = {}) {
    const node = C.html("button", { type: "button", ...attributes }, words);
    node.addEventListener("click", action);
    return node;
  }

  /* A menu in the corner of a figure. It stays open for views, and closes for files. */
  function menu(c) {
    if (c.figure.querySelector(".tools")) return;
    const summary = C.html("summary", { "aria-label": `Tools: ${c.options.name || "chart"}`, title: "Zoom, move, save" }, "⋯");
    const close = () => { details.open = false; summary.focus(); };
    const drags = button("Drag to move", () => {
      const moves = drags.getAttribute("aria-pressed") !== "true";
      drags.setAttribute("aria-pressed", String(moves));
      G.setMoves(c.figure, moves);
      close();
    }, { "aria-pressed": "false", title: "Otherwise a drag zooms into what it covers" });
    const arrows = MOVES.map(([arrow, words, by]) => button(arrow, () => G.moveBy(c.figure, by), { "aria-label": words, title: words }));
    const details = C.html("details", { class: "tools" }, summary, C.html("div", {},
      ...VIEWS.map(([words, action]) => button(words, () => action(c.figure))),
      C.html("div", { class: "arrows" }, ...arrows),
      drags,
      ...FILES.map(([words, action]) => button(words, () => { action(c.figure); close(); }))));
    details.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
    });
    c.figure.prepend(details);
  }

  /* ---------------------------------------------------------------- legends */

  const { hidden } = G;

  function hide(within) {
    within.querySelectorAll("[data-series]").forEach((node) => {
      if (node.tagName !== "BUTTON") node.style.display = hidden.has(node.dataset.series) ? "none" : "";
    });
  }

  function connectLegends() {
    document.querySelectorAll("button[data-series]").forEach((button) => button.addEventListener("click", () => {
      const { series } = button.dataset;
      if (!hidden.delete(series)) hidden.add(series);
      document.querySelectorAll("button[data-series]").forEach((other) => {
        if (other.dataset.series === series) other.setAttribute("aria-pressed", String(!hidden.has(series)));
      });
      hide(document);
    }));
  }

  /* A menu closes when something else is pointed at. */
  document.addEventListener("pointerdown", (event) => document.querySelectorAll("details.tools[open]").forEach((own) => {
    if (!own.contains(event.target)) own.open = false;
  }));
  /* ---------------------------------------------------------------- screen and paper */

  function redraw() {
    document.querySelectorAll("figure").forEach((figure) => { if (C.states.has(figure)) C.render(figure); });
  }

  /* On paper charts have the width of a column, and what is folded is open. */
  function connectPrinting() {
    let folded = [];
    addEventListener("beforeprint", () => {
      folded = [...document.querySelectorAll("details:not(.tools):not([open])")];
      folded.forEach((details) => { details.open = true; });
      C.onPaper(330);
      redraw();
    });
    addEventListener("afterprint", () => {
      folded.forEach((details) => { details.open = false; });
      C.onPaper(null);
      redraw();
    });
  }

  /* Charts are drawn anew for another width, and for paper. */
  function connectScreen() {
    let width = innerWidth;
    let waiting = null;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(redraw, 150);
    });
    connectPrinting();
  }

  C.finish.push((c) => hide(c.svg), menu);
  return { connectLegends, connectScreen };
})();
