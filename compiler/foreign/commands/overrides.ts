/** `section.key=value` behind a program that is given a file, as hydra and Megatron Bridge take it: it stands above what the file says. */
import { at, entryOf, type Located, type Scalar } from "../documents/located.ts";
import type { Settings, Told } from "../settings.ts";

/** The file with what the command line puts in its place. Only sections that it has are looked for among the words. */
export function overridden(root: Located, settings: Settings): Located {
  let all = root;
  for (const [name, told] of settings) {
    const path = name.split(".");
    if (path.length < 2 || at(root, path[0] as string)?.kind !== "map" || told.span.source === root.span.source)
      continue;
    all = withValue(all, path, told);
  }
  return all;
}

function withValue(node: Located, [key = "", ...rest]: readonly string[], told: Told): Located {
  if (node.kind !== "map") return node;
  const inner = entryOf(node, key)?.value;
  const made: Located =
    rest.length === 0
      ? { kind: "scalar", value: valueOf(told), span: told.span }
      : inner?.kind === "map"
        ? inner
        : { kind: "map", entries: [], span: told.span };
  const value = rest.length === 0 ? made : withValue(made, rest, told);
  const keySpan = rest.length === 0 ? told.nameSpan : (entryOf(node, key)?.keySpan ?? told.nameSpan);
  return { ...node, entries: [...node.entries.filter((entry) => entry.key !== key), { key, keySpan, value }] };
}

function valueOf({ value, known }: Told): Scalar {
  // Neither a number nor a word: rules that ask for either stay silent.
  if (!known) return "";
  if (typeof value !== "string") return value;
  if (/^(?:null|None|~)$/.test(value)) return null;
  if (/^(?:true|True|false|False)$/.test(value)) return value.toLowerCase() === "true";
  return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}
