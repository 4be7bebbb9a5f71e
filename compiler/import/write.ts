/** A draft as the text of a file, laid out as `cdrc fmt` would. */
import { format } from "../../dsl/format/format.ts";
import type { Block, Draft, Member } from "./draft.ts";

/** Above this a block takes a line for each member. */
const widest = 96;

export function write(draft: Draft): string {
  const imports = draft.imports.map(({ from, names }) => `import "${from}" { ${names.join(", ")} }`);
  const head = [`/// ${draft.title}`, ...imports];
  const parts = [head, draft.declarations, ...draft.blocks.map((one) => blockLines(one, ""))];
  const text = parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
  return format({ path: "import.cdr", text }).text;
}

function blockLines(one: Block, indent: string): string[] {
  const doc = one.doc === undefined ? [] : [`${indent}/// ${one.doc}`];
  const line = oneLine(one);
  const isTop = indent === "";
  if (line !== null && indent.length + line.length <= widest && !(isTop && one.members.length > 2))
    return [...doc, indent + line];
  return [
    ...doc,
    `${indent}${one.header} {`,
    ...one.members.flatMap((member) => memberLines(member, `${indent}  `)),
    `${indent}}`,
  ];
}

function memberLines(member: Member, indent: string): string[] {
  if (member.kind === "note") return [`${indent}// ${member.text}`];
  if (member.kind === "block") return blockLines(member, indent);
  const comment = member.guessed === undefined ? "" : ` // guessed: ${member.guessed}`;
  return [`${indent}${member.name} = ${member.value}${comment}`];
}

/** `layout { micro_batch = 4 samples }`; `null` where a comment would swallow the rest. */
function oneLine({ header, members }: Block): string | null {
  if (members.length === 0) return `${header} {}`;
  if (header.startsWith("raw ") || members.length > 5) return null;
  const inner = members.map((member) => {
    if (member.kind === "block") return oneLine(member);
    return member.kind === "note" || member.guessed !== undefined ? null : `${member.name} = ${member.value}`;
  });
  return inner.includes(null) ? null : `${header} { ${inner.join(", ")} }`;
}
