import type { Fix } from "../diagnostics/diagnostic.ts";
import { bare, nearest, sameLetters } from "../diagnostics/nearest.ts";
import type { StandardLibrary } from "../kind.ts";
import type { File, Name } from "../syntax/ast.ts";

/** The import that brings a name of the standard library, where it has one, of one of these kinds where they are told. */
export function importOf(name: string, file: File, std: StandardLibrary, kinds?: readonly string[]): Fix | null {
  const declared = declaredIn(std).get(name);
  const at = declared === undefined ? null : placeIn(file);
  if (declared === undefined || at === null || kinds?.includes(declared.kind) === false) return null;
  return importing(name, declared.from, file, at);
}

/** The same from a file. */
export function importFrom(name: string, from: string, file: File): Fix | null {
  const at = placeIn(file);
  return at === null ? null : importing(name, from, file, at);
}

/** What the library declares of some kinds, by its name: the import that brings each. */
export function importsOf(kinds: readonly string[], file: File, std: StandardLibrary): ReadonlyMap<string, Fix> {
  const names = [...declaredIn(std)].filter(([, { kind }]) => kinds.includes(kind));
  return new Map(
    names.flatMap(([name, { from }]) => {
      const fix = importFrom(name, from, file);
      return fix === null ? [] : [[name, fix] as const];
    }),
  );
}

/** Imports of the names of the library that a name is close to, each of which is written in its place. */
export function importsNear(
  { text, span }: Name,
  file: File,
  std: StandardLibrary,
  kinds: readonly string[],
): readonly Fix[] {
  const at = placeIn(file);
  if (at === null || kinds.length === 0) return [];
  const all = declaredIn(std);
  const names = [...all].flatMap(([name, { kind }]) => (kinds.includes(kind) && isOne(text, name) ? [name] : []));
  const longer = names.filter((name) => bare(name).startsWith(bare(text)));
  const near = longer.length > 0 ? longer.slice(0, most) : [nearest(text, names)];
  return near.flatMap((name) => {
    const from = name === null ? undefined : all.get(name)?.from;
    if (name === null || from === undefined) return [];
    const { title, edits } = importing(name, from, file, at);
    return [{ title, edits: [...edits, { span, newText: name }] }];
  });
}

/** More are no help. */
const most = 4;

function importing(name: string, from: string, { source }: File, at: number): Fix {
  const edit = { span: { source, start: at, end: at }, newText: `import "${from}" { ${name} }\n` };
  return { title: `import \`${name}\` from "${from}"`, edits: [edit] };
}

/** Another number is another thing: an `a10` is no `a100`. */
function isOne(written: string, name: string): boolean {
  const [own, other] = [written, name].map((each) => each.match(/\d+/g) ?? []);
  return own?.every((number, index) => number === other?.[index]) === true && sameLetters(written, name);
}

interface Declared {
  readonly from: string;
  /** `model`, `cluster`; empty of what is no block. */
  readonly kind: string;
}

const declarations = new WeakMap<StandardLibrary, ReadonlyMap<string, Declared>>();

/** Which file of the library declares a name: the first one. */
function declaredIn(std: StandardLibrary): ReadonlyMap<string, Declared> {
  const known = declarations.get(std);
  if (known !== undefined) return known;
  const found = new Map<string, Declared>();
  for (const from of std.names) {
    const declared = (std.read(from) ?? "").matchAll(
      /^(?:abstract )?(?:let |fn )?(?:(\w+) )?(\w+)(?: extends| \{| =)/gm,
    );
    for (const [, kind = "", name] of declared)
      if (name !== undefined && !found.has(name)) found.set(name, { from, kind });
  }
  declarations.set(std, found);
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
