"use strict";
/*
 * What can be done with every chart: values where the pointer is, zoom by dragging, legends that
 * switch series off, and files of the picture and its numbers.
 */
const mastTools = (() => {
  const C = mastCharts;
  const FAR = 6; // pixels that the pointer moves before a click becomes a selection
  const NEAR = 28; // pixels within which a point is pointed at

  /* ---------------------------------------------------------------- values at the pointer */

  /* What is nearest in the direction of x: points of {x, text}, in pixels once they are scaled. */
  const nearestAcross = (points) => (c, px) => {
    const at = points.map((p) => c.x(p.x));
    const best = at.reduce((k, value, i) => (Math.abs(value - px) < Math.abs(at[k] - px) ? i : k), 0);
    return points.length ? { px: at[best], text: points[best].text } : null;
  };

  /* What is nearest in both directions, if it is near: points of {x, y, text}. */
  const nearestPoint = (points) => (c, px, py) => {
    let [best, least] = [null, NEAR];
    for (const point of points) {
      const away = Math.hypot(c.x(point.x) - px, c.y(point.y) - py);
      if (away < least) [best, least] = [{ px: c.x(point.x), py: c.y(point.y), text: point.text }, away];
    }
    return best;
  };

  function pixelOf(c, event) {
    const bounds = c.svg.getBoundingClientRect();
    return [((event.clientX - bounds.left) / bounds.width) * c.width, ((event.clientY - bounds.top) / bounds.height) * c.height];
  }

  function showTip(c, tip, [px, py]) {
    const found = c.options.hover ? c.options.hover(c, px, py) : null;
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = found.text;
    const grown = c.svg.getBoundingClientRect().width / c.width;
    const room = c.holder.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(found.px * grown - tip.offsetWidth / 2, room))}px`;
    tip.style.top = found.py === undefined ? "0" : `${Math.max(0, found.py * grown - tip.offsetHeight - 10)}px`;
  }

  /* ---------------------------------------------------------------- zoom */

  /* Whether an axis can be zoomed into: levels and whole numbers are few. */
  const isFree = (axis) => !axis.levels && !axis.fixed;

  function setView(figure, view) {
    const state = C.states.get(figure);
    const within = ([low, high], [from, to]) => [Math.max(low, from), Math.min(high, to)];
    const next = {};
    for (const [axis, ends] of Object.entries(view)) {
      const cut = within(ends, state.options[axis].domain);
      const whole = cut[0] === state.options[axis].domain[0] && cut[1] === state.options[axis].domain[1];
      if (isFree(state.options[axis]) && cut[1] > cut[0] && !whole) next[axis] = cut;
    }
    state.view = next;
    C.render(figure);
    if (state.options.zoomed) state.options.zoomed();
  }

  /* The part of a chart between two pixels, as a view. */
  function part(c, [x1, x2], [y1, y2]) {
    const ends = (scale, pixels) => pixels.map(scale.invert).sort((a, b) => a - b);
    return { x: ends(c.x, [x1, x2]), y: ends(c.y, [y1, y2]) };
  }

  /* More than 1 shows less of the chart, less than 1 more of it. */
  function zoomBy(figure, factor) {
    const c = C.render(figure);
    const { left, right, top, bottom } = c.box;
    const around = (from, to) => {
      const [middle, half] = [(from + to) / 2, (to - from) / 2 / factor];
      return [middle - half, middle + half];
    };
    setView(figure, part(c, around(left, right), around(top, bottom)));
  }

  function follow(c) {
    const tip = C.html("div", { class: "tip", hidden: "" });
    c.holder.append(tip);
    c.holder.classList.toggle("click", Boolean(c.options.click));
    let start = null;
    let frame = null;
    const inside = ([px, py]) => [
      Math.min(Math.max(px, c.box.left), c.box.right), Math.min(Math.max(py, c.box.top), c.box.bottom)];
    const corners = (event) => {
      const end = inside(pixelOf(c, event));
      // A flat selection is of one direction: it spans the whole of the other.
      const xs = Math.abs(end[0] - start[0]) < FAR || !isFree(c.options.x) ? [c.box.left, c.box.right] : [start[0], end[0]];
      const ys = Math.abs(end[1] - start[1]) < FAR || !isFree(c.options.y) ? [c.box.top, c.box.bottom] : [start[1], end[1]];
      return [xs.sort((a, b) => a - b), ys.sort((a, b) => a - b)];
    };
    const hasMoved = (event) => start && Math.hypot(...pixelOf(c, event).map((p, k) => p - start[k])) > FAR;
    c.svg.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button !== 0) return;
      start = inside(pixelOf(c, event));
      c.svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    c.svg.addEventListener("pointermove", (event) => {
      if (!hasMoved(event)) { showTip(c, tip, pixelOf(c, event)); return; }
      tip.hidden = true;
      const [xs, ys] = corners(event);
      if (!frame) c.svg.append((frame = C.el("rect", { class: "frame" })));
      for (const [key, value] of Object.entries({ x: xs[0], y: ys[0], width: xs[1] - xs[0], height: ys[1] - ys[0] })) frame.setAttribute(key, value);
    });
    c.svg.addEventListener("pointerup", (event) => {
      const selected = hasMoved(event) ? corners(event) : null;
      start = null;
      if (selected) setView(c.figure, part(c, ...selected));
      else if (c.options.click && event.button === 0) c.options.click(c, ...pixelOf(c, event));
    });
    c.svg.addEventListener("pointercancel", () => { start = null; });
    c.svg.addEventListener("pointerleave", () => { tip.hidden = true; });
    c.svg.addEventListener("dblclick", () => setView(c.figure, {}));
  }

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

  /* The picture as it looks now: styles of the page are written into its elements. */
  function svgText(figure) {
    const svg = figure.querySelector(".plot svg");
    const copy = svg.cloneNode(true);
    const from = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
      const style = getComputedStyle(from[i]);
      node.setAttribute("style", STYLES.map((key) => `${key}:${style.getPropertyValue(key)}`).join(";"));
    });
    const paper = C.el("rect", { width: "100%", height: "100%", style: `fill:${getComputedStyle(document.body).backgroundColor}` });
    copy.prepend(paper);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return new XMLSerializer().serializeToString(copy);
  }

  function savePng(figure) {
    const svg = figure.querySelector(".plot svg");
    const image = new Image();
    image.onload = () => {
      const canvas = C.html("canvas", { width: 2 * svg.width.baseVal.value, height: 2 * svg.height.baseVal.value });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(fileName(figure, "png"), blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(figure))}`;
  }

  /* Numbers of a chart as comma-separated text; a cell that a spreadsheet would run is made text. */
  function csvText(figure) {
    const cell = (value) => {
      if (typeof value === "number") return String(value);
      const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
      return `"${safe.replaceAll('"', '""')}"`;
    };
    return C.states.get(figure).options.table().map((row) => row.map(cell).join(",")).join("\r\n");
  }

  const COMMANDS = [
    ["Zoom in", (figure) => zoomBy(figure, 2)],
    ["Zoom out", (figure) => zoomBy(figure, 0.5)],
    ["Show all", (figure) => setView(figure, {})],
    ["Save as PNG", savePng],
    ["Save as SVG", (figure) => save(fileName(figure, "svg"), new Blob([svgText(figure)], { type: "image/svg+xml" }))],
    ["Save numbers as CSV", (figure) => save(fileName(figure, "csv"), new Blob([csvText(figure)], { type: "text/csv" }))],
  ];

  /* A menu in the corner of a figure. */
  function menu(c) {
    if (c.figure.querySelector(".tools")) return;
    const buttons = COMMANDS.map(([words, action]) => {
      const button = C.html("button", { type: "button" }, words);
      button.addEventListener("click", () => { action(c.figure); details.open = false; details.firstChild.focus(); });
      return button;
    });
    const details = C.html("details", { class: "tools" }, C.html("summary", { "aria-label": `Tools: ${c.options.name || "chart"}`, title: "Zoom, save" }, "⋯"), C.html("div", {}, ...buttons));
    details.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { details.open = false; details.firstChild.focus(); }
    });
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
    });
    c.figure.prepend(details);
  }

  /* ---------------------------------------------------------------- legends */

  const hidden = new Set();

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

  document.addEventListener("pointerdown", (event) => document.querySelectorAll("details.tools[open]").forEach((own) => {
    if (!own.contains(event.target)) own.open = false;
  }));
  C.finish.push((c) => hide(c.svg), follow, menu);
  return { nearestAcross, nearestPoint, pixelOf, connectLegends };
})();
