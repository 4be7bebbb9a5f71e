/** What a run measures: the names that `expect` and `best` may speak of. */
import type { FormulaNames, Type } from "../../dsl/kind.ts";
import { number, quantity, share } from "../../dsl/types/type.ts";

/** A point of the run. */
const at: Type = quantity([{ step: 1 }], { integer: true, min: 0 });
const plain = number();
const speed = quantity([
  { token: 1, second: -1 },
  { token: 1, second: -1, gpu: -1 },
]);
const time = quantity([{ second: 1 }]);

export const trainingMetrics: FormulaNames = {
  loss: { type: plain, at, doc: "training loss" },
  "val.loss": { type: plain, at, doc: "loss on the validation split" },
  grad_norm: { type: plain, at, doc: "norm of the gradient" },
  lr: { type: plain, at, doc: "learning rate" },
  tokens_per_second: { type: speed, at, doc: "tokens per second, of the run or of one GPU" },
  step_time: { type: time, at, doc: "time of a step" },
  checkpoint_time: { type: time, doc: "time spent saving" },
  lost_time: { type: share("the run"), doc: "share of the run that stops and repeats cost" },
  time: { type: time, doc: "time since the start" },
  "best.loss": { type: plain, doc: "the lowest validation loss so far" },
  "start.loss": { type: plain, doc: "the loss at the first step" },
};
