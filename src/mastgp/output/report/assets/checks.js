"use strict";
/* Charts that never move: the held-out check, trust, and where the model is unsure. */
const mastChecks = (() => {
  const C = mastCharts;
  const G = mastGestures;
  const { isDiscrete, withUnit, inputAxis, nameOf, placeText } = mastInputs;

  function parity(figure, entry) {
    const { y, mean, low, high } = entry.heldOut;
    const of = entry.log ? Math.log : (v) => v;
    const padded = C.padded(C.extent(y.map(of), mean.map(of)), 0.08);
    const domain = entry.log ? padded.map(Math.exp) : padded;
    const name = withUnit({ name: entry.target, unit: entry.unit });
    const rows = entry.points.find((points) => points.top).X;
    const known = rows.length === y.length; // of very many points a page has some
    const names = known ? entry.inputs.map((input) => input.name) : [];
    const place = (k) => (known ? entry.inputs.map((input, i) => (input.levels ? input.levels[rows[k][i]] : rows[k][i])) : []);
    const where = (k) => (known ? ` at ${placeText(entry, rows[k])}` : "");
    const words = (k) => `observed ${C.short(y[k])}, predicted ${C.short(mean[k])} (95 %: ${C.short(low[k])} to ${C.short(high[k])})${where(k)}`;
    C.chart(figure, {
      x: { domain, label: `observed ${name}`, log: entry.log },
      y: { domain, label: `predicted ${name}`, log: entry.log },
      height: 330,
      square: true,
      name: `${entry.target} predicted against observed`,
      label: `Predicted against observed ${entry.target} for ${y.length} held-out points`,
      table: () => [[...names, "observed", "predicted", "low95", "high95"], ...y.map((value, k) => [...place(k), value, mean[k], low[k], high[k]])],
      hover: G.nearestPoint(y.map((value, k) => ({ x: value, y: mean[k], text: words(k) }))),
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
      hover: G.nearestAcross(said),
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
    const said = entry.trust.flatMap((points) => points.nearest.map((x, k) => ({ x, y: points.trust[k], text: `${points.name}: trust ${C.short(points.trust[k], 2)} at distance ${C.short(x, 3)}`, series: `of ${points.name}` })));
    C.chart(figure, {
      x: { domain: [0, far[1] * 1.04], label: `scaled distance to the nearest ${entry.predicts} point` },
      y: { domain: [-0.03, 1.05], label: "trust" },
      height: 260,
      name: `${entry.target} trust`,
      label: "Trust in each cheap point over its distance to the nearest expensive one",
      table: () => [["source", "distance", "trust"], ...entry.trust.flatMap((points) => points.nearest.map((x, k) => [points.name, x, points.trust[k]]))],
      hover: G.nearestPoint(said),
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
      hover: G.nearestAcross(at.map((place, k) => ({ x: place, text: `${input.name} ${nameOf({}, names[k])}: std ${C.short(std[k], 3)}` }))),
    }, (c) => {
      if (isDiscrete(input)) at.forEach((place, k) => C.line(c, [place, place], [0, std[k]], { class: "c-model", "stroke-width": 9, "stroke-opacity": 0.6 }));
      else C.line(c, at, std, { class: "c-model", "stroke-width": 2 });
    });
  }

  const DRAWERS = { parity, calibration, trust, unsure };

  /* Draw every chart of some models; a page may have further kinds of charts. */
  function drawAll(entries, further = {}) {
    const drawers = { ...DRAWERS, ...further };
    document.querySelectorAll("figure[data-chart]").forEach((figure) => {
      drawers[figure.dataset.chart](figure, entries[Number(figure.dataset.entry)]);
    });
  }

  return { drawAll };
})();
