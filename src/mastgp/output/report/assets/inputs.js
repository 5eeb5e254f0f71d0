"use strict";
/* What is known of the inputs of a model: their axes, places along them, distances. */
const mastInputs = (() => {
  const C = mastCharts;
  const FEW = 25; // whole numbers that are shown one by one

  function isDiscrete(input) {
    return Boolean(input.levels) || Boolean(input.integer && input.high - input.low <= FEW);
  }

  const withUnit = (own) => (own.unit ? `${own.name} [${own.unit}]` : own.name);

  /* A value as text; rows of points have the numbers of levels. */
  const nameOf = (input, value) => (typeof value !== "number" ? value : input.levels ? input.levels[value] : C.short(value));

  /* Values of some inputs as text: those of a row, but for some columns. */
  function placeText(entry, row, without = []) {
    return entry.inputs.map((input, i) => (without.includes(i) ? "" : `${input.name} = ${nameOf(input, row[i])}`)).filter(Boolean).join(", ");
  }

  /* The axis of an input: a range, or places for levels and whole numbers. */
  function inputAxis(input, at) {
    let domain = isDiscrete(input) ? [at[0] - 0.5, at[at.length - 1] + 0.5] : [input.low, input.high];
    if (!(domain[1] > domain[0])) domain = [domain[0] - 0.5, domain[0] + 0.5];
    return { domain, label: withUnit(input), levels: input.levels, fixed: isDiscrete(input), log: input.log && input.varies };
  }

  /* Values along an input, or along a part of it. */
  function along(input, count, ends) {
    if (input.levels) return input.levels;
    if (isDiscrete(input)) {
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

  function scaled(input, value) {
    const of = input.log ? Math.log : (v) => v;
    return input.high > input.low ? (of(value) - of(input.low)) / (of(input.high) - of(input.low)) : 0.5;
  }

  /* Scaled distance per input between a point and a row of codes and numbers, but for one column. */
  function distance(entry, x, row, skip = -1) {
    let sum = 0;
    entry.inputs.forEach((input, i) => {
      if (i === skip) return;
      if (input.levels) sum += input.levels[row[i]] === x[i] ? 0 : 1;
      else sum += (scaled(input, x[i]) - scaled(input, row[i])) ** 2;
    });
    return Math.sqrt(sum / Math.max(entry.inputs.length - (skip >= 0 ? 1 : 0), 1));
  }

  return { isDiscrete, withUnit, nameOf, placeText, inputAxis, along, distance };
})();
