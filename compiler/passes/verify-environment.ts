/** Variables of a launch that the engine of a stage decides: it would lose them without a word. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { engineEnvironment } from "../diagnostics/engine.ts";
import { engines } from "../engines/index.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Plan } from "../plan.ts";
import { byName } from "./by-name.ts";

export function verifyEnvironment({ steps, launch }: Pipeline, { stages }: Plan): readonly Diagnostic[] {
  const called = byName(steps.filter((step) => step.kind === "stage"));
  return stages.flatMap((planned) => {
    const step = called.get(planned.name);
    const { environment } = engines[planned.engine];
    if (step === undefined || environment === undefined) return [];
    return Object.entries(environment(step, planned, launch.cluster)).flatMap(([name, derived]) => {
      const written = launch.env[name];
      if (typeof written !== "string" || written === derived) return [];
      const span = launch.spans.get(`env.${name}`) ?? launch.span;
      const related = [{ message: "the property it follows from", span: step.engine?.span ?? step.span }];
      const slots = { name, written, stage: planned.name, engine: planned.engine, derived };
      return [engineEnvironment(span, slots, { related, valid: derived === null ? [] : [`"${derived}"`] })];
    });
  });
}
