"use strict";
/*
 * What hands do with every chart. Mouse: values where it points, a drag zooms, with Shift it moves,
 * a double click shows all, the wheel with Ctrl zooms. Touch: a tap tells values, two fingers zoom
 * and move. What needs no hands is in the menu of tools.js.
 */
const mastGestures = (() => {
  const C = mastCharts;
  const FAR = 6; // pixels that a pointer moves before a click becomes a drag
  const NEAR = 28; // pixels within which a point is pointed at
  const ON = 8; // pixels within which a point is pointed at, and not the curve beside it
  const SETTLED = 60; // milliseconds after which what follows a zoom is done
  const hidden = new Set(); // series that legends have switched off

  /* ---------------------------------------------------------------- values at the pointer */

  /* What is nearest in the direction of x: points of {x, text}, in pixels once they are scaled. */
  const nearestAcross = (points) => (c, px) => {
    const at = points.map((p) => c.x(p.x));
    const best = at.reduce((k, value, i) => (Math.abs(value - px) < Math.abs(at[k] - px) ? i : k), 0);
    return points.length ? { px: at[best], text: points[best].text } : null;
  };

  /* What is nearest in both directions, if it is near: points of {x, y, text, series}. */
  const nearestPoint = (points, near = NEAR) => (c, px, py) => {
    let [best, least] = [null, near];
    for (const point of points) {
      if (hidden.has(point.series)) continue;
      const away = Math.hypot(c.x(point.x) - px, c.y(point.y) - py);
      if (away < least) [best, least] = [{ px: c.x(point.x), py: c.y(point.y), text: point.text }, away];
    }
    return best;
  };

  /* A point that is pointed at exactly, or else what another rule finds. */
  const pointOr = (points, other) => (c, px, py) => nearestPoint(points, ON)(c, px, py) || other(c, px, py);

  /* Where an event is on a chart; it may have been drawn anew since. */
  function pixelOf(c, event) {
    const bounds = C.states.get(c.figure).current.svg.getBoundingClientRect();
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
    const above = (found.py ?? 0) * grown - tip.offsetHeight - 10;
    const below = (found.py ?? 0) * grown + 12;
    tip.style.top = found.py === undefined ? "0" : `${above < 0 ? below : above}px`;
  }

  /* ---------------------------------------------------------------- views */

  /* Whether an axis can be zoomed into: levels and whole numbers are few. */
  const isFree = (axis) => !axis.levels && !axis.fixed;

  function setView(figure, view) {
    const state = C.states.get(figure);
    const within = ([low, high], [from, to]) => [Math.max(low, from), Math.min(high, to)];
    const next = {};
    for (const [axis, ends] of Object.entries(view)) {
      const { domain } = state.options[axis];
      const cut = within(ends, domain);
      const whole = cut[0] === domain[0] && cut[1] === domain[1];
      const visible = cut[1] - cut[0] > 1e-9 * Math.max(Math.abs(cut[0]), Math.abs(cut[1]));
      if (isFree(state.options[axis]) && visible && !whole) next[axis] = cut;
    }
    state.view = next;
    C.render(figure);
    clearTimeout(state.waiting);
    if (state.options.zoomed) state.waiting = setTimeout(state.options.zoomed, SETTLED);
  }

  const isZoomed = (figure) => Object.keys(C.states.get(figure).view).length > 0;

  /* The part of a chart between two pixels of each direction, as a view. */
  function part(c, [x1, x2], [y1, y2]) {
    const ends = (scale, pixels) => pixels.map(scale.invert).sort((a, b) => a - b);
    return { x: ends(c.x, [x1, x2]), y: ends(c.y, [y1, y2]) };
  }

  /* What was at the first pixel comes to the second, and everything grows by a factor. */
  function magnify(c, [fromX, fromY], [toX, toY], factor) {
    const { left, right, top, bottom } = c.box;
    const back = (from, to) => (pixel) => from + (pixel - to) / factor;
    setView(c.figure, part(c, [left, right].map(back(fromX, toX)), [top, bottom].map(back(fromY, toY))));
  }

  const middle = ({ box }) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];

  /* More than 1 shows less of the chart, less than 1 more of it. */
  function zoomBy(figure, factor) {
    const { current } = C.states.get(figure);
    magnify(current, middle(current), middle(current), factor);
  }

  /* Move what is seen by so many pixels, no further than there is something to see. */
  function shift(c, [dx, dy]) {
    const { left, right, top, bottom } = c.box;
    const limited = (by, scale, axis, from, to) => {
      const ends = axis.domain.map(scale).sort((a, b) => a - b);
      return Math.min(Math.max(by, to - ends[1]), from - ends[0]);
    };
    const by = [limited(dx, c.x, c.options.x, left, right), limited(dy, c.y, c.options.y, top, bottom)];
    magnify(c, [0, 0], by, 1);
  }

  /* Move by shares of what is seen: to see more of the right is [1, 0], of the top [0, 1]. */
  function moveBy(figure, [right, up]) {
    const { current } = C.states.get(figure);
    const { box } = current;
    shift(current, [-right * (box.right - box.left), up * (box.bottom - box.top)]);
  }

  /* ---------------------------------------------------------------- drags, taps and pinches */

  const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

  function inside({ box }, [px, py]) {
    return [Math.min(Math.max(px, box.left), box.right), Math.min(Math.max(py, box.top), box.bottom)];
  }

  /* Corners of a selection. A flat one is of one direction: it spans the whole of the other. */
  function corners(c, from, to) {
    const { left, right, top, bottom } = c.box;
    const span = (k, axis, whole) => (Math.abs(to[k] - from[k]) < FAR || !isFree(axis) ? whole : [from[k], to[k]].sort((a, b) => a - b));
    return [span(0, c.options.x, [left, right]), span(1, c.options.y, [top, bottom])];
  }

  function drawFrame(drag, [xs, ys]) {
    if (!drag.frame) drag.c.svg.append((drag.frame = C.el("rect", { class: "frame" })));
    for (const [key, value] of Object.entries({ x: xs[0], y: ys[0], width: xs[1] - xs[0], height: ys[1] - ys[0] })) drag.frame.setAttribute(key, value);
  }

  function connect(figure, holder, tip) {
    const state = C.states.get(figure);
    const fingers = new Map();
    let drag = null; // where it began, on which chart, whether it moves or selects
    let pinch = null;

    const begin = (event, moves) => {
      const c = state.current;
      drag = { c, moves, from: inside(c, pixelOf(c, event)), far: false };
    };
    const follow = (event) => {
      const to = pixelOf(drag.c, event);
      drag.far = drag.far || apart(to, drag.from) > FAR;
      if (!drag.far) return;
      tip.hidden = true;
      if (drag.moves) shift(drag.c, [to[0] - drag.from[0], to[1] - drag.from[1]]);
      else drawFrame(drag, corners(drag.c, drag.from, inside(drag.c, to)));
    };
    const end = (event) => {
      const { c, far, moves, from, frame } = drag;
      drag = null;
      if (frame) frame.remove();
      if (far && !moves) setView(figure, part(c, ...corners(c, from, inside(c, pixelOf(c, event)))));
      if (!far && c.options.click) c.options.click(state.current, ...pixelOf(state.current, event));
    };
    const stop = (event) => {
      if (drag && drag.frame) drag.frame.remove();
      drag = pinch = null;
      fingers.delete(event.pointerId);
    };
    const pinched = () => {
      const [a, b] = [...fingers.values()];
      return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], wide: Math.max(apart(a, b), 10) };
    };

    holder.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "touch") {
        if (event.button !== 0) return;
        begin(event, event.shiftKey || Boolean(state.moves));
        holder.setPointerCapture(event.pointerId);
        event.preventDefault();
        return;
      }
      fingers.set(event.pointerId, pixelOf(state.current, event));
      if (fingers.size === 2) [drag, pinch] = [null, { c: state.current, ...pinched() }];
      else if (fingers.size === 1) begin(event, Boolean(state.moves) && isZoomed(figure));
    });
    holder.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") {
        if (!fingers.has(event.pointerId)) return;
        fingers.set(event.pointerId, pixelOf(state.current, event));
        if (pinch && fingers.size === 2) {
          const now = pinched();
          tip.hidden = true;
          magnify(pinch.c, pinch.middle, now.middle, now.wide / pinch.wide);
        } else if (drag && drag.moves) {
          follow(event);
        } else if (drag) {
          drag.far = drag.far || apart(pixelOf(drag.c, event), drag.from) > FAR;
          showTip(state.current, tip, pixelOf(state.current, event));
        }
      } else if (drag) {
        follow(event);
        if (!drag.far) showTip(state.current, tip, pixelOf(state.current, event));
      } else {
        showTip(state.current, tip, pixelOf(state.current, event));
      }
    });
    holder.addEventListener("pointerup", (event) => {
      const tapped = event.pointerType === "touch" && drag && !drag.far;
      if (drag && (event.pointerType !== "touch" || drag.moves || tapped)) end(event);
      if (tapped) showTip(state.current, tip, pixelOf(state.current, event));
      stop(event);
    });
    holder.addEventListener("pointercancel", stop);
    holder.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") tip.hidden = true; });
    holder.addEventListener("dblclick", () => setView(figure, {}));
    // The page shall not scroll under two fingers, nor grow under the wheel.
    holder.addEventListener("touchmove", (event) => { if (event.touches.length > 1 && event.cancelable) event.preventDefault(); }, { passive: false });
    holder.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = pixelOf(state.current, event);
      magnify(state.current, at, at, Math.exp(-0.004 * Math.max(-200, Math.min(event.deltaY, 200))));
    }, { passive: false });
  }

  /* A chart that is drawn for the first time is connected; its tip survives that it is drawn anew. */
  function attach(c) {
    const state = C.states.get(c.figure);
    c.holder.classList.toggle("click", Boolean(c.options.click));
    if (!state.tip) {
      state.tip = C.html("div", { class: "tip", hidden: "" });
      connect(c.figure, c.holder, state.tip);
    }
    c.holder.append(state.tip);
  }

  /* Whether a drag moves what is seen, or selects a part of it. */
  function setMoves(figure, moves) {
    C.states.get(figure).moves = moves;
    figure.querySelector(".plot").classList.toggle("moves", moves);
  }

  C.finish.push(attach);
  return { hidden, nearestAcross, nearestPoint, pointOr, setView, zoomBy, moveBy, setMoves };
})();
