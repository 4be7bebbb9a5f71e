import type { File } from "../syntax/ast.ts";

const promised = new WeakMap<File, ReadonlySet<string>>();

/** Whether an import of the file names this. Where nothing is bound to it, what is wrong with the import has been told. */
export function isPromised(name: string, file: File): boolean {
  let names = promised.get(file);
  if (names === undefined) {
    const imports = file.statements.filter((statement) => statement.kind === "import");
    names = new Set(
      imports.flatMap(({ as, names: bound }) => [
        ...(as === null ? [] : [as.text]),
        ...bound.map(({ name: from, alias }) => (alias ?? from).text),
      ]),
    );
    promised.set(file, names);
  }
  return names.has(name);
}
