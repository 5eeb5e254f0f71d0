"use strict";
/*
 * Predictions of a mastgp model from its exported numbers ("mastgp-predictor", version 1).
 *
 * No other script is needed: the page runs this text in a worker, and any other program can do
 * the same. The covariance matrices are built and factorised here, so that the file stays small.
 *
 *   const model = mastPredictor(exported);      // the parsed JSON
 *   while (model.prepare()) {}                  // factorises one matrix at a time
 *   model.at([0.7, 2.5, "steel"]);              // {mean, std, low, high}, in the user's units
 */
function mastPredictor(exported) {
  const SMALLEST_SHARE = 1e-13; // of the prior variance; less is rounding
  const FAR_AWAY = 1e6; // widths of the box beyond which nothing changes any more
  const Z95 = 1.959963984540054;

  function decoded(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float64Array(bytes.buffer);
  }

  /* Arrays that several members share are in the document once. */
  const repeated = (exported.repeated || []).map(decoded);
  const numbers = (array) => (array.same === undefined ? decoded(array.float64) : repeated[array.same]);

  /* ---------------------------------------------------------------- a Gaussian process */

  function sumOfProducts(a, startA, b, startB, n) {
    // Four sums at a time: one alone waits for each addition to end.
    let [s0, s1, s2, s3, k] = [0, 0, 0, 0, 0];
    for (; k + 3 < n; k += 4) {
      s0 += a[startA + k] * b[startB + k];
      s1 += a[startA + k + 1] * b[startB + k + 1];
      s2 += a[startA + k + 2] * b[startB + k + 2];
      s3 += a[startA + k + 3] * b[startB + k + 3];
    }
    for (; k < n; k++) s0 += a[startA + k] * b[startB + k];
    return s0 + s1 + (s2 + s3);
  }

  /* Row i of a packed lower triangle begins at i (i + 1) / 2. */
  function factorise(K, n) {
    for (let i = 0; i < n; i++) {
      const rowI = (i * (i + 1)) / 2;
      for (let j = 0; j <= i; j++) {
        const rowJ = (j * (j + 1)) / 2;
        const rest = K[rowI + j] - sumOfProducts(K, rowI, K, rowJ, j);
        K[rowI + j] = i === j ? Math.sqrt(rest) : rest / K[rowJ + j];
      }
    }
  }

  function solveLower(L, n, b) {
    for (let i = 0; i < n; i++) {
      const row = (i * (i + 1)) / 2;
      b[i] = (b[i] - sumOfProducts(L, row, b, 0, i)) / L[row + i];
    }
  }

  function solveUpper(L, n, b) {
    for (let i = n - 1; i >= 0; i--) {
      const row = (i * (i + 1)) / 2;
      b[i] /= L[row + i];
      for (let k = 0; k < i; k++) b[k] -= L[row + k] * b[i];
    }
  }

  function warped(u, a, b) {
    const inside = u > 0 && u < 1 && (a !== 1 || b !== 1);
    return inside ? -Math.expm1(b * Math.log(-Math.expm1(a * Math.log(u)))) : u;
  }

  const KERNELS = { rbf: 0, matern52: 1, constant: 2 };

  function correlation(kernel, R) {
    if (kernel === 0) return Math.exp(-0.5 * R);
    if (kernel === 2) return 1;
    const s = Math.sqrt(5 * R);
    return (1 + s + (5 / 3) * R) * Math.exp(-s);
  }

  function makeProcess(node) {
    const [n, d] = node.X.shape;
    const k = node.weights.shape[0];
    const c = node.kernels.length;
    const g = node.means.shape[1];
    const values = {};
    for (const name of ["X", "y", "groups", "noise", "weights", "loadings", "lengthscales",
      "noises", "means", "warps", "solved", "known", "slopes", "corrections", "factor_vars"]) {
      if (node[name]) values[name] = numbers(node[name]);
    }
    const inducing = node.kind === "inducing";
    const extra = node.extra || 0;
    const categories = node.categories.map((category) => ({
      column: category.column,
      levels: category.positions.shape[1],
      dims: category.positions.shape[2],
      positions: numbers(category.positions),
      apart: numbers(category.apart),
    }));
    const levelColumns = categories.map((category) => category.column);
    const numeric = [...Array(d).keys()].filter((i) => !levelColumns.includes(i));
    const m = numeric.length;

    function codesOf(point) {
      return categories.map((cat) => Math.round(point(cat.column) * (cat.levels - 1)));
    }

    const codes = [];
    for (let i = 0; i < n; i++) codes.push(codesOf((column) => values.X[i * d + column]));

    /* Squared distance of two levels in one draw. */
    function apart(category, draw, a, b) {
      if (a === b) return 0;
      const { levels, dims, positions, apart: own } = category;
      let sum = own[draw * levels + a] + own[draw * levels + b];
      for (let t = 0; t < dims; t++) {
        const base = draw * levels * dims;
        const step = positions[base + a * dims + t] - positions[base + b * dims + t];
        sum += step * step;
      }
      return sum;
    }

    function warpOf(draw, t, u) {
      const at = draw * 2 * d + numeric[t];
      return warped(u, values.warps[at], values.warps[at + d]);
    }

    /* What does not depend on where one predicts: for every draw the points over the
       lengthscales of each component, the factor of K, and K^-1 (y - mean). */
    function prepareDraw(draw) {
      const own = { components: [] };
      for (let comp = 0; comp < c; comp++) own.components.push(component(draw, comp));
      own.prior = own.components.reduce((sum, part) => sum + part.top ** 2, 0);
      if (inducing) own.alpha = values.solved;
      else solveDraw(draw, own);
      return own;
    }

    function solveDraw(draw, own) {
      own.L = new Float64Array((n * (n + 1)) / 2);
      own.alpha = new Float64Array(n);
      const K = own.L;
      for (let i = 0, at = 0; i < n; i++) {
        at += i;
        K[at++] = values.noise[i] + values.noises[draw * g + values.groups[i]];
      }
      for (const part of own.components) addCovariance(K, part, draw);
      factorise(K, n);
      for (let i = 0; i < n; i++) own.alpha[i] = values.y[i] - values.means[draw * g + values.groups[i]];
      solveLower(K, n, own.alpha);
      solveUpper(K, n, own.alpha);
    }

    function component(draw, comp) {
      const base = (draw * c + comp) * d;
      const widths = numeric.map((column) => values.lengthscales[base + column]);
      const loads = (group) => values.loadings[(draw * c + comp) * g + group];
      const rows = [];
      for (let i = 0; i < n; i++) if (loads(values.groups[i]) !== 0) rows.push(i);
      const Z = new Float64Array(rows.length * m);
      rows.forEach((i, r) => numeric.forEach((column, t) => {
        Z[r * m + t] = warpOf(draw, t, values.X[i * d + column]) / widths[t];
      }));
      return {
        rows: Int32Array.from(rows),
        widths,
        Z,
        kernel: KERNELS[node.kernels[comp]],
        loads: Float64Array.from(rows, (i) => loads(values.groups[i])),
        top: loads(node.group),
        levelWidths: categories.map((category) => values.lengthscales[base + category.column] ** 2),
      };
    }

    function addCovariance(K, part, draw) {
      const { rows, Z, loads, kernel } = part;
      for (let r = 0; r < rows.length; r++) {
        const row = (rows[r] * (rows[r] + 1)) / 2;
        for (let s = 0; s <= r; s++) {
          let R = levelDistance(part, draw, codes[rows[r]], codes[rows[s]]);
          for (let t = 0; t < m; t++) R += (Z[r * m + t] - Z[s * m + t]) ** 2;
          K[row + rows[s]] += loads[r] * loads[s] * correlation(kernel, R);
        }
      }
    }

    function levelDistance(part, draw, a, b) {
      let R = 0;
      for (let i = 0; i < categories.length; i++) {
        R += apart(categories[i], draw, a[i], b[i]) / part.levelWidths[i];
      }
      return R;
    }

    const draws = [];
    const cross = new Float64Array(n);
    const at = new Float64Array(m);
    const seen = new Float64Array(m);

    function fillCross(draw, u, own, level) {
      cross.fill(0);
      for (let t = 0; t < m; t++) seen[t] = warpOf(draw, t, u[numeric[t]]);
      for (const part of own.components) {
        if (part.top === 0) continue;
        const { rows, Z, loads, kernel, widths, top } = part;
        for (let t = 0; t < m; t++) at[t] = seen[t] / widths[t];
        for (let r = 0; r < rows.length; r++) {
          let R = categories.length ? levelDistance(part, draw, level, codes[rows[r]]) : 0;
          for (let t = 0, z = r * m; t < m; t++, z++) R += (Z[z] - at[t]) * (Z[z] - at[t]);
          cross[rows[r]] += top * loads[r] * correlation(kernel, R);
        }
      }
    }

    /* How much of the prior variance is known, from covariances that need not be kept. */
    function knownVariance(own) {
      if (!inducing) {
        solveLower(own.L, n, cross);
        return sumOfProducts(cross, 0, cross, 0, n);
      }
      let sum = 0;
      for (let i = 0, row = 0; i < n; row += ++i) {
        sum += sumOfProducts(values.known, row, cross, 0, i + 1) ** 2;
      }
      return sum;
    }

    /* Where the process is what a multiple of `below` leaves, the factor is uncertain, too. */
    function evaluate(u, meanOnly, below = null) {
      const level = codesOf((column) => u[column]);
      return draws.map((own, draw) => {
        fillCross(draw, u, own, level);
        const scaled = sumOfProducts(cross, 0, own.alpha, 0, n) + values.means[draw * g + node.group];
        const left = below === null ? 0
          : below - node.y_scale * sumOfProducts(values.slopes, draw * n, cross, 0, n);
        const share = own.prior - (meanOnly ? 0 : knownVariance(own));
        let mean = node.y_mean + node.y_scale * scaled;
        let variance = Math.max(share, SMALLEST_SHARE * own.prior) * node.y_scale ** 2 + extra;
        if (below !== null) {
          mean += values.corrections[draw] * left;
          variance += values.factor_vars[draw] * left ** 2;
        }
        return { weight: values.weights[draw], mean, variance };
      });
    }

    return {
      processes: [{ left: () => k - draws.length, step: () => draws.push(prepareDraw(draws.length)) }],
      evaluate,
      parts: (u, meanOnly) => [{ response: null, share: 1, members: evaluate(u, meanOnly) }],
    };
  }

  /* ---------------------------------------------------------------- models made of processes */

  function momentsOfMembers(members) {
    let mean = 0;
    for (const member of members) mean += member.weight * member.mean;
    let variance = 0;
    for (const m of members) variance += m.weight * (m.variance + (m.mean - mean) ** 2);
    return { mean, variance };
  }

  function normal(mean, variance) {
    return [{ response: null, share: 1, members: [{ weight: 1, mean, variance }] }];
  }

  function makeStages(node) {
    const stages = node.stages.map(makeProcess);
    const scalings = node.appended.map((entry) => ({ low: numbers(entry.low), span: numbers(entry.span) }));
    const summaries = {
      mean: (mean) => mean,
      std: (_, variance) => Math.sqrt(variance),
      variance: (_, variance) => variance,
      low: (mean, variance) => mean - node.reach * Math.sqrt(variance),
      high: (mean, variance) => mean + node.reach * Math.sqrt(variance),
    };
    function parts(u) {
      let { mean, variance } = momentsOfMembers(stages[0].evaluate(u));
      for (let i = 1; i < stages.length; i++) {
        const { low, span } = scalings[i - 1];
        const told = node.columns.map((name, j) => (summaries[name](mean, variance) - low[j]) / span[j]);
        const own = momentsOfMembers(stages[i].evaluate([...u, ...told]));
        mean = own.mean + (node.adds_means ? mean : 0);
        variance = own.variance + (node.adds_variances ? variance : 0);
      }
      return normal(mean, variance);
    }
    return { processes: stages.flatMap((stage) => stage.processes), parts };
  }

  /* Each level is a factor times the one below, plus something of its own. */
  function makeLevels(node) {
    const levels = node.below.map(makeProcess);
    const top = makeProcess(node.of);
    const factors = numbers(node.factors);
    function parts(u, meanOnly) {
      let { mean, variance } = momentsOfMembers(levels[0].evaluate(u, meanOnly));
      for (let i = 1; i < levels.length; i++) {
        const own = momentsOfMembers(levels[i].evaluate(u, meanOnly));
        mean = own.mean + factors[i - 1] * mean;
        variance = own.variance + factors[i - 1] ** 2 * variance;
      }
      const last = factors[levels.length - 1];
      const members = top.evaluate(u, meanOnly, mean).map((member) => ({
        weight: member.weight,
        mean: member.mean + last * mean,
        variance: member.variance + last ** 2 * variance,
      }));
      return [{ response: null, share: 1, members }];
    }
    return { processes: [...levels, top].flatMap((part) => part.processes), parts };
  }

  function makeFused(node) {
    const members = node.members.map(makeProcess);
    const floors = numbers(node.floors);
    function parts(u) {
      let total = 0;
      let sum = 0;
      members.forEach((member, i) => {
        const { mean, variance } = momentsOfMembers(member.evaluate(u));
        total += 1 / (variance + floors[i]);
        sum += mean / (variance + floors[i]);
      });
      return normal(sum / total, 1 / total);
    }
    return { processes: members.flatMap((member) => member.processes), parts };
  }

  function makeTransformed(node) {
    const inner = make(node.of);
    const response = responseOf(node.response);
    const parts = (u, meanOnly) => inner.parts(u, false).map((part) => ({ ...part, response }));
    return { processes: inner.processes, parts };
  }

  function dilate(parts, factor) {
    return parts.map((part) => {
      const centre = momentsOfMembers(part.members).mean;
      const members = part.members.map((member) => ({
        weight: member.weight,
        mean: centre + factor * (member.mean - centre),
        variance: factor ** 2 * member.variance,
      }));
      return { ...part, members };
    });
  }

  function makeDilated(node) {
    const inner = make(node.of);
    const parts = (u, meanOnly) => dilate(inner.parts(u, meanOnly), node.factor);
    return { processes: inner.processes, parts };
  }

  /* Members of the same transformation become one part, as in the package. */
  function makeBlend(node) {
    const shares = numbers(node.shares);
    const members = node.members.map(make);
    function parts(u, meanOnly) {
      const together = new Map();
      members.forEach((member, i) => member.parts(u, meanOnly).forEach((part) => {
        const key = part.response ? part.response.key : "";
        const group = together.get(key) || { response: part.response, share: 0, members: [] };
        group.share += shares[i] * part.share;
        for (const m of part.members) {
          group.members.push({ ...m, weight: m.weight * shares[i] * part.share });
        }
        together.set(key, group);
      }));
      for (const group of together.values()) {
        for (const member of group.members) member.weight /= group.share;
      }
      return [...together.values()];
    }
    return { processes: members.flatMap((member) => member.processes), parts };
  }

  function make(node) {
    const makers = {
      process: makeProcess, inducing: makeProcess, levels: makeLevels, stages: makeStages, fused: makeFused,
      transformed: makeTransformed, dilated: makeDilated, blend: makeBlend,
    };
    return makers[node.kind](node);
  }

  /* ---------------------------------------------------------------- transformed responses */

  function responseOf(plain) {
    const { kind, largest } = plain;
    if (kind === "log") {
      const backward = (z) => Math.exp(Math.min(z, largest));
      return {
        key: "log",
        forward: (y) => Math.log(Math.max(y, 0)),
        backward,
        moments: (mean, variance) => [backward(mean + 0.5 * variance), backward(2 * (mean + variance))],
      };
    }
    const nodes = numbers(plain.nodes);
    const weights = numbers(plain.node_weights);
    const quadrature = (backward) => (mean, variance) => {
      let first = 0;
      let second = 0;
      nodes.forEach((node, i) => {
        const y = backward(mean + node * Math.sqrt(variance));
        first += weights[i] * y;
        second += weights[i] * y * y;
      });
      return [first, second];
    };
    if (kind === "bounded") {
      const { low, high } = plain;
      const inside = (z) => low + (high - low) / (1 + Math.exp(-z));
      return {
        key: `${low} to ${high}`,
        forward(y) {
          const share = Math.min(Math.max((y - low) / (high - low), 0), 1);
          return Math.log(share) - Math.log1p(-share);
        },
        backward: inside,
        moments: quadrature(inside),
      };
    }
    const { power, centre, scale } = plain;
    const boxcox = (x, p) => (p === 0 ? Math.log(x) : Math.expm1(p * Math.log(x)) / p);
    const inverse = (x, p) => (p === 0 ? Math.exp(x) : Math.exp(Math.log1p(p * x) / p));
    const backward = (z) => {
      const kept = Math.min(Math.max(z, -largest), largest);
      return centre + scale * (inverse(Math.max(kept, 0), power) - inverse(Math.max(-kept, 0), 2 - power));
    };
    return {
      key: `${power} ${centre} ${scale}`,
      forward(y) {
        const u = (y - centre) / scale;
        return boxcox(1 + Math.max(u, 0), power) - boxcox(1 + Math.max(-u, 0), 2 - power);
      },
      backward,
      moments: quadrature(backward),
    };
  }

  /* ---------------------------------------------------------------- distributions */

  function momentsOfPart(part) {
    if (!part.response) return momentsOfMembers(part.members);
    let first = 0;
    let second = 0;
    for (const member of part.members) {
      const [one, two] = part.response.moments(member.mean, member.variance);
      first += member.weight * one;
      second += member.weight * two;
    }
    return { mean: first, variance: Math.max(second - first * first, 0) };
  }

  function momentsOf(parts) {
    const own = parts.map(momentsOfPart);
    let mean = 0;
    own.forEach((moments, i) => { mean += parts[i].share * moments.mean; });
    let variance = 0;
    own.forEach((m, i) => { variance += parts[i].share * (m.variance + (m.mean - mean) ** 2); });
    return { mean, variance };
  }

  /* Standard normal distribution function: a series near zero, a continued fraction far away. */
  function below(z) {
    if (z < -38) return 0;
    if (z > 9) return 1;
    const density = Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
    if (Math.abs(z) < 4.2) {
      let term = z;
      let sum = z;
      for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) sum += term *= (z * z) / i;
      return 0.5 + density * sum;
    }
    let tail = Math.abs(z);
    for (let i = 60; i > 0; i--) tail = Math.abs(z) + i / tail;
    return z < 0 ? density / tail : 1 - density / tail;
  }

  function cdfOfMembers(members, value) {
    let sum = 0;
    for (const m of members) sum += m.weight * below((value - m.mean) / Math.sqrt(m.variance));
    return sum;
  }

  /* Where an increasing function reaches q, between two ends: false position (Illinois),
     with halving wherever that is slow. */
  function reaches(increasing, q, low, high) {
    let [left, right] = [increasing(low) - q, increasing(high) - q];
    if (left >= 0) return low;
    if (right <= 0) return high;
    let side = 0;
    for (let i = 0; i < 200 && high - low > 1e-15 * (Math.abs(low) + Math.abs(high)); i++) {
      const guess = i % 4 === 3 ? 0.5 * (low + high) : (low * right - high * left) / (right - left);
      const middle = guess > low && guess < high ? guess : 0.5 * (low + high);
      const found = increasing(middle) - q;
      if (Math.abs(found) < 1e-15) return middle;
      if (found < 0) {
        [low, left] = [middle, found];
        if (side === -1) right *= 0.5;
        side = -1;
      } else {
        [high, right] = [middle, found];
        if (side === 1) left *= 0.5;
        side = 1;
      }
    }
    return 0.5 * (low + high);
  }

  function quantileOfMembers(members, q, z) {
    let low = Infinity;
    let high = -Infinity;
    for (const member of members) {
      const own = member.mean + z * Math.sqrt(member.variance);
      low = Math.min(low, own);
      high = Math.max(high, own);
    }
    if (members.length === 1) return low;
    return reaches((value) => cdfOfMembers(members, value), q, low, high);
  }

  /* Quantile of a mixture that lies z standard deviations from the mean in a normal one. */
  function quantile(parts, q, z) {
    const own = parts.map((part) => {
      const inner = quantileOfMembers(part.members, q, z);
      return part.response ? part.response.backward(inner) : inner;
    });
    if (parts.length === 1) return own[0];
    const total = (value) => {
      let sum = 0;
      for (const part of parts) {
        sum += part.share * cdfOfMembers(part.members, part.response ? part.response.forward(value) : value);
      }
      return sum;
    };
    return reaches(total, q, Math.min(...own), Math.max(...own));
  }

  /* ---------------------------------------------------------------- the predictor itself */

  const root = make(exported.predictor);
  const waiting = root.processes.slice();
  const total = waiting.reduce((sum, process) => sum + process.left(), 0);

  function unit(x) {
    return exported.inputs.map((input, i) => {
      const value = input.levels ? levelOf(input, x[i]) : Number(x[i]);
      if (!(input.high > input.low)) return 0.5;
      const of = input.log ? Math.log : (v) => v;
      const scaled = (of(value) - of(input.low)) / (of(input.high) - of(input.low));
      return Math.min(Math.max(scaled, -FAR_AWAY), FAR_AWAY);
    });
  }

  function levelOf(input, value) {
    return typeof value === "number" ? value : input.levels.indexOf(value);
  }

  return {
    total,
    left: () => waiting.reduce((sum, process) => sum + process.left(), 0),
    /* Prepares one more matrix; false when nothing is left to do. */
    prepare() {
      while (waiting.length && !waiting[0].left()) waiting.shift();
      if (!waiting.length) return false;
      waiting[0].step();
      return true;
    },
    /* The mean alone, at a fraction of the cost, where no response is transformed. */
    meanAt: (x) => momentsOf(root.parts(unit(x), true)).mean,
    at(x) {
      const parts = root.parts(unit(x), false);
      const { mean, variance } = momentsOf(parts);
      const wide = exported.calibration === 1 ? parts : dilate(parts, exported.calibration);
      return {
        mean,
        std: exported.calibration * Math.sqrt(variance),
        low: quantile(wide, 0.025, -Z95),
        high: quantile(wide, 0.975, Z95),
      };
    },
  };
}
if (typeof module !== "undefined") module.exports = mastPredictor;
