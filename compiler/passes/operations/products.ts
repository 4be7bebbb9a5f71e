/** What becomes of checkpoints: services that start nothing, adapters that are merged where there are none. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { adaptersMissing, serviceIdle } from "../../diagnostics/operations.ts";
import { blockAt, boolOf, choiceAt, valued } from "../resolve/read.ts";

export function products(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => {
    switch (block.kind.name) {
      case "service":
        return idle(block);
      case "export":
        return unmerged(block);
      default:
        return [];
    }
  });
}

function idle(service: Instance): Diagnostic[] {
  const says = (name: string): boolean => valued(service, name).value.kind !== "none";
  const slots = (why: string) => ({ service: service.name ?? "", why });
  if (!says("model") && !says("command"))
    return [serviceIdle(service.span, slots("starts nothing: it has neither `model` nor `command`"))];
  if (!says("command") || !says("engine")) return [];
  const related = [{ message: "the command", span: valued(service, "command").span }];
  const why = slots("starts its command, so its `engine` has no effect");
  return [serviceIdle(valued(service, "engine").span, why, { related, fix: "Remove one of the two." })];
}

function unmerged(block: Instance): Diagnostic[] {
  const merge = choiceAt(block, "format")?.arguments.get("merge_adapters");
  const { value } = valued(block, "model");
  if (merge === undefined || boolOf(merge.value) !== true || value.kind !== "handle") return [];
  const stage = value.block;
  if (stage.kind.name !== "stage" || hasAdapters(stage)) return [];
  const slots = { what: "`merge_adapters = true`", stage: stage.name ?? "stage" };
  const related = [{ message: "the stage", span: stage.span }];
  return [adaptersMissing(merge.span, slots, { related, fixes: [replacement(merge.span, "false")] })];
}

/** A stage's own, its model's, or those of the stage whose weights it goes on from. */
function hasAdapters(stage: Instance, seen: readonly Instance[] = []): boolean {
  const says = (block: Instance | null): boolean =>
    block !== null && !/^(none|unknown)$/.test(valued(block, "adapters").value.kind);
  const { value: from } = valued(stage, "from");
  return (
    says(stage) ||
    says(blockAt(stage, "model")) ||
    (from.kind === "handle" && !seen.includes(stage) && hasAdapters(from.block, [...seen, stage]))
  );
}
