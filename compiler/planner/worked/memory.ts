/** Bytes of the fullest rank, part by part, as people can recompute them. */
import { groundOf } from "../adapter/ground.ts";
import { layoutOf } from "../adapter/spread.ts";
import { fullestIn } from "../memory.ts";
import type { MemoryPlan } from "../../plan.ts";
import { taughtOf } from "../teacher.ts";
import type { Choice, Setting } from "../setting.ts";
import { figure, product, quotient, sum, valueOf, type Expression } from "./expression.ts";

export interface WorkedMemory {
  /** When the rank needs most. */
  readonly instant: string;
  readonly parts: Readonly<Record<keyof MemoryPlan["parts"], Expression>>;
}

const instants = [
  "as the loss runs backward",
  "as the last layer runs again",
  "as the first layer runs backward",
  "as the optimizer steps",
];

export function workedMemory(setting: Setting, choice: Choice): WorkedMemory {
  const { constants, describe } = groundOf(setting);
  const { engine } = describe(choice);
  const layout = layoutOf(setting, choice);
  const { terms, parts, stage } = fullestIn(setting, choice);
  const taught = taughtOf(setting, choice);
  const said = stage === layout.pipeline - 1 ? (taught?.logits ?? 0) : 0;
  const toldByLoss = parts.logits - said;
  const { held, buffers } = terms;
  const { zero, data, context, tensor, expert, expert_tensor } = layout;
  const replicas = layout.shard ?? data * context;
  const same = layout.shard ?? Math.max(1, (data * context * tensor) / (expert * expert_tensor));
  const shared = (stage: number, among: number): Expression[] =>
    zero >= stage && among > 1 ? [figure(among, "ranks that share them")] : [];
  const cut = zero === 2 && engine.unshards === true;
  const { states } = engine;
  const of = (width: number, what: string, stage: number): Expression[] => [
    quotient([figure(width, what), figure(held.dense, "parameters of the rank")], shared(stage, replicas)),
    quotient([figure(width, what), figure(held.expert, "parameters of its experts")], shared(stage, same)),
  ];
  const own = cut ? states.weights * replicas : states.weights;
  const fixed = cut ? [figure(replicas, "ranks that share them")] : shared(3, replicas);
  const frozen = (width: number, parameters: number, what: string): Expression =>
    quotient([figure(Math.min(width, own), "bytes"), figure(parameters, what)], fixed);
  const tables = held.tables ?? 0;
  const second = zero === 3 ? layout.second : undefined;
  const weights = sum(
    ...of(states.weights, "bytes a weight", 3),
    frozen(states.frozen ?? 2, (held.frozen ?? 0) - tables, "frozen parameters"),
    frozen(Math.max(2, states.frozen ?? 2), tables, "frozen rows of tables"),
    ...(second === undefined
      ? []
      : [
          quotient(
            [
              figure(engine.gathered ?? 2, "bytes"),
              figure(held.dense + held.expert + (held.frozen ?? 0), "parameters"),
            ],
            [figure(second, "ranks of a node that keep a copy")],
          ),
        ]),
    figure(terms.narrow, "bytes of narrow copies"),
    figure(taught?.weights ?? 0, "bytes of the teacher"),
  );
  const gradients =
    parts.gradients === 0
      ? figure(0, "bytes, since none is kept then")
      : sum(...of(states.gradients + (zero < 2 ? states.transient : 0), "bytes a gradient", 2));
  const optimizer = sum(
    ...of(states.optimizer, "bytes of master weight and moments", 1),
    quotient([figure(held.moments ?? 0, "bytes that moments of the tables take beside those")], shared(1, replicas)),
  );
  const tokens = figure(terms.tokens, "tokens of a micro-batch");
  const activations = sum(
    product(
      figure(terms.flying, "micro-batches in flight"),
      tokens,
      figure(terms.kept / terms.tokens, "bytes per token on the stage's layers"),
    ),
    figure(terms.beside, "bytes of the layer being computed and of the model's ends"),
  );
  const loss =
    engine.chunked === undefined
      ? product(figure(engine.logits, "bytes a logit"), tokens, figure(terms.rows, "rows of the vocabulary"))
      : figure(toldByLoss, "bytes of one chunk of tokens and of gradients that wait");
  const logits = sum(
    toldByLoss === 0 ? figure(0, "bytes then") : loss,
    figure(said, "bytes of the teacher's logits"),
  );
  const copied = sum(
    product(
      figure(engine.gathered ?? states.weights, "bytes"),
      figure(buffers.gathered === 0 ? 0 : terms.live, "gathered parameters"),
    ),
    figure(buffers.copies, "bytes of copies that products read"),
    figure(buffers.buckets, "bytes of buckets"),
    figure(buffers.sent, "bytes between stages"),
    figure(buffers.other, terms.instant === 3 ? "bytes of the step" : "bytes of masks and tables"),
    figure(taught?.gathered ?? 0, "bytes of the teacher's gathered layers"),
  );
  const share = Math.min(1, constants.slack);
  const scaled = (whole: Expression): Expression =>
    share === 1 || valueOf(whole) === 0
      ? whole
      : product(figure(share, "of the descriptor's figure (fitted)"), whole);
  const reserve = Math.max(0, constants.slack - 1);
  const heard = (taught?.weights ?? 0) + (taught?.gathered ?? 0) + said;
  const runtime = sum(
    figure(constants.runtime, "bytes beside the model (fitted)"),
    figure(engine.workspaces ?? 0, "bytes of workspaces"),
    product(figure(reserve, "that the allocator reserves (fitted)"), figure(terms.allocated, "bytes allocated")),
    product(figure(1 - share, "of the teacher"), figure(heard, "bytes")),
  );
  return {
    instant: instants[terms.instant] ?? "",
    parts: {
      weights: scaled(weights),
      gradients: scaled(gradients),
      optimizer: scaled(optimizer),
      activations: scaled(activations),
      logits: scaled(logits),
      buffers: scaled(copied),
      runtime,
    },
  };
}
