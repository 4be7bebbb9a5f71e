import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { restartLoses } from "../../diagnostics/operations.ts";
import { argument, choiceAt, group, numberOf, textAt, textOf, valued } from "../resolve/read.ts";

/** What is started again must be able to go on: with a state that was saved, and the will to read it. */
export function restarts(blocks: readonly Instance[], launch: Instance | null): Diagnostic[] {
  const why = launch === null ? null : restartsBy(launch);
  if (launch === null || why === null) return [];
  return blocks.flatMap((stage) => {
    if (stage.kind.name !== "stage") return [];
    const related = [{ message: "what starts it again", span: valued(launch, "target").span }];
    const slots = { stage: stage.name ?? "", why };
    if (textAt(stage, "resume") === "never") {
      return [restartLoses(valued(stage, "resume").span, { ...slots, what: "`resume = never`" }, { related })];
    }
    const removed = stage.values.get("checkpoint");
    if (removed === undefined || group(stage, "checkpoint") !== null) return [];
    return [restartLoses(removed.nameSpan, { ...slots, what: "`checkpoint = none`" }, { related })];
  });
}

/** How a launch brings back what stopped, in words; `null` where it does not. */
function restartsBy(launch: Instance): string | null {
  const target = choiceAt(launch, "target");
  if (target?.name !== "kubernetes") return null;
  const spot = textOf(argument(target, "spot"));
  if (spot !== null) return "runs on machines that can be taken away";
  const controller = argument(target, "controller");
  const retries = controller?.kind === "choice" ? numberOf(argument(controller, "retries")) : null;
  return retries !== null && retries > 0 ? `is started again up to ${retries} times` : null;
}
