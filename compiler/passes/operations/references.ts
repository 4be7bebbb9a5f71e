import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import { groupOf } from "../../../dsl/eval/blocks/property.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { alternatives, meanings } from "../../../dsl/types/type.ts";
import type { Value } from "../../../dsl/types/value.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** What a block says: each value that was written in it or in one of its parts, with the property it was written for. */
export interface Said {
  readonly holder: Instance;
  readonly name: string;
  readonly value: Value;
  readonly span: Span;
}

/** Of many passes that ask, the first finds it: values stay what they are once there are plans. */
export function saidIn(block: Instance): readonly Said[] {
  let said = known.get(block);
  if (said === undefined) known.set(block, (said = [...everythingIn(block)]));
  return said;
}

const known = new WeakMap<Instance, readonly Said[]>();

function* everythingIn(block: Instance): Generator<Said> {
  const { kind, values, context } = block;
  for (const name of Object.keys(kind.properties)) {
    if (!values.has(name)) continue;
    const { value, span } = context.property(block, name, block.span);
    yield { holder: block, name, value, span };
  }
  for (const name of Object.keys(kind.blocks ?? {})) {
    const group = groupOf(block, name);
    if (group !== null) yield* saidIn(group);
  }
  for (const child of block.blocks.values()) if (child.name !== null && isPresent(child)) yield* saidIn(child);
}

/** Blocks that must be done, or be there, before this one: those it speaks of, and those it stands `after`. */
export function needsOf(block: Instance): Instance[] {
  const spoken = saidIn(block).flatMap(({ holder, name, value }) => {
    // What is repeated is run by the repetition; only what that needs comes before.
    const isRun =
      holder === block && name === "stage" && (block.kind.name === "repeat" || block.kind.name === "sweep");
    return isRun ? blocksIn(value).flatMap(needsOf) : blocksIn(value);
  });
  return [...new Set([...spoken, ...namedAfter(block)])];
}

/** What its header says that it stands `after`. */
export function namedAfter({ clauses, context }: Instance): Instance[] {
  return clauses.after.flatMap(({ path, module }) => {
    const symbol = context.resolve(path, module);
    return (symbol === null ? null : context.instanceOf(symbol)) ?? [];
  });
}

/** The blocks that a value names, or of which it is what they make. */
export function blocksIn(value: Value): Instance[] {
  switch (value.kind) {
    case "block":
    case "handle":
      return [value.block];
    case "list":
      return value.items.flatMap((item) => blocksIn(item.value));
    case "choice":
      return [...value.arguments.values()].flatMap((argument) => blocksIn(argument.value));
    default:
      return [];
  }
}

/** Paths that a block says, written for a property that takes one. */
export function* pathsIn(block: Instance): Generator<Said & { readonly path: string }> {
  for (const said of saidIn(block)) {
    const type = inTable(said.holder.kind.properties, said.name)?.type ?? null;
    if (said.value.kind === "string" && meaningsHavePath(type)) yield { ...said, path: said.value.value };
  }
}

const meaningsHavePath = (type: Parameters<typeof meanings>[0]): boolean =>
  [...alternatives(type), ...meanings(type)].some((t) => t.kind === "path");
