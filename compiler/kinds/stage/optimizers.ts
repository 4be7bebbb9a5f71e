import type { Constructor, Property, Type } from "../../../dsl/kind.ts";
import { bool, choice, integer, list, number, union, noneType } from "../../../dsl/types/type.ts";
import { scheduled } from "./units.ts";

const lr: Property = {
  type: number({ min: 0, max: 1000 }),
  doc: "peak learning rate",
  required: true,
  also: ["learning_rate", "rate", "alpha", "max_lr"],
};
const betas = (usual: string): Property => ({
  type: list(number({ min: 0, below: 1 }), 2),
  doc: "decay of the first and second moment",
  also: ["adam_betas"],
  default: usual,
});
/** Rows that no token reaches have moments of 0, and 0 / 0 is nan: the least is float32's smallest normal number. */
const eps: Property = {
  type: number({ min: 2 ** -126 }),
  doc: "added to the root of the second moment",
  default: "1e-8",
  also: ["epsilon", "adam_epsilon"],
};
const decay = (usual: string): Property => ({
  type: number({ min: 0 }),
  doc: "decoupled decay, on matrices only",
  also: ["wd", "decay", "l2"],
  default: usual,
});

/** Both decays stand in one list. */
const adam: NonNullable<Constructor["foreign"]> = Object.fromEntries(
  ["beta1", "beta2", "adam_beta1", "adam_beta2", "beta_1", "beta_2", "b1", "b2"].map((name) => [
    name,
    "`betas = [0.9, 0.95]`, the first and the second",
  ]),
);

/** How the rate changes is said beside the optimizer. */
const schedule: NonNullable<Constructor["foreign"]> = Object.fromEntries(
  [
    "warmup",
    "warmup_steps",
    "warmup_ratio",
    "num_warmup_steps",
    "schedule",
    "scheduler",
    "lr_scheduler",
    "min_lr",
  ].map((name) => [name, "`schedule = cosine(warmup = 1%, to = 10%)` beside the optimizer"]),
);

/** What moves the parameters that Muon does not: each group has a rate of its own. */
const others: Type = choice("AdamW for the other parameters", {
  adamw: {
    doc: "Adam with decoupled weight decay, one rate for all of them",
    parameters: { lr, betas: betas("[0.9, 0.95]"), eps },
    foreign: { ...adam, weight_decay: "`weight_decay` of `muon`: it applies to all matrices" },
  },
  adam: {
    doc: "Adam (Kingma & Ba 2015), with one rate for each group of parameters",
    parameters: {
      embeddings: { type: number({ min: 0 }), doc: "rate of the input embedding", required: true },
      head: { type: number({ min: 0 }), doc: "rate of the output head", required: true },
      scalars: { type: number({ min: 0 }), doc: "rate of norms, biases and scalars", required: true },
      betas: betas("[0.9, 0.95]"),
      eps,
    },
  },
});

const muon: Constructor = {
  doc: "momentum made orthogonal by Newton-Schulz steps, on the matrices of the blocks (Jordan et al. 2024)",
  runs: false,
  parameters: {
    lr,
    momentum: { type: scheduled("momentum", { min: 0, below: 1 }), doc: "decay of the momentum", default: "0.95" },
    nesterov: { type: bool, doc: "whether the momentum looks one step ahead", default: "true" },
    iterations: { type: integer({ min: 1, max: 20 }), doc: "Newton-Schulz steps", default: "5" },
    weight_decay: decay("0"),
    others: { type: others, doc: "the optimizer of embeddings, the head and scalars", required: true },
  },
  foreign: schedule,
};

/** How weights move; a plugin with `role = optimizer` is one more. */
export const optimizers: Type = choice("optimizer", {
  adamw: {
    doc: "Adam with decoupled weight decay (Loshchilov & Hutter 2019)",
    parameters: { lr, betas: betas("[0.9, 0.95]"), eps, weight_decay: decay("0.1") },
    foreign: { ...adam, ...schedule },
  },
  muon,
  adam8bit: {
    doc: "AdamW with moments in eight bits, scaled by blocks (Dettmers et al. 2022)",
    runs: false,
    parameters: { lr, betas: betas("[0.9, 0.95]"), eps, weight_decay: decay("0.1") },
    foreign: { ...adam, ...schedule },
  },
  adafactor: {
    doc: "second moments of matrices as sums of rows and columns, and no first ones (Shazeer & Stern 2018)",
    runs: false,
    parameters: { lr, weight_decay: decay("0") },
    foreign: schedule,
  },
  sgd: {
    doc: "gradient descent, with momentum",
    runs: false,
    parameters: {
      lr,
      momentum: { type: number({ min: 0, below: 1 }), doc: "decay of the momentum; 0 keeps none", default: "0.9" },
      weight_decay: decay("0"),
    },
    foreign: schedule,
  },
});

/** The largest norm of the gradient, fixed or moving. Elsewhere 0 is no limit; here `none` is, and a limit of 0 would stop all training. */
export const clipping: Type = union(scheduled("largest norm", { above: 0 }), noneType);
