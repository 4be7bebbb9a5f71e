/** Everything the engine itself would say before its first step, at the properties that the arguments came from. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { complaintsOf } from "../complaints.ts";
import { diagnosticsOfMegatron } from "../diagnostics.ts";
import { judge } from "../judge.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";
import { beyond } from "../rules/beyond.ts";
import { build } from "../rules/build.ts";
import { buildLayers } from "../rules/build-layers.ts";
import { isDemanded } from "../since.ts";
import { chosenIn } from "./chosen.ts";
import { inWordsOfFile } from "./in-words-of-file.ts";
import { narrowFaults } from "./narrow-faults.ts";
import { rule } from "./rule.ts";
import { surroundingsOf } from "./surroundings.ts";

const refusals: ReadonlySet<string> = new Set(
  [...build, ...buildLayers, ...beyond].flatMap((step) => (step.kind === "rule" ? [step.diagnostic.code] : [])),
);

/** Of samples that are longer than the model's context, which is told whatever the engine. */
const positionsCover = "cdr/megatron-positions-cover";

export const launch = rule(
  "launch",
  "megatron/training/arguments.py: validate_args; megatron/core/transformer/transformer_config.py: __post_init__",
  (stage, plan, cluster) => {
    if (cluster.device.kind !== "gpu" || inexpressible(plan.model).length > 0) return [];
    if (narrowFaults(stage, cluster.device).length > 0) return [];
    const lowered = launchOf({ stage, plan, cluster });
    if (lowered.faults.length + lowered.contradictions.length + lowered.late.length > 0) return [];
    const { line, surroundings } = surroundingsOf(lowered, plan, cluster);
    const chosen = chosenIn({ stage, plan, cluster });
    const findings = judge(line, lowered.table, surroundings).findings.filter(
      ({ rule: { about, diagnostic } }) =>
        diagnostic.severity !== "warning" || !about.some((dest) => chosen.has(dest)),
    );
    const isLong = plan.batch.sequence > plan.model.context;
    return [
      ...complaintsOf(line, lowered.table),
      ...diagnosticsOfMegatron(
        line,
        { findings },
        {
          program: stage.engine?.span ?? stage.span,
          env: new Map(),
          own: new Set(stage.rawMegatronSpans.values()),
        },
      )
        .filter(({ code }) => isDemanded(code, lowered.table.version) && !(isLong && code === positionsCover))
        // The engine's own checks pass these, and its parts refuse them when they are built: here nobody else starts it.
        .map((each): Diagnostic => (refusals.has(each.code) ? { ...each, severity: "error" } : each))
        .map(inWordsOfFile(lowered.arguments)),
    ];
  },
);
