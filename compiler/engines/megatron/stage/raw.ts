/** What is wrong with the arguments of a `raw megatron` block: each by itself, and beside what the stage says. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import {
  engineRawBeside,
  engineRawConflict,
  engineRawDeprecated,
  engineRawSwitch,
  engineRawTwice,
  engineRawType,
  engineRawUnknown,
} from "../../../diagnostics/engine-raw.ts";
import type { ClusterSpec, StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import { historyOf } from "../history.ts";
import type { Contradiction } from "../lower/contradictions.ts";
import { spanOf } from "../lower/intent.ts";
import { launchOf } from "../lower/launch.ts";
import type { RawFault } from "../lower/raw.ts";
import { nearestArgument } from "../meant.ts";
import type { ArgumentTable } from "../table.ts";
import { launch } from "./launch.ts";
import { rule } from "./rule.ts";
import { wordFor } from "./word-for.ts";

export const raw = rule("raw", "megatron/training/arguments.py: parse_args", (stage, plan, cluster) => {
  const { faults, contradictions, beside, raw: said, table, arguments: all } = launchOf({ stage, plan, cluster });
  const file = all.find(({ dest }) => dest === "yaml_cfg");
  const old = said.filter(({ argument }) => argument.deprecated === true);
  // A rule that speaks of one says what has become of it.
  const told = new Set(old.length === 0 ? [] : launch.check(stage, plan, cluster).map((each) => each.span.start));
  return [
    ...(file === undefined
      ? []
      : [
          engineRawConflict(file.span, {
            ...{ key: "yaml_cfg", raw: String(file.value) },
            ...{ derived: "every argument, whose place the file would take", from: "the stage" },
          }),
        ]),
    ...faults.map((fault) => diagnosticOfFault(fault, table)),
    ...[...contradictions, ...beside].map((one) => diagnosticOfContradiction(one, stage, plan, cluster)),
    ...old
      .filter(({ span }) => !told.has(span.start))
      .map(({ key, span, argument: { deprecation } }) =>
        engineRawDeprecated(span, {
          key,
          status: deprecation?.status ?? "old",
          replacement: deprecation?.replacement ?? null,
        }),
      ),
  ];
});

function diagnosticOfFault(fault: RawFault, table: ArgumentTable): Diagnostic {
  const { key, span } = fault;
  switch (fault.kind) {
    case "unknown": {
      const history = historyOf(`--${key.replace(/^-+/, "").replaceAll("_", "-")}`, table.version);
      const names = [...table.byName.keys()].map((name) => name.replace(/^-+/, "").replaceAll("-", "_"));
      const best = history === null ? nearestArgument(key.replace(/^-+/, "").replaceAll("-", "_"), names) : null;
      return engineRawUnknown(
        span,
        { key, engine: `megatron ${table.version}`, nearest: best, history },
        { fixes: best === null ? [] : [replacement(span, best)] },
      );
    }
    case "switch":
      return engineRawSwitch(span, { key }, { valid: ["true", "false"] });
    case "twice": {
      const { other } = fault;
      const related = [{ message: `${other.key} is given here`, span: other.span }];
      return engineRawTwice(span, { key, other: other.key, option: fault.argument.names[0] ?? "" }, { related });
    }
    case "count": {
      const { nargs = "one" } = fault.argument;
      const worded = new Map<unknown, string>([
        ["one", "one value"],
        ["+", "one value or more"],
        ["*", "a list of values"],
      ]);
      const wanted = worded.get(nargs) ?? `${nargs} values`;
      return engineRawType(span, { key, value: "what is given", wanted });
    }
    case "type":
      return engineRawType(span, { key, value: fault.word.text ?? "", wanted: fault.expected });
    case "choice":
      return engineRawType(
        span,
        { key, value: fault.word.text ?? "", wanted: `one of ${fault.choices.join(", ")}` },
        { valid: fault.choices },
      );
  }
}

function diagnosticOfContradiction(
  { raw: written, derived, isWordless }: Contradiction,
  stage: StageStep,
  plan: StagePlan,
  cluster: ClusterSpec,
): Diagnostic {
  const shown = (value: unknown): string =>
    typeof value === "string"
      ? value.replace(/^\{(\w+)\}/, (_, name: string) => `$CDR_${name.toUpperCase()}`)
      : value === null
        ? "none"
        : JSON.stringify(value);
  const { from } = derived;
  const slots = { key: written.key, raw: shown(written.value), derived: shown(derived.value), from };
  const message = `${from} says ${shown(derived.value)}`;
  const related = [{ message, span: spanOf({ stage, plan, cluster }, derived) }];
  if (isWordless) return engineRawBeside(written.span, slots, { related });
  const instead = wordFor(derived, written.value);
  return engineRawConflict(written.span, { ...slots, instead }, { valid: [shown(derived.value)], related });
}
