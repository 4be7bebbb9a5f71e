/** Parameters of DeepSpeed's own optimizer and schedule that nothing of the file came from. */
import type { Document } from "../../document.ts";
import { leaves, nested, type Section } from "./deepspeed-document.ts";
import type { Left } from "./facts.ts";
import { otherThan, traceless } from "./traces.ts";

/** What the engine takes where it is not said, if that is not nothing (ops/adam/fused_adam.py, runtime/lr_schedules.py). */
const usual: Readonly<Record<string, Document>> = {
  "optimizer.params.adam_w_mode": true,
  "optimizer.params.bias_correction": true,
  "scheduler.params.last_batch_iteration": -1,
  "scheduler.params.warmup_type": "log",
};

/** Which program computes the same step. */
const implementation = /^optimizer\.params\.(?:torch_adam|fused|foreach)$/;

const others = (value: Document): readonly Document[] => otherThan(value) as readonly Document[];

/** `draw`: everything that becomes of a configuration, as text. */
export function lostParameters(config: Section | null, draw: (config: Section) => string): readonly Left[] {
  if (config === null) return [];
  const all = leaves(config);
  const doubtful = [...all].flatMap(([path, value]) =>
    /^(?:optimizer|scheduler)\.params\./.test(path) && !implementation.test(path) && !isUsual(path, value) ? [path] : [],
  );
  return traceless(all, doubtful, others, (some) => draw(nested(some))).map((path) => ({
    what: `${path} ${JSON.stringify(all.get(path))}`,
    why: "the training program's own has no such parameter",
  }));
}

const isUsual = (path: string, value: Document): boolean =>
  value === "auto" || value === usual[path] || (!Object.hasOwn(usual, path) && (value === 0 || value === false || value === null));
