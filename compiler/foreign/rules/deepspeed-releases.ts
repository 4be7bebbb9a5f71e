/** What older releases of DeepSpeed refuse and the newest no longer have: asked where a file or the command line names the release. */
import { below } from "../../engines/release.ts";
import { enginesOf } from "../engines.ts";
import { documentsOf } from "../launch.ts";
import { at, scalarOf } from "../located.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const config = (stage: number): string =>
  `{ "train_micro_batch_size_per_gpu": 4, "fp16": { "enabled": true }, "optimizer": { "type": "OneBitAdam", "params": { "lr": 1e-4 } }, "zero_optimization": { "stage": ${stage} } }`;

/** The last release that has them; 0.19.8 does not. */
const last = "0.19.7";
const compressing = new Set(["onebitadam", "onebitlamb", "zerooneadam"]);

export const deepspeedReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-compressed-zero",
    source: "deepspeed/runtime/engine.py: DeepSpeedEngine._configure_basic_optimizer (until 0.19.6)",
    why: "Optimizers that send momenta in one bit (OneBitAdam, OneBitLamb, ZeroOneAdam) keep whole states on each GPU, which ZeRO divides: the engine stops when it is made.",
    fix: "Set zero_optimization.stage to 0, or take AdamW.",
    check: (launch) => {
      const engine = enginesOf(launch).find((each) => each.engine === "deepspeed");
      if (engine?.written == null || !below(engine.version, last)) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const [type, stage] = [at(root, "optimizer", "type"), at(root, "zero_optimization", "stage")];
        const name = String(scalarOf(type) ?? "");
        if (stage === undefined || !compressing.has(name.toLowerCase()) || !(Number(scalarOf(stage)) > 0)) return [];
        return [
          {
            span: stage.span,
            message: `${name} does not go with ZeRO stage ${String(scalarOf(stage))}`,
            valid: ["0"],
            ...nearby("the optimizer", type?.span),
          },
        ];
      });
    },
    fires: { "ds.json": config(2) },
    silent: { "ds.json": config(0) },
    supplied: { engines: new Map([["deepspeed", "0.16.0"]]) },
  }),
];
