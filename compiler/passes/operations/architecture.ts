import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { sizeProblems } from "../../kinds/model-derived.ts";
import { blockAt } from "../resolve/read.ts";
import { layersOf } from "./seldom.ts";

/** Models against themselves: those that no stage trains are sized too, since nobody else would look at them. */
export function architecture(blocks: readonly Instance[], root: Source): Diagnostic[] {
  const models = blocks.filter((b) => b.kind.name === "model");
  const trained = new Set(
    blocks.flatMap((block) => (block.kind.name === "stage" ? (blockAt(block, "model") ?? []) : [])),
  );
  const alone = models.filter((b) => b.span.source.path === root.path && !trained.has(b));
  return [...alone.flatMap(sizeProblems), ...models.filter(hasKinds).flatMap((model) => layersOf(model))];
}

/** Not all of its layers are alike, or see everything. */
const hasKinds = ({ values }: Instance): boolean => values.has("pattern") || values.has("window");
