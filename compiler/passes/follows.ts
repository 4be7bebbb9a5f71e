/** What the statements of all files follow from, by the names that they speak of. */
import type { Program } from "../../dsl/eval/program.ts";
import { referencesIn } from "../../dsl/eval/expressions/references-in.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Statement } from "../../dsl/syntax/ast.ts";

/** All names that something of these names follows from, themselves included. */
export function following(program: Program): (names: Iterable<string>) => ReadonlySet<string> {
  const said = new Map<string, Statement[]>();
  for (const { file } of program.modules.values())
    for (const statement of file.statements)
      for (const name of namesOf(statement)) said.set(name, [...(said.get(name) ?? []), statement]);
  const uses = new Map<Statement, readonly string[]>();
  const usedBy = (statement: Statement): readonly string[] => {
    const known = uses.get(statement) ?? [...new Set(spokenOf(statement))];
    uses.set(statement, known);
    return known;
  };
  return (names) => {
    const found = new Set(names);
    // What is added while a set is walked is walked too.
    for (const name of found)
      for (const statement of said.get(name) ?? []) for (const used of usedBy(statement)) found.add(used);
    return found;
  };
}

/** What a place outside of all blocks declares or amends; `null` where that may be anything. */
export function declaredAt({ modules }: Program, { source, start }: Span): readonly string[] | null {
  const module = [...modules.values()].find(({ file }) => file.source.path === source.path);
  const last = module?.file.statements.findLast(({ span }) => span.start <= start);
  // What is left of a line that could not be read to its end is that line's.
  if (last === undefined || /[\r\n]/.test(source.text.slice(last.span.end, start))) return null;
  if (last.kind !== "import") return namesOf(last);
  const named = last.names.find(({ name }) => name.span.start <= start && start <= name.span.end);
  return named === undefined ? namesOf(last) : [(named.alias ?? named.name).text];
}

/** What a statement at the top of a file gives a name, or changes. */
function namesOf(statement: Statement): readonly string[] {
  switch (statement.kind) {
    case "import":
      return [...statement.names.map(({ name, alias }) => alias ?? name), statement.as ?? []].flat().map(textOf);
    case "assign":
    case "bound":
      return [statement.target[0].text];
    case "assert":
    case "expect":
    case "test":
      return [];
    case "block":
      if (statement.name === null) return [statement.head[0].text];
      return [statement.name.text, ...(isLayer(statement) ? (statement.body ?? []).flatMap(namesOf) : [])];
    default:
      return [statement.name.text];
  }
}

const textOf = ({ text }: { readonly text: string }): string => text;

/** A preset or an overlay says something of other blocks. */
const isLayer = ({ head }: Extract<Statement, { kind: "block" }>): boolean =>
  head[0].text === "preset" || head[0].text === "overlay";

function* spokenOf(statement: Statement): Generator<string> {
  yield* referencesIn(statement);
  if (statement.kind === "import") for (const { name } of statement.names) yield name.text;
  if (statement.kind === "block" && statement.extends !== null) yield statement.extends[0].text;
}
