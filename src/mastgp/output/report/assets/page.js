"use strict";
/* What moves in a report: charts, sliders, and the surrogate behind them. */
(() => {
  const C = mastCharts;
  const T = mastTools;
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const entries = data.entries;
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  /* ---------------------------------------------------------------- the surrogates */

  const surrogates = (() => {
    const pending = new Map();
    const ready = new Map();
    let next = 0;
    let post = null;
    let failure = null;
    const newest = {};

    function receive(message) {
      if (message.ready !== undefined) ready.set(message.ready, true);
      if (message.failed) fail(message.failed);
      const waiting = pending.get(message.id);
      if (waiting) {
        pending.delete(message.id);
        waiting.resolve(message.values);
      }
    }

    function fail(text) {
      failure = text;
      for (const waiting of pending.values()) waiting.reject(new Error(text));
      pending.clear();
      document.documentElement.dataset.live = "failed";
    }

    function start() {
      const source = $("#predictor-source").textContent + $("#worker-source").textContent;
      const exported = entries.map((entry) => entry.document).filter(Boolean);
      if (!exported.length) return;
      try {
        const text = `${source};const receive = mastWorker((m) => postMessage(m));onmessage = (e) => receive(e.data);`;
        const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
        worker.onmessage = (event) => receive(event.data);
        worker.onerror = (event) => { event.preventDefault(); here(exported); };
        post = (message) => worker.postMessage(message);
        post({ models: exported });
      } catch {
        here(exported);
      }
    }

    /* Without workers the page itself computes, a little at a time. */
    function here(exported) {
      const answer = mastWorker((message) => setTimeout(() => receive(message), 0));
      post = answer;
      answer({ models: exported });
      for (const [id, waiting] of pending) post({ ask: id, ...waiting.question });
    }

    /* Ask for values at points; a newer question with the same tag takes an older one's place. */
    function ask(entry, points, { meanOnly = false, tag } = {}) {
      if (failure || !post) return Promise.reject(new Error(failure || "no live model"));
      if (tag && newest[tag] !== undefined && pending.has(newest[tag])) {
        pending.get(newest[tag]).reject(new Error("overtaken"));
        pending.delete(newest[tag]);
        post({ drop: newest[tag] });
      }
      const id = (next += 1);
      if (tag) newest[tag] = id;
      const model = entries.slice(0, entries.indexOf(entry)).filter((e) => e.document).length;
      const question = { model, points, meanOnly };
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject, question });
        post({ ask: id, ...question });
      });
    }

    return { start, ask };
  })();

  /* ---------------------------------------------------------------- where we are */

  /* One slider for every input of all models; inputs of the same name are the same. */
  const inputs = new Map();
  for (const entry of entries) {
    entry.inputs.forEach((input, i) => {
      const known = inputs.get(input.name);
      if (!known) {
        inputs.set(input.name, { ...input, value: entry.start[i] });
      } else if (!input.levels && !known.levels) {
        known.low = Math.min(known.low, input.low);
        known.high = Math.max(known.high, input.high);
      } else if (input.levels && known.levels) {
        known.levels = [...new Set([...known.levels, ...input.levels])];
      }
    });
  }
  let shown = entries[0];

  function point(entry, changes = {}) {
    return entry.inputs.map((input) => (input.name in changes ? changes[input.name] : inputs.get(input.name).value));
  }

  function scaled(input, value) {
    if (input.levels) return input.levels.indexOf(value);
    const of = input.log ? Math.log : (v) => v;
    return input.high > input.low ? (of(value) - of(input.low)) / (of(input.high) - of(input.low)) : 0.5;
  }

  /* Squared scaled distance per input between a point and a row of codes and numbers. */
  function distance(entry, x, row, skip = -1) {
    let sum = 0;
    entry.inputs.forEach((input, i) => {
      if (i === skip) return;
      if (input.levels) sum += input.levels[row[i]] === x[i] ? 0 : 1;
      else sum += (scaled(input, x[i]) - scaled(input, row[i])) ** 2;
    });
    return Math.sqrt(sum / Math.max(entry.inputs.length - (skip >= 0 ? 1 : 0), 1));
  }

  /* Words where a point lies beyond what the expensive points can tell about. */
  function extrapolation(entry, x) {
    const words = [];
    const name = entry.predicts;
    entry.inputs.forEach((input, i) => {
      if (input.levels) {
        if (!input.levels.includes(x[i])) words.push(`${input.name} = ${x[i]} is unknown to this model`);
        else if (!input.topLevels.includes(x[i])) words.push(`no ${name} point has ${input.name} = ${x[i]}`);
      } else if (x[i] < input.topLow || x[i] > input.topHigh) {
        words.push(`${input.name} is outside the ${name} points (${C.short(input.topLow)} to ${C.short(input.topHigh)})`);
      }
    });
    const top = entry.points.find((points) => points.top);
    const nearest = Math.min(...top.X.map((row) => distance(entry, x, row)));
    if (!words.length && nearest > entry.reach) words.push(`far from every ${name} point`);
    return words.length ? `Extrapolates: ${words.join("; ")}.` : "";
  }

  function knows(entry, x) {
    return entry.inputs.every((input, i) => !input.levels || input.levels.includes(x[i]));
  }

  /* ---------------------------------------------------------------- values at the point */

  function showValue(entry, [mean, std, low, high]) {
    const card = $(`[data-value="${entries.indexOf(entry)}"]`);
    const unit = entry.unit ? ` ${entry.unit}` : "";
    const says = (value) => C.besideError(value, std);
    $(".mean", card).textContent = `${says(mean)}${unit}`;
    $(".interval", card).textContent = `95 % between ${says(low)} and ${says(high)}${unit} (std ${C.short(std, 2)})`;
    card.dataset.numbers = JSON.stringify([mean, std, low, high]);
  }

  function showUnknown(entry, text) {
    const card = $(`[data-value="${entries.indexOf(entry)}"]`);
    $(".mean", card).textContent = "–";
    $(".interval", card).textContent = text;
    delete card.dataset.numbers;
  }

  function updateValues() {
    for (const entry of entries.filter((e) => e.document)) {
      const x = point(entry);
      const card = $(`[data-value="${entries.indexOf(entry)}"]`);
      $(".far", card).textContent = extrapolation(entry, x);
      if (!knows(entry, x)) {
        showUnknown(entry, "This model has never seen that level.");
        continue;
      }
      surrogates.ask(entry, [x], { tag: `value ${entries.indexOf(entry)}` })
        .then(([value]) => showValue(entry, value)).catch(ignoreOvertaken(entry));
    }
  }

  function ignoreOvertaken(entry) {
    return (error) => {
      if (error.message !== "overtaken") showUnknown(entry, "The live model could not be computed here.");
    };
  }

  /* ---------------------------------------------------------------- slices */

  function along(input, count, ends) {
    if (input.levels) return input.levels;
    if (input.integer && input.high - input.low <= 25) {
      const whole = [];
      for (let v = Math.ceil(input.low); v <= input.high; v++) whole.push(v);
      return whole;
    }
    const [low, high] = ends || [input.low, input.high];
    const of = input.log ? [Math.log(low), Math.log(high)] : [low, high];
    return Array.from({ length: count }, (_, k) => {
      const at = of[0] + ((of[1] - of[0]) * k) / (count - 1);
      const value = input.log ? Math.exp(at) : at;
      return input.integer ? Math.round(value) : value;
    });
  }

  function isDiscrete(input) {
    return Boolean(input.levels) || Boolean(input.integer && input.high - input.low <= 25);
  }

  function withUnit(own) {
    return own.unit ? `${own.name} [${own.unit}]` : own.name;
  }

  /* What is zoomed into in a figure: ends of x and of y, or nothing. */
  function viewOf(figure) {
    const state = figure && C.states.get(figure);
    return state ? state.view : {};
  }

  const targetAxis = (entry, domain) => ({ domain, label: withUnit({ name: entry.target, unit: entry.unit }), log: entry.log });

  /* The axis of an input: a range, or places for levels and whole numbers. */
  function inputAxis(input, at) {
    let domain = isDiscrete(input) ? [at[0] - 0.5, at[at.length - 1] + 0.5] : [input.low, input.high];
    if (!(domain[1] > domain[0])) domain = [domain[0] - 0.5, domain[0] + 0.5];
    return { domain, label: withUnit(input), levels: input.levels, fixed: isDiscrete(input), log: input.log && input.varies };
  }

  const nameOf = (input, value) => (typeof value === "number" ? C.short(value) : value);

  function drawSlice(entry, i, xs, values, range) {
    const figure = $(`#slices [data-input="${i}"]`);
    if (!figure || !values.length) return;
    const input = entry.inputs[i];
    const [mean, std, low, high] = [0, 1, 2, 3].map((k) => values.map((value) => value[k]));
    const at = input.levels ? xs.map((_, k) => k) : xs;
    const said = at.map((place, k) => ({
      x: place,
      text: `${input.name} ${nameOf(input, xs[k])}: ${C.besideError(mean[k], std[k])} (${C.besideError(low[k], std[k])} to ${C.besideError(high[k], std[k])})`,
    }));
    C.chart(figure, {
      x: inputAxis(input, at),
      y: targetAxis(entry, range),
      height: 215,
      name: `${entry.target} along ${input.name}`,
      label: `Prediction of ${entry.target} along ${input.name}, from ${C.short(Math.min(...mean))} to ${C.short(Math.max(...mean))}`,
      table: () => [[input.name, "mean", "std", "low95", "high95"], ...xs.map((x, k) => [x, ...values[k]])],
      hover: T.nearestAcross(said),
      click: entry.document && ((c, px) => {
        const k = at.reduce((best, x, n) => (Math.abs(c.x(x) - px) < Math.abs(c.x(at[best]) - px) ? n : best), 0);
        move({ [input.name]: xs[k] });
      }),
      zoomed: updateSlices,
    }, (c) => drawCurve(c, entry, i, { at, mean, low, high }));
  }

  function drawCurve(c, entry, i, { at, mean, low, high }) {
    const input = entry.inputs[i];
    const bars = isDiscrete(input);
    if (bars) {
      at.forEach((place, k) => C.line(c, [place, place], [low[k], high[k]], { class: "c-model", "stroke-width": 7, "stroke-opacity": 0.35, "data-series": "band" }));
    } else {
      C.band(c, at, low, high, { class: "f-band", "data-series": "band" });
      C.line(c, at, mean, { class: "c-model", "stroke-width": 2, "data-series": "model" });
    }
    nearPoints(entry, i).forEach((points) => C.dots(c, points.x, points.y, { class: points.colour, r: points.size, "data-series": points.series }, points.opacity));
    if (bars) C.dots(c, at, mean, { class: "f-model", r: 4.5, "data-series": "model" });
    const current = inputs.get(input.name).value;
    C.rule(c, { x: input.levels ? input.levels.indexOf(current) : current }, { class: "c-top", "stroke-dasharray": "3 3", "stroke-width": 1.2 });
  }

  /* Training points near the slice, the paler the further away from it. */
  function nearPoints(entry, i) {
    const x = point(entry);
    let cheap = 0;
    return entry.points.map((points) => {
      const away = points.X.map((row) => distance(entry, x, row, i));
      const nearest = [...away].sort((a, b) => a - b)[Math.min(4, away.length - 1)];
      const cut = Math.max(0.15, nearest);
      const kept = away.map((_, k) => k).filter((k) => away[k] <= cut);
      return {
        x: kept.map((k) => points.X[k][i]),
        y: kept.map((k) => points.y[k]),
        opacity: kept.map((k) => 1 - 0.75 * (cut > 0 ? away[k] / cut : 0)),
        series: `of ${points.name}`,
        colour: points.top ? "f-top" : `f-cheap${cheap++ % 3}`,
        size: points.top ? 3.8 : 2.8,
      };
    });
  }

  function rangeOf(entry, sets) {
    const of = entry.log ? Math.log : (v) => v;
    const values = sets.flat();
    const [low, high] = C.extent(...[0, 2, 3].map((k) => values.map((v) => of(v[k]))));
    const [a, b] = C.extent(...entry.points.map((points) => points.y.map(of)));
    // Cheap points far away shall not press the curve flat.
    const spread = high - low || 1;
    const ends = C.padded([Math.min(low, Math.max(a, low - 0.5 * spread)), Math.max(high, Math.min(b, high + 0.5 * spread))], 0.04);
    return entry.log ? ends.map(Math.exp) : ends;
  }

  let generation = 0;

  async function updateSlices() {
    const entry = shown;
    if (!entry.document) return;
    const own = (generation += 1);
    for (const count of [11, 41]) {
      const sets = entry.inputs.map((input, i) => along(input, count, viewOf($(`#slices [data-input="${i}"]`)).x));
      const points = sets.flatMap((xs, i) => xs.map((x) => point(entry, { [entry.inputs[i].name]: x })));
      if (!points.every((x) => knows(entry, x))) return;
      const values = await surrogates.ask(entry, points, { tag: "slices" }).catch(() => null);
      if (!values || own !== generation) return;
      let from = 0;
      const curves = sets.map((xs) => values.slice(from, (from += xs.length)));
      const range = rangeOf(entry, curves);
      sets.forEach((xs, i) => drawSlice(entry, i, xs, curves[i], range));
      if (count === 11) updateContour();
    }
    document.documentElement.dataset.drawn = String(own);
  }

  function firstSlices(entry) {
    const curves = entry.first.slices.map((slice) => slice.values);
    const range = rangeOf(entry, curves);
    entry.first.slices.forEach((slice, i) => drawSlice(entry, i, slice.x, slice.values, range));
  }

  /* ---------------------------------------------------------------- a map of two inputs */

  async function updateContour() {
    const figure = $("#contour");
    if (!figure || !shown.document) return;
    const entry = shown;
    const [i, j] = ["x", "y"].map((axis) => Number($(`#contour-${axis}`).value));
    const what = $("#contour-what").value;
    for (const count of [9, 21]) {
      const view = viewOf(figure);
      const [xs, ys] = [[i, view.x], [j, view.y]].map(([k, ends]) => along(entry.inputs[k], count, ends));
      const points = ys.flatMap((y) => xs.map((x) => point(entry, { [entry.inputs[i].name]: x, [entry.inputs[j].name]: y })));
      if (!points.every((x) => knows(entry, x))) return;
      const found = await surrogates.ask(entry, points, { meanOnly: what === "mean", tag: "contour" }).catch(() => null);
      if (!found) return;
      const values = ys.map((_, r) => xs.map((__, q) => found[r * xs.length + q][what === "mean" ? 0 : 1]));
      drawContour(entry, i, j, xs, ys, values, what);
    }
    document.documentElement.dataset.mapped = "yes";
  }

  function drawContour(entry, i, j, xs, ys, values, what) {
    const [across, up] = [entry.inputs[i], entry.inputs[j]];
    const [columns, rows] = [[across, xs], [up, ys]].map(([input, list]) => (input.levels ? list.map((_, k) => k) : list));
    const [low, high] = C.extent(...values);
    const title = what === "mean" ? entry.target : `standard deviation of ${entry.target}`;
    // The nearest column and row to a pixel.
    const cell = (c, px, py) => [[c.x, columns, px], [c.y, rows, py]].map(([scale, list, pixel]) =>
      list.reduce((best, v, n) => (Math.abs(scale(v) - pixel) < Math.abs(scale(list[best]) - pixel) ? n : best), 0));
    C.chart($("#contour"), {
      x: inputAxis(across, columns),
      y: inputAxis(up, rows),
      height: 400,
      wide: true,
      name: `${title} over ${across.name} and ${up.name}`,
      label: `Map of ${title} over ${across.name} and ${up.name}, from ${C.short(low)} to ${C.short(high)}`,
      table: () => [[across.name, up.name, title], ...ys.flatMap((y, r) => xs.map((x, q) => [x, y, values[r][q]]))],
      hover: (c, px, py) => {
        const [q, r] = cell(c, px, py);
        return { px: c.x(columns[q]), py: c.y(rows[r]), text: `${nameOf(across, xs[q])}, ${nameOf(up, ys[r])}: ${C.short(values[r][q])}` };
      },
      click: entry.document && ((c, px, py) => {
        const [q, r] = cell(c, px, py);
        move({ [across.name]: isDiscrete(across) ? xs[q] : c.x.invert(px), [up.name]: isDiscrete(up) ? ys[r] : c.y.invert(py) });
      }),
      zoomed: updateContour,
    }, (c) => drawMap(c, entry, [i, j], { columns, rows, values, low, high }));
    legendOfMap(low, high, title, entry.unit);
  }

  function drawMap(c, entry, [i, j], { columns, rows, values, low, high }) {
    const chosen = [entry.inputs[i], entry.inputs[j]];
    const steps = chosen.some(isDiscrete);
    C.heat(c, columns, rows, values, [low, high], steps);
    if (!steps) C.contours(c, columns, rows, values, C.ticks(low, high, 8));
    const here = chosen.map((input) => {
      const { value } = inputs.get(input.name);
      return input.levels ? input.levels.indexOf(value) : value;
    });
    C.dots(c, [here[0]], [here[1]], { r: 6, fill: "#ffffff", stroke: "#000000", "stroke-width": 2 });
    const top = entry.points.find((points) => points.top);
    C.dots(c, top.X.map((row) => row[i]), top.X.map((row) => row[j]), { r: 3, fill: "#000000", stroke: "#ffffff", "stroke-width": 1 });
  }

  function legendOfMap(low, high, title, unit) {
    const stops = Array.from({ length: 9 }, (_, k) => `rgb(${C.mapColour(k / 8).join(" ")})`);
    $("#contour-scale").style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    $("#contour-low").textContent = C.short(low);
    $("#contour-high").textContent = C.short(high);
    $("#contour-title").textContent = unit ? `${title} [${unit}]` : title;
  }

  function fixedText(entry, varied) {
    const others = entry.inputs.filter((_, i) => !varied.includes(i));
    const said = others.map((input) => {
      const { value } = inputs.get(input.name);
      return `${input.name} = ${typeof value === "number" ? C.short(value) : value}`;
    });
    return said.length ? `at ${said.join(", ")}` : "";
  }

  function updateCaptions() {
    all("#slices figure").forEach((figure) => {
      const i = Number(figure.dataset.input);
      $(".fixed", figure).textContent = fixedText(shown, [i]);
    });
    if ($("#contour")) {
      const chosen = ["x", "y"].map((axis) => Number($(`#contour-${axis}`).value));
      $("#contour .fixed").textContent = fixedText(shown, chosen);
    }
  }

  /* ---------------------------------------------------------------- sliders */

  function setControl(name) {
    const input = inputs.get(name);
    all("[data-control]").filter((node) => node.dataset.control === name).forEach((control) => {
      for (const node of all("input, select", control)) {
        if (node.type === "range") {
          node.value = input.log ? Math.log(input.value) : input.value;
        } else if (node !== document.activeElement) {
          node.value = typeof input.value === "number" ? Number(input.value.toPrecision(6)) : input.value;
        }
        if (node.type === "range") node.setAttribute("aria-valuetext", `${C.short(input.value)} ${input.unit || ""}`);
      }
      $(".print-only", control).textContent = `= ${typeof input.value === "number" ? C.short(input.value) : input.value}`;
    });
  }

  let wanted = null;
  let moved = false; // until then, what is drawn was computed when the page was made

  function update() {
    moved = true;
    updateCaptions();
    updateValues();
    clearTimeout(wanted);
    wanted = setTimeout(updateSlices, 30);
  }

  function move(changes) {
    for (const [name, value] of Object.entries(changes)) {
      const input = inputs.get(name);
      if (!input) continue;
      input.value = input.integer && typeof value === "number" ? Math.round(value) : value;
      setControl(name);
    }
    update();
  }

  function connectControls() {
    all("[data-control]").forEach((control) => {
      const name = control.dataset.control;
      for (const node of all("input, select", control)) {
        node.addEventListener("input", () => {
          const input = inputs.get(name);
          if (node.tagName === "SELECT") {
            move({ [name]: node.value });
          } else if (node.value !== "" && Number.isFinite(Number(node.value))) {
            const value = Number(node.value);
            const natural = node.type === "range" && input.log ? Math.exp(value) : value;
            if (!(input.log && natural <= 0)) move({ [name]: natural });
          }
        });
        node.addEventListener("change", () => setControl(name));
      }
      setControl(name);
    });
    all("[data-go]").forEach((button) => button.addEventListener("click", () => {
      move(JSON.parse(button.dataset.go));
      $("#explore").scrollIntoView();
    }));
    for (const id of ["contour-x", "contour-y", "contour-what"]) {
      const node = document.getElementById(id);
      if (node) node.addEventListener("change", () => { updateCaptions(); updateContour(); });
    }
    const chooser = $("#shown-entry");
    if (chooser) chooser.addEventListener("change", () => show(entries[Number(chooser.value)]));
  }

  /* Frames of the slices of one model; they are the page's own, so names are set as text. */
  function show(entry) {
    shown = entry;
    const holder = $("#slices");
    holder.replaceChildren(...entry.inputs.map((input, i) => {
      const caption = C.html("figcaption", {}, C.html("b", {}, `along ${input.name} `), C.html("span", { class: "fixed note" }));
      return C.html("figure", { "data-input": i }, caption, C.html("div", { class: "plot" }));
    }).filter((_, i) => entry.inputs[i].varies));
    for (const [axis, chosen] of [["x", entry.first.grid ? entry.first.grid.i : 0], ["y", entry.first.grid ? entry.first.grid.j : 1]]) {
      const select = document.getElementById(`contour-${axis}`);
      if (!select) continue;
      select.replaceChildren(...entry.inputs.map((input, i) => C.html("option", { value: i }, input.name)).filter((_, i) => entry.inputs[i].varies));
      select.value = String(chosen);
    }
    firstSlices(entry);
    const grid = entry.first.grid;
    if (grid && $("#contour")) drawContour(entry, grid.i, grid.j, grid.x, grid.y, grid.mean, "mean");
    updateCaptions();
    if (entry.document && moved) updateSlices();
    $("#only-slices").hidden = Boolean(entry.document);
  }

  /* ---------------------------------------------------------------- charts of the check */

  function parity(figure, entry) {
    const { y, mean, low, high } = entry.heldOut;
    const of = entry.log ? Math.log : (v) => v;
    const padded = C.padded(C.extent(y.map(of), mean.map(of)), 0.08);
    const domain = entry.log ? padded.map(Math.exp) : padded;
    const name = withUnit({ name: entry.target, unit: entry.unit });
    const words = (k) => `observed ${C.short(y[k])}, predicted ${C.short(mean[k])} (${C.short(low[k])} to ${C.short(high[k])})`;
    C.chart(figure, {
      x: { domain, label: `observed ${name}`, log: entry.log },
      y: { domain, label: `predicted ${name}`, log: entry.log },
      height: 330,
      square: true,
      name: `${entry.target} predicted against observed`,
      label: `Predicted against observed ${entry.target} for ${y.length} held-out points`,
      table: () => [["observed", "predicted", "low95", "high95"], ...y.map((value, k) => [value, mean[k], low[k], high[k]])],
      hover: T.nearestPoint(y.map((value, k) => ({ x: value, y: mean[k], text: words(k) }))),
    }, (c) => {
      C.line(c, domain, domain, { class: "c-muted" });
      y.forEach((value, k) => C.line(c, [value, value], [low[k], high[k]], { class: "c-model", "stroke-width": 1.4, "stroke-opacity": 0.7 }));
      C.dots(c, y, mean, { class: "f-model", r: 3.6 });
    });
  }

  function calibration(figure, entry) {
    const { promised, observed, chanceLow, chanceHigh } = entry.heldOut.calibration;
    const axis = (label) => ({ domain: [0, 1.02], label, percent: true });
    const said = promised.map((share, k) => ({ x: share, text: `${Math.round(100 * share)} % intervals hold ${Math.round(100 * observed[k])} % of the points` }));
    C.chart(figure, {
      x: axis("share that intervals promise"),
      y: axis("share of the points inside"),
      height: 330,
      square: true,
      name: `${entry.target} do the intervals hold`,
      label: "Share of held-out points inside their intervals, over the share that intervals promise",
      table: () => [["promised", "observed", "chance_low", "chance_high"], ...promised.map((p, k) => [p, observed[k], chanceLow[k], chanceHigh[k]])],
      hover: T.nearestAcross(said),
    }, (c) => {
      C.band(c, promised, chanceLow, chanceHigh, { class: "f-muted", opacity: 0.22 });
      C.line(c, [0, 1], [0, 1], { class: "c-muted" });
      C.line(c, promised, observed, { class: "c-top", "stroke-width": 2 });
      const words = (x, y, text, anchor) => c.layer.append(C.el("text", { x: c.x(x), y: c.y(y), "text-anchor": anchor, class: "tick" }, text));
      words(0.04, 0.93, "too wide", "start");
      words(0.98, 0.05, "too narrow", "end");
    });
  }

  function trust(figure, entry) {
    const far = C.extent([0], ...entry.trust.map((points) => points.nearest));
    const said = entry.trust.flatMap((points) => points.nearest.map((x, k) => ({ x, y: points.trust[k], text: `${points.name}: trust ${C.short(points.trust[k], 2)} at distance ${C.short(x, 3)}` })));
    C.chart(figure, {
      x: { domain: [0, far[1] * 1.04], label: `scaled distance to the nearest ${entry.predicts} point` },
      y: { domain: [-0.03, 1.05], label: "trust" },
      height: 260,
      name: `${entry.target} trust`,
      label: "Trust in each cheap point over its distance to the nearest expensive one",
      table: () => [["source", "distance", "trust"], ...entry.trust.flatMap((points) => points.nearest.map((x, k) => [points.name, x, points.trust[k]]))],
      hover: T.nearestPoint(said),
    }, (c) => entry.trust.forEach((points, k) => C.dots(c, points.nearest, points.trust, { class: `f-cheap${k % 3}`, opacity: 0.75, "data-series": `of ${points.name}` })));
  }

  function unsure(figure, entry) {
    const i = Number(figure.dataset.column);
    const { x, std } = entry.unsure.profiles[i];
    const input = entry.inputs[i];
    const at = input.levels ? x.map((_, k) => k) : x;
    const names = input.levels ? x.map((code) => input.levels[code]) : x;
    const most = Math.max(...entry.unsure.profiles.flatMap((p) => p.std));
    C.chart(figure, {
      x: { ...inputAxis(input, at), levels: input.levels && names },
      y: { domain: [0, 1.06 * most || 1], label: entry.unit ? `std [${entry.unit}]` : "std" },
      height: 170,
      name: `${entry.target} uncertainty along ${input.name}`,
      label: `Mean standard deviation of the prediction along ${input.name}`,
      table: () => [[input.name, "std"], ...names.map((name, k) => [name, std[k]])],
      hover: T.nearestAcross(at.map((place, k) => ({ x: place, text: `${input.name} ${nameOf(input, names[k])}: std ${C.short(std[k], 3)}` }))),
    }, (c) => {
      if (isDiscrete(input)) at.forEach((place, k) => C.line(c, [place, place], [0, std[k]], { class: "c-model", "stroke-width": 9, "stroke-opacity": 0.6 }));
      else C.line(c, at, std, { class: "c-model", "stroke-width": 2 });
    });
  }

  const DRAWERS = { parity, calibration, trust, unsure };

  function drawAll() {
    all("figure[data-chart]").forEach((figure) => {
      DRAWERS[figure.dataset.chart](figure, entries[Number(figure.dataset.entry)]);
    });
  }

  /* ---------------------------------------------------------------- start */

  function redraw() {
    all("figure").forEach((figure) => { if (C.states.has(figure)) C.render(figure); });
  }

  /* On paper charts have the width of a column, and what is folded is open. */
  function connectPrinting() {
    let folded = [];
    addEventListener("beforeprint", () => {
      folded = all("details:not(.tools):not([open])");
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

  function connectPage() {
    const theme = $("#theme");
    theme.addEventListener("click", () => {
      const dark = document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      document.documentElement.dataset.theme = dark ? "light" : "dark";
      theme.setAttribute("aria-pressed", String(!dark));
    });
    let width = innerWidth;
    let waiting = null;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(redraw, 150);
    });
    connectPrinting();
    T.connectLegends();
    const reset = $("#reset");
    if (reset) {
      reset.addEventListener("click", () => move(Object.fromEntries(entries.flatMap((entry) =>
        entry.inputs.map((input, i) => [input.name, entry.start[i]])))));
    }
  }

  connectPage();
  drawAll();
  if ($("#slices")) {
    surrogates.start();
    connectControls();
    show(entries[0]);
    entries.forEach((entry) => { if (entry.first.value && $(`[data-value="${entries.indexOf(entry)}"]`)) showValue(entry, entry.first.value); });
    updateValues();
  }
  document.documentElement.dataset.ready = "yes";
  /* For other scripts and for tests: values at points, each in the order of the model's inputs. */
  window.mast = {
    entries,
    predict: (points, entry = 0) => surrogates.ask(entries[entry], points),
    move,
  };
})();
