/** Amendments that name no block: a kind, a property, or nothing. */
import { misplaced, unknownAmendment } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Registry } from "../../kind.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Name, Statement } from "../../syntax/ast.ts";
import { listed } from "../listed.ts";
import { article } from "../../diagnostics/article.ts";

/** `stage.seed = 3` at the top of a file: one block is meant there, and only variants amend all of a kind. */
export function kindAmended({ text, span }: Name, known: readonly Symbol[]): Diagnostic {
  const valid = known.flatMap((symbol) =>
    symbol.kind === "block" && symbol.node.head[0].text === text ? [symbol.name.text] : [],
  );
  const [only] = valid;
  const fixes = only !== undefined && valid.length === 1 ? [replacement(span, only)] : [];
  const what = `\`${text}.…\``;
  const where = `at the top of a file: a kind means all its blocks only in a preset, an overlay or \`--set\``;
  const fix = `Name one ${text}, or move the line into an overlay.`;
  return misplaced(span, { what, where }, { valid: valid.sort(), fixes, fix });
}

/** `eval { every = 5 steps }` in an overlay of a file without an `eval`; a group of that name is somebody's. */
export function noneOfKind(
  statement: Statement,
  { text, span }: Name,
  declared: readonly string[],
  { kinds }: Registry,
): Diagnostic {
  const owner = declared.find((name) => inTable(inTable(kinds, name)?.blocks, text) !== undefined);
  const said = statement.span.source.text.slice(statement.span.start, statement.span.end);
  const isWritten = statement.kind !== "assign" || statement.target[0].span.start < statement.value.span.start;
  const fixes = owner === undefined || !isWritten ? [] : [replacement(statement.span, `${owner} { ${said} }`)];
  const fix =
    owner === undefined
      ? `Remove it, or declare ${article(text)}.`
      : `Write it in the ${owner} that it belongs to, \`${owner} { ${text} { … } }\`, or declare ${article(text)}.`;
  return unknownAmendment(span, { name: text, kind: true }, { valid: declared, fixes, fix });
}

/** `length = 3 steps` in an overlay is told whose property that is. */
export function undeclared(
  statement: Statement,
  { text, span }: Name,
  known: readonly string[],
  { kinds }: Registry,
): Diagnostic {
  const details = suggest(span, text, known);
  if (statement.kind !== "assign" || statement.target.length > 1)
    return unknownAmendment(span, { name: text }, details);
  const owners = Object.values(kinds).filter(({ properties }) => inTable(properties, text) !== undefined);
  const leaf = "only params and properties of blocks can be set";
  const [first] = owners;
  const usual = "Correct the name, or declare a param of that name at the top of a file.";
  if (first === undefined || details.fixes?.length !== 0)
    return unknownAmendment(span, { name: text, leaf }, { ...details, fix: usual });
  const said = statement.span.source.text.slice(statement.span.start, statement.span.end);
  const fixes = owners.length === 1 ? [replacement(statement.span, `${first.name} { ${said} }`)] : [];
  const fix = `Write the block around it, or its name and a dot before it: ${listed(owners.slice(0, 4).map(({ name }) => `\`${name} { ${text} = … }\``))}.`;
  return unknownAmendment(span, { name: text, leaf }, { valid: details.valid ?? [], fixes, fix });
}
