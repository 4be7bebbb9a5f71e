/** What starts a workflow: whether anything watches for it, and whether what is offered by hand is one of its jobs. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { show, type Value } from "../../../dsl/types/value.ts";
import { workflowTrigger } from "../../diagnostics/operations.ts";
import { argument, textOf, valued } from "../resolve/read.ts";
import { cronFault } from "./seldom.ts";

export function ofTriggers(workflow: Instance): Diagnostic[] {
  const [trigger, jobs] = [valued(workflow, "trigger"), valued(workflow, "jobs")];
  if (trigger.value.kind !== "list") return [];
  const isWatched = valued(workflow, "target").value.kind !== "none";
  const names = jobs.value.kind === "list" ? jobs.value.items.flatMap(({ value }) => nameOf(value) ?? []) : null;
  const name = workflow.name ?? "";
  return trigger.value.items.flatMap(({ value, span }) => {
    if (value.kind !== "choice") return [];
    const fault = value.name === "cron" ? cronFault(textOf(argument(value, "at")) ?? "") : null;
    if (fault !== null) {
      const fix = 'Write a time that comes: minute, hour, day, month, weekday, such as `cron("0 2 * * *")`.';
      return [workflowTrigger(span, { name, why: `is never started by \`${show(value)}\`: ${fault}` }, { fix })];
    }
    if (value.name !== "manual") {
      const why = `is never started by \`${value.name}\`: without \`target\`, nothing watches for it`;
      return isWatched
        ? []
        : [workflowTrigger(span, { name, why }, { severity: "warning", valid: ["target = github"] })];
    }
    const chosen = value.arguments.get("choose")?.value;
    if (chosen?.kind !== "list" || names === null) return [];
    return chosen.items.flatMap(({ value: each, span: at }) => {
      const text = textOf(each);
      if (text === null || names.includes(text)) return [];
      return [
        workflowTrigger(
          at,
          { name, why: `has no job \`${text}\` to choose` },
          { valid: names, fix: "Choose among the names in `jobs`." },
        ),
      ];
    });
  });
}

const nameOf = (value: Value): string | null =>
  value.kind === "block" || value.kind === "handle" ? value.block.name : null;
