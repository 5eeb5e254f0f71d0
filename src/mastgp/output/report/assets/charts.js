"use strict";
/*
 * Small charts in SVG: axes, lines, bands, points, bars and maps. They take their colours from the
 * page's style, so that they follow dark and light, the screen and the printer. What can be done
 * with them is in gestures.js (values, zoom) and tools.js (menus, files, legends).
 */
const mastCharts = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LETTER = 6.8; // width of a small letter in pixels

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

  /* One tick where the range is too small, or too large, for numbers to count through it. */
  function ticks(low, high, count) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (!(high - low > 1e-12 * size) || !Number.isFinite(high - low)) return [low];
    const wanted = Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10((high - low) / wanted));
    const by = (step) => {
      const found = [];
      for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
      return found;
    };
    const off = (found) => Math.abs(found.length - wanted);
    return [10, 5, 2, 1].map((f) => by(f * power)).reduce((best, found) => (off(found) < off(best) ? found : best));
  }

  /* Ticks as text, with the digits that tell them apart. */
  function tickText(values) {
    const largest = Math.max(...values.map(Math.abs));
    const step = values.length > 1 ? Math.abs(values[1] - values[0]) : 0;
    const digits = step > 0 ? Math.ceil(Math.log10(largest / step) + 1.01) : 6;
    return values.map((value) => short(Math.abs(value) < 1e-12 * largest ? 0 : value, Math.min(Math.max(digits, 2), 15)));
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

  function padded([low, high], share = 0.05, log = false) {
    if (log) return padded([Math.log(low), Math.log(high)], share).map(Math.exp);
    return [low - share * (high - low), high + share * (high - low)];
  }

  /* Draw for paper, where charts have a width of their own; with null for the screen again. */
  function onPaper(width) {
    paper = width;
  }

  /* Powers of ten, or more of them where there are few. */
  function logTicks(low, high, count) {
    if (!(low > 0) || !Number.isFinite(high)) return ticks(low, high, count);
    const decades = [];
    for (let k = Math.ceil(Math.log10(low) - 1e-9); k <= Math.log10(high) + 1e-9; k++) decades.push(10 ** k);
    if (decades.length > 2) return decades.filter((_, i) => i % Math.ceil(decades.length / count) === 0);
    const finer = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) [1, 2, 5].forEach((f) => finer.push(f * 10 ** k));
    const inside = finer.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    return inside.length > 1 ? inside : ticks(low, high, count);
  }

  let clips = 0;
  let paper = null; // width in pixels of a chart on paper, while it is printed
  const states = new WeakMap(); // of every figure: its options, what draws on it, what is zoomed into
  const finish = []; // what is done with every chart once it is drawn

  /*
   * A chart in a figure. Options: x, y: {domain, label, levels, percent, log}; height; square; label,
   * for those who cannot see it; name, of files; note, what pictures say below it; table, the numbers
   * in it; hover, what is said at a pixel; click, what is done there; zoomed, what follows a zoom.
   * `draw` gets scales and layers.
   */
  function chart(figure, options, draw) {
    if (!states.has(figure)) states.set(figure, { view: {} });
    Object.assign(states.get(figure), { options, draw });
    return render(figure);
  }

  /* On paper two charts stand beside each other, or three, or one is alone. */
  function paperWidth(figure, options) {
    return options.wide ? 2 * paper : figure.closest("[data-columns='3']") ? Math.round(0.65 * paper) : paper;
  }

  function viewed(axis, view) {
    return view ? { ...axis, domain: view } : axis;
  }

  function render(figure) {
    const { options, view, draw } = states.get(figure);
    const holder = figure.querySelector(".plot");
    const width = paper ? paperWidth(figure, options) : Math.max(holder.clientWidth || 320, 200);
    const height = options.square ? Math.min(width, options.height || 360) : options.height || 220;
    const axes = { x: viewed(options.x, view.x), y: viewed(options.y, view.y) };
    const yTicks = axisTicks(axes.y, height / 42);
    const yTexts = axisTexts(axes.y, yTicks, 14);
    const left = Math.min(20 + LETTER * Math.max(...yTexts.map((t) => t.length), 2) + 10, width * 0.42);
    const box = { left: left + 4, right: width - 10, top: 10, bottom: height - 40 };
    const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    svg.setAttribute("aria-label", options.label || "");
    const x = scale(axes.x, box.left, box.right);
    const y = scale(axes.y, box.bottom, box.top);
    const clip = `clip${(clips += 1)}`;
    const defs = el("defs");
    const path = el("clipPath", { id: clip });
    path.append(el("rect", { x: box.left, y: box.top - 2, width: Math.max(box.right - box.left, 1), height: box.bottom - box.top + 4 }));
    defs.append(path);
    const back = el("g", { class: "grid" });
    const layer = el("g", { "clip-path": `url(#${clip})` });
    svg.append(defs, back, layer);
    drawAxes(svg, back, box, x, y, { ...options, ...axes }, yTicks, yTexts);
    holder.replaceChildren(svg);
    const c = { svg, layer, x, y, box, width, height, options, figure, holder };
    states.get(figure).current = c;
    draw(c);
    finish.forEach((step) => step(c));
    return c;
  }

  function scale({ domain: [low, high], log }, from, to) {
    const [of, back] = log ? [Math.log, Math.exp] : [(v) => v, (v) => v];
    const [a, b] = [of(low), of(high)];
    const map = (value) => from + ((of(value) - a) / (b - a)) * (to - from);
    map.invert = (pixel) => back(a + ((pixel - from) / (to - from)) * (b - a));
    map.domain = [low, high];
    return map;
  }

  function axisTicks(axis, count) {
    if (axis.levels) return axis.levels.map((_, i) => i);
    return (axis.log ? logTicks : ticks)(axis.domain[0], axis.domain[1], Math.max(Math.floor(count), 2));
  }

  function axisTexts(axis, values, letters) {
    if (axis.levels) return axis.levels.map((level) => clipped(level, letters));
    if (axis.percent) return values.map((v) => `${Math.round(100 * v)} %`);
    return tickText(values);
  }

  function drawAxes(svg, back, box, x, y, options, yTicks, yTexts) {
    const room = box.right - box.left;
    const levels = options.x.levels;
    const letters = levels ? Math.max(Math.floor(room / levels.length / LETTER) - 1, 1) : 12;
    let xTicks = axisTicks(options.x, room / 60);
    let xTexts = axisTexts(options.x, xTicks, letters);
    const crowded = () => xTicks.length > 2 && xTicks.some((value, i) => i
      && x(value) - x(xTicks[i - 1]) < (LETTER * (xTexts[i].length + xTexts[i - 1].length)) / 2 + 6);
    while (!levels && crowded()) {
      xTicks = xTicks.filter((_, i) => i % 2 === 0);
      xTexts = xTexts.filter((_, i) => i % 2 === 0);
    }
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

  /* Shade what is outside a range of x. */
  function beyond(c, [from, to], attributes) {
    const { left, right, top, bottom } = c.box;
    const within = (pixel) => Math.min(Math.max(pixel, left), right);
    for (const [a, b] of [[left, within(c.x(from))], [within(c.x(to)), right]]) {
      if (b - a > 0.5) c.layer.append(el("rect", { x: a, y: top, width: b - a, height: bottom - top, ...attributes }));
    }
  }

  /* Colours from dark blue over green to yellow, which stay in order for colour-blind readers. */
  const MAP = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

  function mapColour(share) {
    const at = Math.min(Math.max(share, 0), 1) * (MAP.length - 1);
    const i = Math.min(Math.floor(at), MAP.length - 2);
    return MAP[i].map((from, k) => Math.round(from + (at - i) * (MAP[i + 1][k] - from)));
  }

  /* Shares of two neighbours at places along an axis: the nearest one alone, or both in between. */
  function neighbours(count, places, steps) {
    return Array.from({ length: places }, (_, k) => {
      if (steps) return [Math.floor((k / places) * count), Math.floor((k / places) * count), 0];
      const at = ((k + 0.5) / places) * (count - 1);
      const first = Math.min(Math.floor(at), Math.max(count - 2, 0));
      return [first, Math.min(first + 1, count - 1), at - first];
    });
  }

  const SIDE = 240; // pixels of a map in each direction, before it is stretched

  /* A map of values[row][column], straight between its points; discrete axes have steps. */
  function heat(c, values, [low, high], [stepsAcross, stepsUp]) {
    const canvas = html("canvas", { width: SIDE, height: SIDE });
    const pixels = canvas.getContext("2d").createImageData(SIDE, SIDE);
    const across = neighbours(values[0].length, SIDE, stepsAcross);
    neighbours(values.length, SIDE, stepsUp).forEach(([r1, r2, up], k) => across.forEach(([q1, q2, over], q) => {
      const along = (row) => row[q1] + over * (row[q2] - row[q1]);
      const value = along(values[r1]) + up * (along(values[r2]) - along(values[r1]));
      pixels.data.set([...mapColour((value - low) / (high - low || 1)), 255], 4 * ((SIDE - 1 - k) * SIDE + q));
    }));
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    const { left, right, top, bottom } = c.box;
    c.layer.append(el("image", { href: canvas.toDataURL(), x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: "none" }));
  }

  /* Lines of equal value by marching squares, each with its value on it. */
  function contours(c, columns, rows, values, levels) {
    for (const level of levels) {
      const pieces = [];
      for (let r = 0; r + 1 < rows.length; r++) {
        for (let q = 0; q + 1 < columns.length; q++) pieces.push(...cell(c, columns, rows, values, level, r, q));
      }
      if (!pieces.length) continue;
      const d = pieces.map(([from, to]) => `M${from.map((v) => v.toFixed(1)).join(" ")}L${to.map((v) => v.toFixed(1)).join(" ")}`).join("");
      c.layer.append(el("path", { d, class: "contour" }));
      labelContour(c, pieces, short(level));
    }
  }

  /* The value of a line, at the piece of it that is furthest from the frame of the chart. */
  function labelContour(c, pieces, text) {
    const { left, right, top, bottom } = c.box;
    const room = ([[x, y]]) => Math.min(x - left, right - x, 2 * (y - top), 2 * (bottom - y));
    const [[x, y]] = pieces.reduce((best, piece) => (room(piece) > room(best) ? piece : best));
    if (room([[x, y]]) > 14) c.layer.append(el("text", { x: x.toFixed(1), y: (y + 3.5).toFixed(1), "text-anchor": "middle", class: "level" }, text));
  }

  /* Pieces of a line inside one cell of the grid, in pixels. */
  function cell(c, columns, rows, values, level, r, q) {
    const corners = [[r, q], [r, q + 1], [r + 1, q + 1], [r + 1, q]];
    const points = [];
    corners.forEach(([r1, q1], k) => {
      const [r2, q2] = corners[(k + 1) % 4];
      const [a, b] = [values[r1][q1], values[r2][q2]];
      if (a < level === b < level) return;
      const t = (level - a) / (b - a);
      const between = (from, to) => from + t * (to - from);
      points.push([between(c.x(columns[q1]), c.x(columns[q2])), between(c.y(rows[r1]), c.y(rows[r2]))]);
    });
    return points.length > 2 ? [points.slice(0, 2), points.slice(2)] : points.length ? [points] : [];
  }

  return {
    el, html, short, besideError, ticks, extent, padded, chart, render, states, finish, onPaper,
    line, band, dots, rule, beyond, heat, contours, mapColour, clipped,
  };
})();
