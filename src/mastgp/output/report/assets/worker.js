"use strict";
/*
 * Answers questions about exported predictors, a few milliseconds at a time, so that a newer
 * question can overtake an older one. It runs in a worker, or in the page where there is none.
 *
 * In:  {models: [exported, ...]}, {ask: id, model: number, points: [...], meanOnly}, {drop: id}
 * Out: {ready: number}, {id, values: [[mean, std, low, high], ...]}, {failed: text}
 */
function mastWorker(send) {
  const SLICE = 25; // milliseconds of work before messages are looked at again
  const models = [];
  const questions = new Map();
  let waiting = false;

  function answer(question) {
    const model = models[question.model];
    const x = question.points[question.values.length];
    if (question.meanOnly) {
      question.values.push([model.meanAt(x)]);
    } else {
      const { mean, std, low, high } = model.at(x);
      question.values.push([mean, std, low, high]);
    }
    if (question.values.length === question.points.length) {
      questions.delete(question.ask);
      send({ id: question.ask, values: question.values });
    }
  }

  /* One small piece of work: a matrix of the first model that is not ready, or a point. */
  function work() {
    const unready = models.findIndex((model) => model.left() > 0);
    for (const question of questions.values()) {
      if (models[question.model].left() === 0) {
        answer(question);
        return true;
      }
    }
    if (unready < 0) return false;
    models[unready].prepare();
    if (models[unready].left() === 0) send({ ready: unready });
    return true;
  }

  function turn() {
    waiting = false;
    const end = Date.now() + SLICE;
    try {
      while (Date.now() < end) if (!work()) return;
    } catch (error) {
      questions.clear();
      send({ failed: String(error) });
      return;
    }
    wake();
  }

  function wake() {
    if (!waiting) {
      waiting = true;
      setTimeout(turn, 0);
    }
  }

  return function receive(message) {
    if (message.models) message.models.forEach((exported) => models.push(mastPredictor(exported)));
    if (message.ask !== undefined) questions.set(message.ask, { ...message, values: [] });
    if (message.drop !== undefined) questions.delete(message.drop);
    wake();
  };
}
