import type { Fix } from "../diagnostics/diagnostic.ts";
import type { StandardLibrary } from "../kind.ts";
import type { File } from "../syntax/ast.ts";

/** The import that brings a name of the standard library, where it has one. */
export function importOf(name: string, file: File, std: StandardLibrary): Fix | null {
  const from = pathsOf(std).get(name);
  const at = from === undefined ? null : placeIn(file);
  if (from === undefined || at === null) return null;
  const edit = { span: { source: file.source, start: at, end: at }, newText: `import "${from}" { ${name} }\n` };
  return { title: `import \`${name}\` from "${from}"`, edits: [edit] };
}

const paths = new WeakMap<StandardLibrary, ReadonlyMap<string, string>>();

/** Which file of the library declares a name: the first one. */
function pathsOf(std: StandardLibrary): ReadonlyMap<string, string> {
  const known = paths.get(std);
  if (known !== undefined) return known;
  const found = new Map<string, string>();
  for (const path of std.names) {
    const declared = (std.read(path) ?? "").matchAll(
      /^(?:abstract )?(?:let |fn )?(?:\w+ )?(\w+)(?: extends| \{| =)/gm,
    );
    for (const [, name] of declared) if (name !== undefined && !found.has(name)) found.set(name, path);
  }
  paths.set(std, found);
  return found;
}

const places = new WeakMap<File, number | null>();

/** Where an import is written: behind the last one, or in front of the first statement and what documents it. */
function placeIn(file: File): number | null {
  const known = places.get(file);
  if (known !== undefined) return known;
  const place = findPlace(file);
  places.set(file, place);
  return place;
}

function findPlace({ source: { text }, statements }: File): number | null {
  const [first] = statements;
  if (first === undefined) return null;
  const last = statements.findLast(({ kind }) => kind === "import");
  if (last === undefined) return text.lastIndexOf("\n", first.span.start - 1) + 1;
  const end = text.indexOf("\n", last.span.end);
  return end < 0 ? last.span.end : end + 1;
}
