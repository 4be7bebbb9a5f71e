/** Checkpoints that blocks around the training speak of: what is exported, served or learnt from is there. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Value } from "../../../dsl/types/value.ts";
import { handleFaults } from "../resolve/handle.ts";
import { saidIn } from "./references.ts";

export function handles(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => saidIn(block).flatMap(({ value, span }) => faultsIn(value, span)));
}

function faultsIn(value: Value, span: Span): readonly Diagnostic[] {
  switch (value.kind) {
    case "handle":
      return handleFaults(value, span);
    case "list":
      return value.items.flatMap((item) => faultsIn(item.value, item.span));
    case "choice":
      return [...value.arguments.values()].flatMap((argument) => faultsIn(argument.value, argument.span));
    default:
      return [];
  }
}
