/** What Megatron Bridge's configuration has no field for. */
import { engineModel, engineProperty } from "../../../diagnostics/engine.ts";
import { engineRawUnknown } from "../../../diagnostics/engine-raw.ts";
import { containerOf } from "../bridge/container.ts";
import { bridgeOf } from "../bridge/fields.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";
import { rule } from "./rule.ts";

export const bridge = rule(
  "bridge",
  "megatron/bridge/training/config.py: ConfigContainer",
  (stage, plan, cluster) => {
    const fields = bridgeOf(stage);
    if (fields === null || inexpressible(plan.model).length > 0) return [];
    const { model, batch } = plan;
    const engine = `Megatron Bridge ${fields.version}`;
    const { megatron } = stage;
    return [
      ...containerOf(launchOf({ stage, plan, cluster }), fields).unplaced.map(({ from, dest, span }) =>
        engineRawUnknown(span, { key: from.startsWith("raw.") ? from.slice(4) : dest, engine, nearest: null }),
      ),
      ...(model.positions === "learned" && model.context !== batch.sequence
        ? [
            engineModel(stage.model.family.span, {
              engine,
              family: `${model.family} with ${model.context} positions and sequences of ${batch.sequence}`,
              why: "it learns as many positions as a sequence has tokens",
            }),
          ]
        : []),
      ...(megatron.program === null
        ? []
        : [
            engineProperty(stage.engine?.span ?? stage.span, {
              engine,
              property: "program",
              value: megatron.program,
              valid: "a program of its own",
            }),
          ]),
    ];
  },
);
