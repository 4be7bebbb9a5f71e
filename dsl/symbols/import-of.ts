import type { Fix } from "../diagnostics/diagnostic.ts";
import type { StandardLibrary } from "../kind.ts";
import type { File } from "../syntax/ast.ts";

/** The import that brings a name of the standard library, where it has one. */
export function importOf(name: string, { source, statements }: File, std: StandardLibrary): Fix | null {
  if (!/^\w+$/.test(name)) return null;
  const declares = new RegExp(`^(?:abstract )?(?:let |fn )?(?:\\w+ )?${name}\\b(?: extends| \\{| =)`, "m");
  const from = std.names.find((path) => declares.test(std.read(path) ?? ""));
  const [first] = statements;
  if (from === undefined || first === undefined) return null;
  const at = lineStart(
    source.text,
    statements.findLast((s) => s.kind === "import")?.span.end ?? -1,
    first.span.start,
  );
  const edit = { span: { source, start: at, end: at }, newText: `import "${from}" { ${name} }\n` };
  return { title: `import \`${name}\` from "${from}"`, edits: [edit] };
}

/** Behind the last import, or in front of the first statement and what documents it. */
function lineStart(text: string, lastImport: number, first: number): number {
  if (lastImport >= 0) return text.indexOf("\n", lastImport) < 0 ? lastImport : text.indexOf("\n", lastImport) + 1;
  const before = text.slice(0, first).split("\n");
  return before.slice(0, -1).join("\n").length + (before.length > 1 ? 1 : 0);
}
