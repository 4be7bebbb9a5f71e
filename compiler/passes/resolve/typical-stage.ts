/**
 * A stage as its model's size is decided: all that it says but what may follow from that size, which is as it is where nobody says it. Its length is
 * in tokens, and 0 where the law decides it.
 */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { mayFollow } from "../../../dsl/eval/judgement/may-follow.ts";
import { copyOf } from "../../../dsl/eval/blocks/new-instance.ts";
import type { ClusterSpec, ModelRequest, StageStep } from "../../pipeline.ts";
import { optimizerOf } from "./course.ts";
import { lengthOf } from "./length.ts";
import { blockAt, heldOut, numberAt, valued } from "./read.ts";
import { settled } from "./settled.ts";
import { trainedTokens } from "./trained-tokens.ts";

export interface TypicalStage {
  readonly stage: StageStep;
  /** Tokens of the validation split, where the data says how many it has. */
  readonly split: number | null;
  /** What it says and may follow from the size. */
  readonly unread: readonly string[];
}

const usual = { name: "adamw", lr: 0, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0 } as const;

/** `null` where what it reads cannot be told before the size. */
export function typicalStage(
  block: Instance,
  model: Instance,
  request: ModelRequest,
  cluster: ClusterSpec,
): TypicalStage | null {
  const { stage, unread } = withoutFollowing(block, model);
  const data = blockAt(stage, "data");
  if (data === null) return null;
  const { span } = block;
  const optimizer = optimizerOf(stage) ?? { ...usual, span };
  const parts = { data, model, request, cluster, optimizer, batch: valued(stage, "batch") };
  // What is wrong with it is reported where it is resolved as it stands.
  const step = settled(stage, parts, () => undefined);
  const tokens = numberAt(data, "tokens");
  return {
    stage: {
      ...step,
      name: block.name ?? "stage",
      length: {
        value: { unit: "tokens", value: tokensOf(stage, data, step) },
        span,
        origin: { kind: "default", by: "cdrc" },
      },
      expectations: [],
    },
    split: tokens === null ? null : tokens * heldOut(data, "val"),
    unread,
  };
}

/** What it trains on, where that is written, does not follow from the model and is known. */
function tokensOf(
  stage: Instance,
  data: Instance,
  { batch, sequence }: Pick<StageStep, "batch" | "sequence">,
): number {
  const length = stage.values.has("length") ? lengthOf(stage, () => undefined)?.value : undefined;
  if (length === undefined) return 0;
  const { unit, value } = batch.value;
  const samples = unit === "tokens" ? value / sequence.value : value;
  if (unit === "auto" && length.unit === "steps") return 0;
  const perStep = samples * sequence.value;
  switch (length.unit) {
    case "tokens":
      return length.value;
    case "samples":
      return length.value * sequence.value;
    case "steps":
      return length.value * perStep;
    case "epochs":
      return length.value * (trainedTokens(data) ?? 0);
  }
}

function withoutFollowing(block: Instance, model: Instance): { stage: Instance; unread: readonly string[] } {
  const unread: string[] = [];
  // Under a name of its own: what is being evaluated of the stage is no cycle here.
  const copy = copyOf(block, { ...block, name: `${block.name ?? "stage"} as it usually is` });
  const said = new Set([
    ...block.values.keys(),
    ...block.blocks.keys(),
    ...block.bounds.map(({ node }) => node.target[0].text),
  ]);
  said.delete("model");
  for (const name of said) {
    if (model.symbol !== null && !mayFollow(block, [name], model.symbol)) continue;
    if (name !== "length") unread.push(name);
    copy.values.delete(name);
    copy.blocks.delete(name);
    const kept = copy.bounds.filter(({ node }) => node.target[0].text !== name);
    copy.bounds.splice(0, copy.bounds.length, ...kept);
  }
  return { stage: copy, unread };
}
