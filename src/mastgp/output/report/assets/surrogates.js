"use strict";
/*
 * The surrogates of a page: questions to the worker that computes them. `entries` are the models of
 * the page; those without a document cannot be asked.
 */
function mastSurrogates(entries) {
  const pending = new Map();
  let next = 0;
  let post = null;
  let failure = null;
  const newest = {};

  function receive(message) {
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
    const source = ["predictor-source", "worker-source"].map((id) => document.getElementById(id).textContent).join("");
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
}
