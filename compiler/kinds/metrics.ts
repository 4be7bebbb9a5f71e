/** What a run measures: the names that `expect` and `best` may speak of. */
import type { FormulaNames, Type } from "../../dsl/kind.ts";
import { number, quantity, share } from "../../dsl/types/type.ts";

/** A point of the run. */
const at: Type = quantity([{ step: 1 }], { integer: true, min: 1 });
const plain = number();
const speed = quantity([{ token: 1, second: -1 }]);
const speedEach = quantity([{ token: 1, second: -1, gpu: -1 }]);
const time = quantity([{ second: 1 }]);

export const trainingMetrics: FormulaNames = {
  loss: { type: plain, at, doc: "training loss" },
  "val.loss": { type: plain, at, doc: "loss on the validation split" },
  grad_norm: { type: plain, at, doc: "norm of the gradient" },
  lr: { type: plain, at, doc: "learning rate" },
  tokens_per_second: { type: speed, at, doc: "tokens per second, over all ranks" },
  tokens_per_second_per_gpu: { type: speedEach, at, doc: "tokens per second of one GPU" },
  steps_per_second: { type: quantity([{ step: 1, second: -1 }]), at, doc: "optimizer steps per second" },
  step_time: { type: time, at, doc: "time of a step" },
  loading_time: { type: time, doc: "time spent waiting for data" },
  utilization: {
    type: share("the time"),
    doc: "share of the time in which a device was busy; not a measure of its speed",
  },
  checkpoint_time: { type: time, doc: "time spent saving" },
  scaling: { type: share("a perfect speed-up"), doc: "speed per device relative to a single device" },
  lost_time: { type: share("the run"), doc: "share of the run lost to interruptions and repeated work" },
  time: { type: time, doc: "time since the start" },
  "val.accuracy": { type: share("the tokens"), at, doc: "share of validation tokens that were predicted correctly" },
  "val.perplexity": { type: plain, at, doc: "exponential of the loss on the validation split" },
  accuracy: { type: share("the tokens"), at, doc: "share of training tokens that were predicted correctly" },
  generalization_gap: { type: number(), at, doc: "validation loss minus training loss" },
  "memory.peak": { type: quantity([{ byte: 1 }]), doc: "peak of the device memory in use" },
  overflow: { type: share("the tokens"), at, doc: "tokens beyond the capacity of their expert" },
  reward: { type: number(), at, doc: "mean reward of an objective" },
  "best.loss": { type: plain, doc: "the lowest validation loss so far" },
  "start.loss": { type: plain, doc: "the loss at the first step" },
};

const shareOf = (whole: string, doc: string): FormulaNames[string] => ({ type: share(whole), doc });

/** What an `eval` measures; `best` and `start` are earlier measurements of the same. */
export const evaluationMetrics: FormulaNames = {
  loss: { type: plain, at, doc: "loss on the text" },
  perplexity: { type: plain, at, doc: "exponential of the loss" },
  "best.loss": { type: plain, doc: "the lowest loss so far" },
  "best.perplexity": { type: plain, doc: "the lowest perplexity so far" },
  "start.loss": { type: plain, doc: "the loss before training" },
  "start.perplexity": { type: plain, doc: "the perplexity before training" },
  accuracy: shareOf("the questions", "share of correct answers, over all tasks"),
  completion: shareOf("the problems", "share of problems that were solved"),
  overflow: shareOf("the tokens", "tokens beyond the capacity of their expert"),
  entropy: {
    type: quantity([{ byte: 1 }]),
    doc: "entropy of the distribution of tokens over experts, at most the logarithm of their number",
  },
  utilization: shareOf("the experts", "share of experts that get any tokens"),
  accepted: shareOf("the continuations", "continuations that were kept"),
  "overhead.latency": shareOf("the time without them", "time that memory and continuations add"),
  "overhead.memory": shareOf("the memory without them", "memory that they add"),
  "latency.*": { type: time, doc: "time of one memory operation" },
  scaling: shareOf("a perfect speed-up", "speed per GPU relative to a single node"),
};
