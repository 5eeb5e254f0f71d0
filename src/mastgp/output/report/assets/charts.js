"use strict";
/*
 * Small charts in SVG: axes, lines, bands, points, bars and maps. They take their colours from the
 * page's style, so that they follow dark and light, the screen and the printer.
 */
const mastCharts = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LETTER = 6.4; // width of a small letter in pixels

  function el(name, attributes = {}, text) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function html(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  /* Numbers as people read them: so many significant digits, no more zeros than needed. */
  function short(value, digits = 4) {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
    const shown = value.toPrecision(digits);
    return (shown.includes("e") ? String(Number(shown)) : shown.includes(".") ? shown.replace(/\.?0+$/, "") : shown)
      .replace("-", "−");
  }

  /* As many decimals as the uncertainty deserves: two digits of it. */
  function besideError(value, error) {
    if (!(error > 0) || !Number.isFinite(value)) return short(value, 5);
    const decimals = 1 - Math.floor(Math.log10(error));
    if (decimals > 6 || decimals < -4 || Math.abs(value) >= 1e7) return short(value, 6);
    return value.toFixed(Math.max(decimals, 0)).replace("-", "−");
  }

  function ticks(low, high, count) {
    if (!(high > low)) return [low];
    const raw = (high - low) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw * 0.999);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found;
  }

  function tickText(values) {
    const texts = values.map((value) => short(Math.abs(value) < 1e-12 * Math.max(...values.map(Math.abs)) ? 0 : value, 6));
    return texts;
  }

  function clipped(text, letters) {
    return text.length > letters ? `${text.slice(0, Math.max(letters - 1, 1))}…` : text;
  }

  function extent(...lists) {
    let [low, high] = [Infinity, -Infinity];
    for (const list of lists) {
      for (const value of list) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (!(low <= high)) return [0, 1];
    if (low === high) return [low - (Math.abs(low) || 1) * 0.1, high + (Math.abs(high) || 1) * 0.1];
    return [low, high];
  }

  function padded([low, high], share = 0.05) {
    return [low - share * (high - low), high + share * (high - low)];
  }

  let clips = 0;

  /*
   * An empty chart in a figure. Options: x, y: {domain, label, levels, percent}; height; square;
   * label, for those who cannot see it. Returns scales and layers to draw on.
   */
  function chart(figure, options) {
    const holder = figure.querySelector(".plot");
    const width = Math.max(holder.clientWidth || 320, 200);
    const height = options.square ? Math.min(width, options.height || 360) : options.height || 220;
    const yTicks = axisTicks(options.y, height / 45);
    const yTexts = axisTexts(options.y, yTicks, 14);
    const left = Math.min(20 + LETTER * Math.max(...yTexts.map((t) => t.length), 2) + 10, width * 0.42);
    const box = { left: left + 4, right: width - 10, top: 10, bottom: height - 40 };
    const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    svg.setAttribute("aria-label", options.label || "");
    const x = scale(options.x.domain, box.left, box.right);
    const y = scale(options.y.domain, box.bottom, box.top);
    const clip = `clip${(clips += 1)}`;
    const defs = el("defs");
    const path = el("clipPath", { id: clip });
    path.append(el("rect", { x: box.left, y: box.top - 2, width: Math.max(box.right - box.left, 1), height: box.bottom - box.top + 4 }));
    defs.append(path);
    const back = el("g", { class: "grid" });
    const layer = el("g", { "clip-path": `url(#${clip})` });
    const front = el("g");
    svg.append(defs, back, layer, front);
    drawAxes(svg, back, box, x, y, options, yTicks, yTexts);
    holder.replaceChildren(svg);
    return { svg, layer, front, x, y, box, width, height, options };
  }

  function scale([low, high], from, to) {
    const map = (value) => from + ((value - low) / (high - low)) * (to - from);
    map.invert = (pixel) => low + ((pixel - from) / (to - from)) * (high - low);
    map.domain = [low, high];
    return map;
  }

  function axisTicks(axis, count) {
    if (axis.levels) return axis.levels.map((_, i) => i);
    return ticks(axis.domain[0], axis.domain[1], Math.max(Math.floor(count), 2));
  }

  function axisTexts(axis, values, letters) {
    if (axis.levels) return axis.levels.map((level) => clipped(level, letters));
    if (axis.percent) return values.map((v) => `${Math.round(100 * v)} %`);
    return tickText(values);
  }

  function drawAxes(svg, back, box, x, y, options, yTicks, yTexts) {
    const room = box.right - box.left;
    const levels = options.x.levels;
    const xTicks = axisTicks(options.x, room / 75);
    const letters = levels ? Math.max(Math.floor(room / levels.length / LETTER) - 1, 1) : 12;
    const xTexts = axisTexts(options.x, xTicks, letters);
    xTicks.forEach((value, i) => {
      back.append(el("line", { x1: x(value), x2: x(value), y1: box.top, y2: box.bottom }));
      const half = (LETTER * xTexts[i].length) / 2;
      const place = Math.min(Math.max(x(value), half), box.right + 10 - half);
      svg.append(el("text", { x: place, y: box.bottom + 15, "text-anchor": "middle", class: "tick" }, xTexts[i]));
    });
    yTicks.forEach((value, i) => {
      back.append(el("line", { x1: box.left, x2: box.right, y1: y(value), y2: y(value) }));
      svg.append(el("text", { x: box.left - 6, y: y(value) + 4, "text-anchor": "end", class: "tick" }, yTexts[i]));
    });
    svg.append(el("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "axis" }));
    const middle = (box.left + box.right) / 2;
    svg.append(el("text", { x: middle, y: box.bottom + 32, "text-anchor": "middle", class: "axis-label" },
      clipped(options.x.label, Math.floor(room / LETTER))));
    const tall = box.bottom - box.top;
    const half = (box.top + box.bottom) / 2;
    svg.append(el("text", { x: 0, y: 0, transform: `translate(11 ${half}) rotate(-90)`, "text-anchor": "middle", class: "axis-label" },
      clipped(options.y.label, Math.floor(tall / LETTER))));
  }

  function pathOf(c, xs, ys) {
    return xs.map((value, i) => `${i ? "L" : "M"}${c.x(value).toFixed(1)} ${c.y(ys[i]).toFixed(1)}`).join("");
  }

  function line(c, xs, ys, attributes) {
    c.layer.append(el("path", { d: pathOf(c, xs, ys), fill: "none", ...attributes }));
  }

  function band(c, xs, low, high, attributes) {
    const back = [...xs].reverse();
    const d = `${pathOf(c, xs, low)}${pathOf(c, back, [...high].reverse()).replace("M", "L")}Z`;
    c.layer.append(el("path", { d, stroke: "none", ...attributes }));
  }

  function dots(c, xs, ys, attributes, opacities) {
    xs.forEach((value, i) => {
      const own = opacities ? { opacity: opacities[i].toFixed(2) } : {};
      c.layer.append(el("circle", { cx: c.x(value).toFixed(1), cy: c.y(ys[i]).toFixed(1), r: 3, ...attributes, ...own }));
    });
  }

  function rule(c, { x, y }, attributes) {
    const { left, right, top, bottom } = c.box;
    if (x !== undefined) c.layer.append(el("line", { x1: c.x(x), x2: c.x(x), y1: top, y2: bottom, ...attributes }));
    if (y !== undefined) c.layer.append(el("line", { x1: left, x2: right, y1: c.y(y), y2: c.y(y), ...attributes }));
  }

  /* Colours from dark blue over green to yellow, which stay in order for colour-blind readers. */
  const MAP = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

  function mapColour(share) {
    const at = Math.min(Math.max(share, 0), 1) * (MAP.length - 1);
    const i = Math.min(Math.floor(at), MAP.length - 2);
    return MAP[i].map((from, k) => Math.round(from + (at - i) * (MAP[i + 1][k] - from)));
  }

  /* A map of values[row][column], smoothed between its points; discrete axes stay in steps. */
  function heat(c, columns, rows, values, [low, high], steps) {
    const [w, h] = [columns.length, rows.length];
    const small = html("canvas", { width: w, height: h });
    const pixels = small.getContext("2d").createImageData(w, h);
    for (let r = 0; r < h; r++) {
      for (let q = 0; q < w; q++) {
        const colour = mapColour((values[h - 1 - r][q] - low) / (high - low || 1));
        pixels.data.set([...colour, 255], 4 * (r * w + q));
      }
    }
    small.getContext("2d").putImageData(pixels, 0, 0);
    const large = html("canvas", { width: steps ? w * 8 : 400, height: steps ? h * 8 : 400 });
    const context = large.getContext("2d");
    context.imageSmoothingEnabled = !steps;
    context.imageSmoothingQuality = "high";
    const [px, py] = steps ? [0, 0] : [0.5, 0.5]; // values are at the middle of pixels
    context.drawImage(small, px, py, w - 2 * px, h - 2 * py, 0, 0, large.width, large.height);
    const { left, right, top, bottom } = c.box;
    c.layer.append(el("image", { href: large.toDataURL(), x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: "none" }));
  }

  /* Lines of equal value by marching squares, each with its level as its title. */
  function contours(c, columns, rows, values, levels) {
    for (const level of levels) {
      let d = "";
      for (let r = 0; r + 1 < rows.length; r++) {
        for (let q = 0; q + 1 < columns.length; q++) d += cell(c, columns, rows, values, level, r, q);
      }
      const path = el("path", { d, class: "contour" });
      path.append(el("title", {}, short(level)));
      if (d) c.layer.append(path);
    }
  }

  function cell(c, columns, rows, values, level, r, q) {
    const corners = [[r, q], [r, q + 1], [r + 1, q + 1], [r + 1, q]];
    const points = [];
    corners.forEach(([r1, q1], k) => {
      const [r2, q2] = corners[(k + 1) % 4];
      const [a, b] = [values[r1][q1], values[r2][q2]];
      if (a < level === b < level) return;
      const t = (level - a) / (b - a);
      const x = columns[q1] + t * (columns[q2] - columns[q1]);
      const y = rows[r1] + t * (rows[r2] - rows[r1]);
      points.push(`${c.x(x).toFixed(1)} ${c.y(y).toFixed(1)}`);
    });
    let d = "";
    for (let k = 0; k + 1 < points.length; k += 2) d += `M${points[k]}L${points[k + 1]}`;
    return d;
  }

  return { el, html, short, besideError, ticks, extent, padded, chart, line, band, dots, rule, heat, contours, mapColour, clipped };
})();
