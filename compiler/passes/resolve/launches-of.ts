import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../../dsl/eval/program.ts";

/** An import brings names, never effects: a launch counts where the root file declares it or imports it by name. */
export function launchesOf({ blocks, root }: Program): readonly Instance[] {
  const known = new Set(root.names.values());
  return blocks.filter(
    ({ kind, abstract, symbol }) => kind.name === "launch" && !abstract && symbol !== null && known.has(symbol),
  );
}
