/** What a `test` asks of a compilation: its variants, its amendments, the points of its sweep. */
import { unknownName, unknownVariant } from "../dsl/diagnostics/catalog/names.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { suggest } from "../dsl/diagnostics/suggest.ts";
import { isLost } from "../dsl/eval/declarations/is-lost.ts";
import type { Options, Program } from "../dsl/eval/program.ts";
import { type Trial, trialOf } from "../dsl/eval/variants/trial.ts";
import type { PathValue } from "../dsl/eval/variants/variants.ts";
import { variantNamed, variantNames } from "../dsl/eval/variants/variants-of.ts";
import { pointsIn } from "./sweeps.ts";

export function trialsOf(program: Program, report: (diagnostic: Diagnostic) => void): readonly Trial[] {
  return program.root.file.statements.flatMap((s) => (s.kind === "test" ? [trialOf(s, report)] : []));
}

export function optionsOf<O extends Options>(trial: Trial, options: O, values: readonly PathValue[]): O {
  return {
    ...options,
    preset: trial.preset?.text ?? options.preset,
    overlays: [...options.overlays, ...trial.overlays.map((n) => n.text)],
    trial: trial.amendments,
    values,
  };
}

/** Presets and overlays that the file does not have, told where the test names them. */
export function variantsWrong(trial: Trial, program: Program): Diagnostic[] {
  const check = (kind: "preset" | "overlay", names: Trial["overlays"]) => {
    const { root, context } = program;
    const known = variantNames(root, kind, context.registry);
    return names
      .filter((n) => variantNamed(n.text, n.span, root, kind, context.registry) === undefined)
      .filter((n) => !isLost(n.text.split(".")[0] ?? "", { module: root, locals: new Map() }))
      .map((n) =>
        unknownVariant(n.span, { kind, name: n.text, declared: known.length > 0 }, suggest(n.span, n.text, known)),
      );
  };
  return [...check("preset", trial.preset === null ? [] : [trial.preset]), ...check("overlay", trial.overlays)];
}

/** The points of the sweep that a test runs over; `null` where there is no such sweep. */
export function pointsOfSweep(trial: Trial, program: Program): readonly (readonly PathValue[])[] | null {
  const symbol = program.root.names.get(trial.over?.text ?? "");
  const block = symbol?.kind === "block" ? program.context.instanceOf(symbol) : null;
  return block === null ? null : pointsIn(block);
}

export function sweepUnknown(trial: Trial, program: Program): Diagnostic {
  const name = trial.over ?? trial.node.title;
  const text = trial.over?.text ?? "";
  const sweeps = program.blocks.flatMap((b) => (b.kind.name === "sweep" ? [b.name ?? ""] : []));
  const fix = `The file has no sweep to run over: declare \`sweep ${text} { stage = …, vary { … } }\`, or leave \`over\` out.`;
  const details = sweeps.length === 0 ? { fix } : suggest(name.span, text, sweeps);
  return unknownName(name.span, { name: text }, details);
}
