import type { Constructor, Property, Type } from "../../../dsl/kind.ts";
import { choice, integer, number, share } from "../../../dsl/types/type.ts";
import { stretch } from "./units.ts";

const warmup: Property = {
  type: stretch,
  doc: "the rate rises linearly from zero over this",
  default: "0 steps",
  also: ["warmup_steps", "num_warmup_steps"],
};
const to: Property = { type: share("the peak rate"), doc: "where it ends", default: "0%" };

const asLongAsTheStage = "the schedule has no length of its own: it is as long as its stage, `length`";

/** Rates belong to the optimizer, and ends are shares of it. */
const ends: NonNullable<Constructor["foreign"]> = {
  ...Object.fromEntries(
    ["min_lr", "lr_min", "eta_min", "min_lr_ratio", "min_lr_rate", "final_lr", "end_lr", "lr_end", "end_factor"].map(
      (name) => [name, "`to = 10%`, a share of the peak rate"],
    ),
  ),
  warmup_ratio: "`warmup = 3%`, a share of the stage",
  ...Object.fromEntries(
    ["lr", "max_lr", "peak_lr", "learning_rate"].map((name) => [
      name,
      "the peak belongs to the optimizer: `adamw(lr = 6e-4)`",
    ]),
  ),
  ...Object.fromEntries(
    ["steps", "total_steps", "max_steps", "T_max", "num_training_steps"].map((name) => [name, asLongAsTheStage]),
  ),
};
/** Where the whole run is the decay. */
const decaying: NonNullable<Constructor["foreign"]> = { ...ends, decay_steps: asLongAsTheStage };

const shares =
  (name: string) =>
  (written: string): string | null => {
    const value = Number(written);
    return value > 0 && value < 1 ? `${name} = ${Number((value * 100).toPrecision(12))}%` : null;
  };
const rewrites: NonNullable<Constructor["rewrites"]> = {
  warmup_ratio: shares("warmup"),
  ...Object.fromEntries(["min_lr_ratio", "min_lr_rate", "end_factor"].map((name) => [name, shares("to")])),
};

/** A factor on the learning rate over the run; a plugin with `role = schedule` is one more. */
export const schedules: Type = choice("schedule", {
  cosine: {
    doc: "half a cosine from the peak to `to` (Loshchilov & Hutter 2017)",
    parameters: {
      warmup,
      to,
      restarts: {
        type: integer({ min: 0 }),
        doc: "number of restarts from the peak",
        default: "0",
        runs: false,
      },
    },
    foreign: decaying,
    rewrites,
  },
  linear: { doc: "a straight line from the peak to `to`", parameters: { warmup, to }, foreign: decaying, rewrites },
  constant: { doc: "the peak throughout", parameters: { warmup } },
  wsd: {
    doc: "warm-up, stable, decay: the peak, then a straight line to `to` at the end",
    parameters: {
      warmup,
      cooldown: {
        type: stretch,
        doc: "length of the decay",
        default: "20%",
        also: ["decay", "anneal", "decay_steps", "num_decay_steps", "cooldown_steps"],
      },
      to,
    },
    foreign: ends,
    rewrites,
  },
  inverse_sqrt: {
    doc: "the peak over the root of the steps since the warm-up (Vaswani et al. 2017)",
    runs: false,
    parameters: { warmup },
  },
  range_test: {
    doc: "the rate rises over the whole run, to find where the loss diverges (Smith 2017)",
    runs: false,
    parameters: {
      from: { type: number({ min: 0 }), doc: "rate of the first step", default: "1e-7" },
      times: { type: number({ min: 1 }), doc: "final rate as a multiple of the peak", default: "5" },
    },
  },
});
