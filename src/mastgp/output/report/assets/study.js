"use strict";
/* Charts of a study: results over what was spent and over each input, and the held-out check. */
(() => {
  const C = mastCharts;
  const G = mastGestures;
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const colourOf = new Map(data.fidelities.map((own) => [own.name, own.colour]));
  const done = data.trials.filter((trial) => trial.value !== null);
  const failed = data.trials.filter((trial) => trial.failed);

  function words(trial) {
    const where = Object.entries(trial.inputs).map(([name, value]) => `${name} = ${typeof value === "number" ? C.short(value) : value}`);
    return `trial ${trial.id}, ${trial.fidelity}: ${trial.failed ? "failed" : C.short(trial.value, 5)} at ${where.join(", ")}`;
  }

  /* Results as dots, failures as crosses on the floor of the chart. */
  function drawTrials(c, at) {
    done.forEach((trial) => C.dots(c, [at(trial)], [trial.value], {
      class: `f-${colourOf.get(trial.fidelity)}`, r: 3.8, opacity: 0.85, "data-series": `of ${trial.fidelity}`,
    }));
    failed.forEach((trial) => {
      const [x, y] = [c.x(at(trial)), c.box.bottom - 6];
      c.layer.append(C.el("path", { d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8`, class: "c-bad", "stroke-width": 2, fill: "none", "data-series": "failed" }));
    });
  }

  function pointed(at) {
    const points = done.map((trial) => ({ x: at(trial), y: trial.value, text: words(trial), series: `of ${trial.fidelity}` }));
    const dropped = failed.map((trial) => ({ trial, text: words(trial) }));
    return (c, px, py) => {
      const crosses = dropped.map((own) => ({ x: at(own.trial), y: c.y.invert(c.box.bottom - 6), text: own.text, series: "failed" }));
      return G.nearestPoint([...points, ...crosses])(c, px, py);
    };
  }

  const valueAxis = () => ({ domain: C.padded(C.extent(done.map((trial) => trial.value)), 0.08), label: data.target });
  const tableOf = (first, at) => () => [[first, "trial", "fidelity", data.target], ...data.trials.map((trial) => [at(trial), trial.id, trial.fidelity, trial.failed ? "failed" : trial.value])];

  function progress(figure) {
    const end = Math.max(0, ...data.trials.map((trial) => trial.spent));
    const at = (trial) => trial.spent;
    C.chart(figure, {
      x: { domain: [-0.02 * end, end * 1.03 || 1], label: "spent" },
      y: valueAxis(),
      height: 330,
      name: `${data.target} over what was spent`,
      label: `${done.length} results of ${data.target} over what was spent`,
      table: tableOf("spent", at),
      hover: pointed(at),
    }, (c) => {
      drawTrials(c, at);
      const steps = data.best.flatMap(([x, y], k) => (k ? [[x, data.best[k - 1][1]], [x, y]] : [[x, y]]));
      if (steps.length) C.line(c, steps.map((p) => p[0]), steps.map((p) => p[1]), { class: "c-model", "stroke-width": 2, "data-series": "best" });
    });
  }

  function over(figure) {
    const input = data.inputs[Number(figure.dataset.column)];
    const at = (trial) => (input.levels ? input.levels.indexOf(String(trial.inputs[input.name])) : trial.inputs[input.name]);
    const places = input.levels ? input.levels.map((_, k) => k) : [];
    const axis = mastInputs.inputAxis({ varies: true, ...input }, places);
    C.chart(figure, {
      x: input.levels ? axis : { ...axis, domain: C.padded(axis.domain, 0.02) },
      y: valueAxis(),
      height: 215,
      name: `${data.target} over ${input.name}`,
      label: `${done.length} results of ${data.target} over ${input.name}`,
      table: tableOf(input.name, (trial) => trial.inputs[input.name]),
      hover: pointed(at),
    }, (c) => drawTrials(c, at));
  }

  const entry = { target: data.target, heldOut: data.heldOut, inputs: [], points: [{ top: true, X: [] }] };
  mastChecks.drawAll([entry], { progress, over });
  mastTools.connectLegends();
  mastTools.connectScreen();

  /* A page that is served renews itself, but not under the hands of somebody who looks into it. */
  const every = Number(document.documentElement.dataset.every);
  const inUse = () => document.querySelector("details[open]") || [...document.querySelectorAll("figure")].some((figure) => C.states.has(figure) && Object.keys(C.states.get(figure).view).length);
  if (every) setInterval(() => { if (!inUse() && !document.hidden) location.reload(); }, 1000 * every);
  document.documentElement.dataset.ready = "yes";
})();
