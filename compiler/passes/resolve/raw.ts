/** Raw blocks are read by one engine or scheduler each; any other would change nothing, silently. */
import { suggest } from "../../../dsl/diagnostics/suggest.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isDimensionless } from "../../../dsl/types/units.ts";
import { show } from "../../../dsl/types/value.ts";
import { rawEmpty, rawOption, rawUnknown, rawUnread } from "../../diagnostics/pipeline.ts";
import { rawReaders } from "./raw-readers.ts";

export function unreadRaw(block: Instance): Diagnostic[] {
  const valid = rawReaders[block.kind.name] ?? [];
  return rawBlocks(block).flatMap(([name, raw]) => {
    const at = nameIn(raw, name);
    if (valid.includes(name)) {
      if (raw.values.size + raw.blocks.size === 0) return isWritten(at) ? [] : [rawEmpty(at, { name })];
      return name === "sbatch" ? sbatchOptions(raw) : [];
    }
    return [rawUnknown(at, { name, block: block.kind.name }, suggest(at, name, valid))];
  });
}

/** Whether something stands in the braces behind it after all, which could not be read. */
function isWritten({ source, end }: Instance["span"]): boolean {
  const body = /^\s*\{([^}]*)/.exec(source.text.slice(end))?.[1] ?? "";
  return body.replaceAll(/\/\/.*/g, "").trim() !== "";
}

/** An option of sbatch is one word, one number, or a switch. */
function sbatchOptions(raw: Instance): Diagnostic[] {
  const groups = [...raw.blocks].map(([name, group]) => rawOption(group.span, { name, found: "a block" }));
  const values = [...raw.values].flatMap(([name, { nameSpan }]) => {
    const { value } = raw.context.property(raw, name, nameSpan);
    const isPlain =
      ["string", "bool", "member", "unknown"].includes(value.kind) ||
      (value.kind === "number" && isDimensionless(value.dimension) && !value.percent);
    return isPlain ? [] : [rawOption(nameSpan, { name, found: show(value) })];
  });
  return [...groups, ...values];
}

/** Options for a scheduler that the target does not have. */
export function idleRaw(launch: Instance, target: string): Diagnostic[] {
  if (target === "slurm") return [];
  return rawBlocks(launch).flatMap(([name, raw]) =>
    name === "sbatch" ? [rawUnread(nameIn(raw, name), { name, target })] : [],
  );
}

const rawBlocks = (block: Instance): [string, Instance][] =>
  [...block.blocks].filter(([, child]) => child.kind.name === "raw");

/** Where the block's name stands, when its header is where the block is said to be. */
function nameIn(raw: Instance, name: string): Instance["span"] {
  const { source, start, end } = raw.span;
  const at = source.text.slice(start, end).indexOf(name);
  return at < 0 ? raw.span : { ...raw.span, start: start + at, end: start + at + name.length };
}
