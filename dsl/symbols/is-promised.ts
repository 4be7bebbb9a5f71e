import type { File } from "../syntax/ast.ts";

/** Whether an import of the file names this. Where nothing is bound to it, what is wrong with the import has been told. */
export function isPromised(name: string, { statements }: File): boolean {
  return statements.some(
    (statement) =>
      statement.kind === "import" &&
      (statement.as?.text === name || statement.names.some(({ name: from, alias }) => (alias ?? from).text === name)),
  );
}
