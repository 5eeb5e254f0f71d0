"use strict";
/* What moves in a report: charts, sliders, and the surrogate behind them. */
(() => {
  const C = mastCharts;
  const G = mastGestures;
  const { isDiscrete, withUnit, nameOf, placeText, inputAxis, along, distance } = mastInputs;
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const entries = data.entries;
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const surrogates = mastSurrogates(entries);

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
    const chosen = (input, i) => (entry.document ? inputs.get(input.name).value : entry.start[i]);
    return entry.inputs.map((input, i) => (input.name in changes ? changes[input.name] : chosen(input, i)));
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

  /* What is zoomed into in a figure: ends of x and of y, or nothing. */
  function viewOf(figure) {
    const state = figure && C.states.get(figure);
    return state ? state.view : {};
  }

  const targetAxis = (entry, domain) => ({ domain, label: withUnit({ name: entry.target, unit: entry.unit }), log: entry.log });

  function drawSlice(entry, i, xs, values, range) {
    const figure = $(`#slices [data-input="${i}"]`);
    if (!figure || !values.length) return;
    const input = entry.inputs[i];
    const [mean, std, low, high] = [0, 1, 2, 3].map((k) => values.map((value) => value[k]));
    const at = input.levels ? xs.map((_, k) => k) : xs;
    const said = at.map((place, k) => ({
      x: place,
      text: `${input.name} = ${nameOf(input, xs[k])}: ${C.besideError(mean[k], std[k])} (95 %: ${C.besideError(low[k], std[k])} to ${C.besideError(high[k], std[k])})`,
    }));
    const near = nearPoints(entry, i);
    C.chart(figure, {
      x: inputAxis(input, at),
      y: targetAxis(entry, range),
      height: entry.inputs.filter((own) => own.varies).length > 1 ? 215 : 330,
      name: `${entry.target} along ${input.name}`,
      note: fixedText(entry, [i]),
      label: `Prediction of ${entry.target} along ${input.name}, from ${C.short(Math.min(...mean))} to ${C.short(Math.max(...mean))}`,
      table: () => [[input.name, "mean", "std", "low95", "high95"], ...xs.map((x, k) => [x, ...values[k]])],
      hover: G.pointOr(near.flatMap((points) => points.said), G.nearestAcross(said)),
      click: entry.document && ((c, px) => move({ [input.name]: xs[nearestTo(c.x, at, px)] })),
      zoomed: updateSlices,
    }, (c) => drawCurve(c, entry, i, { at, mean, low, high, near }));
  }

  /* Which of some places is nearest to a pixel. */
  function nearestTo(scale, places, pixel) {
    return places.reduce((best, place, k) => (Math.abs(scale(place) - pixel) < Math.abs(scale(places[best]) - pixel) ? k : best), 0);
  }

  function drawCurve(c, entry, i, { at, mean, low, high, near }) {
    const input = entry.inputs[i];
    const bars = isDiscrete(input);
    if (bars) {
      at.forEach((place, k) => C.line(c, [place, place], [low[k], high[k]], { class: "c-model", "stroke-width": 7, "stroke-opacity": 0.35, "data-series": "band" }));
    } else {
      C.beyond(c, [input.topLow, input.topHigh], { class: "f-beyond", "data-series": "beyond" });
      C.band(c, at, low, high, { class: "f-band", "data-series": "band" });
      C.line(c, at, mean, { class: "c-model", "stroke-width": 2, "data-series": "model" });
    }
    near.forEach((points) => C.dots(c, points.x, points.y, { class: points.colour, r: points.size, "data-series": points.series }, points.opacity));
    if (bars) C.dots(c, at, mean, { class: "f-model", r: 4.5, "data-series": "model" });
    const current = point(entry)[i];
    C.rule(c, { x: input.levels ? input.levels.indexOf(current) : current }, { class: "c-top", "stroke-dasharray": "3 3", "stroke-width": 1.2 });
  }

  const pointText = (entry, points, k) => `${points.name} ${C.short(points.y[k], 5)} at ${placeText(entry, points.X[k])}`;

  /* Training points near the slice, the paler the further away from it. */
  function nearPoints(entry, i) {
    const x = point(entry);
    let cheap = 0;
    return entry.points.map((points) => {
      const away = points.X.map((row) => distance(entry, x, row, i));
      const nearest = [...away].sort((a, b) => a - b)[Math.min(4, away.length - 1)];
      const cut = Math.max(0.15, nearest);
      const kept = away.map((_, k) => k).filter((k) => away[k] <= cut);
      const series = `of ${points.name}`;
      return {
        x: kept.map((k) => points.X[k][i]),
        y: kept.map((k) => points.y[k]),
        said: kept.map((k) => ({ x: points.X[k][i], y: points.y[k], series, text: pointText(entry, points, k) })),
        opacity: kept.map((k) => 1 - 0.75 * (cut > 0 ? away[k] / cut : 0)),
        series,
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

  const QUICK = 300; // milliseconds of a map, after which a finer one may follow
  let generation = 0;
  let changes = 0; // of the inputs: "drawn" is said of the last of them only

  async function updateSlices() {
    const entry = shown;
    if (!entry.document) return;
    const own = (generation += 1);
    const change = changes;
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
    if (change === changes) document.documentElement.dataset.drawn = String(own);
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
    let began = performance.now();
    for (const count of [9, 21, 41]) {
      if (count === 41 && performance.now() - began > QUICK) break;
      began = performance.now();
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
    const top = entry.points.find((points) => points.top);
    const dots = top.X.map((row, k) => ({ x: row[i], y: row[j], text: pointText(entry, top, k) }));
    // The nearest column and row to a pixel.
    const cell = (c, px, py) => [nearestTo(c.x, columns, px), nearestTo(c.y, rows, py)];
    C.chart($("#contour"), {
      x: inputAxis(across, columns),
      y: inputAxis(up, rows),
      height: 400,
      wide: true,
      name: `${title} over ${across.name} and ${up.name}`,
      note: fixedText(entry, [i, j]),
      label: `Map of ${title} over ${across.name} and ${up.name}, from ${C.short(low)} to ${C.short(high)}`,
      table: () => [[across.name, up.name, title], ...ys.flatMap((y, r) => xs.map((x, q) => [x, y, values[r][q]]))],
      hover: G.pointOr(dots, (c, px, py) => {
        const [q, r] = cell(c, px, py);
        const said = `${across.name} = ${nameOf(across, xs[q])}, ${up.name} = ${nameOf(up, ys[r])}: ${C.short(values[r][q])}`;
        return { px: c.x(columns[q]), py: c.y(rows[r]), text: said };
      }),
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
    const steps = chosen.map(isDiscrete);
    C.heat(c, values, [low, high], steps);
    if (!steps.some(Boolean)) C.contours(c, columns, rows, values, C.ticks(low, high, 8));
    const x = point(entry);
    const here = [i, j].map((k) => (entry.inputs[k].levels ? entry.inputs[k].levels.indexOf(x[k]) : x[k]));
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
    const said = placeText(entry, point(entry), varied);
    return said ? `at ${said}` : "";
  }

  function updateCaptions() {
    const several = shown.inputs.length > 1;
    $("#held").textContent = several ? `Each picture varies one input. The others stay ${fixedText(shown, [])}.` : "";
    if ($("#contour")) {
      const chosen = ["x", "y"].map((axis) => Number($(`#contour-${axis}`).value));
      const fixed = fixedText(shown, chosen);
      $("#contour .fixed").textContent = fixed && `${fixed}.`;
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
      $(".print-only", control).textContent = `= ${nameOf(input, input.value)}`;
    });
  }

  /* ---------------------------------------------------------------- the point in the address */

  /* Values of inputs after the hash, as in page.html#mach=0.7&alloy=steel; others are not looked at. */
  function addressed() {
    const found = {};
    for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
      const input = inputs.get(name);
      if (!input || text === "") continue;
      if (input.levels ? input.levels.includes(text) : isValue(input, Number(text))) found[name] = input.levels ? text : Number(text);
    }
    return found;
  }

  const isValue = (input, value) => Number.isFinite(value) && !(input.log && value <= 0);

  function showAddress() {
    const values = [...inputs].filter(([, input]) => input.varies).map(([name, input]) => [name, typeof input.value === "number" ? String(Number(input.value.toPrecision(6))) : input.value]);
    try {
      history.replaceState(null, "", `#${new URLSearchParams(values)}`);
    } catch {
      // A page inside another one may not change its address.
    }
  }

  /* The chosen point with the values there, as text to paste somewhere. */
  function pointAsText() {
    const where = [...inputs].map(([name, input]) => `${name} = ${nameOf(input, input.value)}${input.unit ? ` ${input.unit}` : ""}`);
    const values = all("[data-value]").map((card) => [".name", ".mean", ".interval", ".far"].map((part) => $(part, card).textContent).filter(Boolean).join(": "));
    return [where.join(", "), ...values].join("\n");
  }

  async function copyPoint() {
    const said = $("#copied");
    try {
      await navigator.clipboard.writeText(pointAsText());
      said.textContent = "Copied.";
    } catch {
      said.textContent = "The browser does not allow it.";
    }
    setTimeout(() => { said.textContent = ""; }, 3000);
  }

  let wanted = null;
  let remembered = null;
  let moved = false; // until then, what is drawn was computed when the page was made

  function update() {
    moved = true;
    changes += 1;
    delete document.documentElement.dataset.drawn;
    updateCaptions();
    updateValues();
    clearTimeout(wanted);
    wanted = setTimeout(updateSlices, 30);
    clearTimeout(remembered);
    remembered = setTimeout(showAddress, 400);
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
          } else if (node.value !== "") {
            const value = Number(node.value);
            const natural = node.type === "range" && input.log ? Math.exp(value) : value;
            if (isValue(input, natural)) move({ [name]: natural });
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

  /* How many pictures stand beside each other, so that few places stay empty. */
  const columnsFor = (count) => (count < 3 || count === 4 ? Math.max(count === 4 ? 2 : count, 1) : 3);

  /* Frames of the slices of one model; they are the page's own, so names are set as text. */
  function show(entry) {
    shown = entry;
    const holder = $("#slices");
    holder.replaceChildren(...entry.inputs.map((input, i) => {
      const caption = C.html("figcaption", {}, C.html("b", {}, `along ${input.name}`));
      return C.html("figure", { "data-input": i }, caption, C.html("div", { class: "plot" }));
    }).filter((_, i) => entry.inputs[i].varies));
    holder.dataset.columns = columnsFor(holder.childElementCount);
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
    const choices = $("#contour-choices");
    if (choices) choices.hidden = !entry.document; // only a live model can draw another map
  }

  /* ---------------------------------------------------------------- start */

  function connectPage() {
    const theme = $("#theme");
    theme.addEventListener("click", () => {
      const dark = document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      document.documentElement.dataset.theme = dark ? "light" : "dark";
      theme.setAttribute("aria-pressed", String(!dark));
    });
    mastTools.connectScreen();
    mastTools.connectLegends();
    const [reset, copy] = [$("#reset"), $("#copy")];
    if (reset) {
      copy.addEventListener("click", copyPoint);
      reset.addEventListener("click", () => move(Object.fromEntries(entries.flatMap((entry) =>
        entry.inputs.map((input, i) => [input.name, entry.start[i]])))));
    }
  }

  function goToAddress() {
    const found = addressed();
    if (!Object.keys(found).length) return;
    move(found);
    $("#explore").scrollIntoView();
  }

  connectPage();
  mastChecks.drawAll(entries);
  if ($("#slices")) {
    surrogates.start();
    connectControls();
    show(entries[0]);
    entries.forEach((entry) => { if (entry.first.value && $(`[data-value="${entries.indexOf(entry)}"]`)) showValue(entry, entry.first.value); });
    updateValues();
    goToAddress();
    addEventListener("hashchange", goToAddress);
  }
  document.documentElement.dataset.ready = "yes";
  /* For other scripts and for tests: values at points, each in the order of the model's inputs. */
  window.mast = {
    entries,
    predict: (points, entry = 0) => surrogates.ask(entries[entry], points),
    move,
  };
})();
