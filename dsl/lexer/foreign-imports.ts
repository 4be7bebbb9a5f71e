/** How other languages import, and what is written here for it. */

export interface ForeignImport {
  /** The form, as its message names it. */
  readonly word: string;
  /** What is written here for it. */
  readonly written: string;
  /** How many characters of the text it takes. */
  readonly length: number;
}

const path = String.raw`(?<path>"[^"\n]+"|'[^'\n]+')`;
const bare = String.raw`(?<bare>[\w./-]+\.cdr)`;
const dotted = String.raw`(?<dotted>\.*\w+(?:\.\w+)*)`;
const colons = String.raw`(?<colons>\w+(?:::\w+)*?)`;
const name = String.raw`\w+(?:\s+as\s+\w+)?`;
const names = String.raw`(?<names>${name}(?:\s*,\s*${name})*)\s*,?`;
const alias = String.raw`(?<alias>\w+)`;
const quoted = String.raw`(?<names>"\w+"(?:\s*,\s*"\w+")*)`;
const end = String.raw`(?:[ \t]*;)?(?=[ \t]*(?:[\r\n]|//|#|$))`;

/** Each with the word that its message names. */
const forms: readonly (readonly [string, RegExp])[] = (
  [
    ["from … import", String.raw`from\s+(?:${path}|${dotted})\s+import\s+(?:\(\s*${names}\s*\)|\*)`],
    ["from … import", String.raw`from\s+(?:${path}|${dotted})\s+import\s+${names}`],
    ["import … from", String.raw`import\s*(?:\{\s*${names}\s*\}|\*\s*as\s+${alias}|\*)\s*from\s*${path}`],
    ["import … from", String.raw`import\s+${names}\s+from\s*${path}`],
    ["import …::", String.raw`import\s+${path}\s*::\s*(?:\{\s*${names}\s*\}|\*)`],
    ["import …::", String.raw`import\s+${path}\s*::\s*${names}`],
    ["import …", String.raw`import\s+${path}\s*(?:\{\s*\*\s*\}|\(\s*\*\s*\)|\*)`],
    ["import …", String.raw`import\s+${path}\s*\[\s*${names}\s*\]`],
    ["import", String.raw`import\s*\(\s*${path}\s*\)`],
    ["require", String.raw`(?:const|let|var)\s*\{\s*${names}\s*\}\s*=\s*require\s*\(\s*${path}\s*\)`],
    ["require", String.raw`(?:const|let|var)\s+${alias}\s*=\s*require\s*\(\s*${path}\s*\)`],
    ["load", String.raw`load\s*\(\s*${path}\s*,\s*${quoted}\s*\)`],
    ["use", String.raw`use\s+${colons}(?:::\{\s*${names}\s*\}|::\*)`],
    ["use", String.raw`use\s+${colons}(?:\s+as\s+${alias})?`],
    ...["load", "require", "include", "use", "using", "source"].map(
      (word) => [word, String.raw`${word}\s*\(\s*${path}\s*\)`] as const,
    ),
    ...["load", "require", "include", "use", "using"].map(
      (word) => [word, String.raw`${word}\s+(?:${path}|${bare})(?:\s*\{\s*${names}\s*\}|\s+as\s+${alias})?`] as const,
    ),
  ] as const
).map(([word, form]) => [word, new RegExp(form + end, "y")]);

/** What such an import may begin with. */
export const importWords: ReadonlySet<string> = new Set([
  ..."import from load require include use using source const let var".split(" "),
]);

/** The import at an offset of a text, where it is one of another language. */
export function foreignImportOf(text: string, offset: number): ForeignImport | null {
  for (const [word, form] of forms) {
    form.lastIndex = offset;
    const match = form.exec(text);
    if (match === null) continue;
    const groups = match.groups ?? {};
    const file = fileOf(groups);
    return { word, written: `import "${file.path}" ${broughtBy(groups, file)}`, length: match[0].length };
  }
  return null;
}

type Groups = Readonly<Partial<Record<string, string>>>;

interface Imported {
  readonly path: string;
  /** What stands behind the file in one path: `use std::clusters::dgx_h100`. */
  readonly name: string | null;
}

function fileOf(groups: Groups): Imported {
  if (groups.path !== undefined) return { path: groups.path.slice(1, -1), name: null };
  if (groups.bare !== undefined) return { path: groups.bare, name: null };
  if (groups.colons !== undefined) return ofParts("", groups.colons.split("::"), groups.names === undefined);
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(groups.dotted ?? "") ?? [];
  return ofParts("../".repeat(Math.max(0, dots.length - 1)), rest.split("."), false);
}

/** `std` is the standard library, anything else a file beside this one. */
function ofParts(above: string, parts: readonly string[], endsInName: boolean): Imported {
  const isStandard = above === "" && parts[0] === "std";
  const name = endsInName && parts.length > (isStandard ? 2 : 1) ? (parts.at(-1) ?? null) : null;
  const path = (name === null ? parts : parts.slice(0, -1)).join("/");
  return { path: isStandard ? path : `${above === "" ? "./" : above}${path}.cdr`, name };
}

/** The names in braces, or, where all are brought, the name that they stand behind: the file's own. */
function broughtBy(groups: Groups, { path, name }: Imported): string {
  const named = groups.names?.replaceAll('"', "").replaceAll(/\s+/g, " ").trim() ?? name;
  if (name !== null && groups.alias !== undefined) return `{ ${name} as ${groups.alias} }`;
  return named === null || named === ownName(path) ? `as ${groups.alias ?? ownName(path)}` : `{ ${named} }`;
}

/** The name that a file is brought by as a whole: `std/clusters` is `clusters`. */
export function ownName(path: string): string {
  const stem = /([^/]*?)(?:\.cdr)?$/.exec(path)?.[1] ?? "";
  return stem.replaceAll(/\W/g, "_").replace(/^(?=\d|$)/, "_");
}
