/** Nothing depends on order: what one body, or the amendments of one file, say of a leaf is said once. */
import { setTwice } from "../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Statement } from "../syntax/ast.ts";
import type { Head } from "./amended-names.ts";
import { type Leaf, leavesOf, meets } from "./leaves.ts";

/** `headsOf` gives what the first words of an amendment stand for, where it speaks of what is declared elsewhere. */
export function saidTwice(
  statements: readonly Statement[],
  report: (diagnostic: Diagnostic) => void,
  headsOf: (statement: Statement) => readonly Head[] | null = () => null,
): void {
  // A declaration's body is a group of its own; everything else here speaks of what is declared elsewhere.
  const amending = statements.filter((s) => s.kind !== "block" || s.name === null);
  judge(
    amending.flatMap((s) => leavesOf(s, headsOf(s))),
    report,
  );
  for (const statement of statements) {
    if (statement.kind === "block" && statement.name !== null) saidTwice(statement.body ?? [], report);
  }
}

function judge(leaves: readonly Leaf[], report: (diagnostic: Diagnostic) => void): void {
  const first = new Map<string, Leaf>();
  const told = new Set<number>();
  for (const leaf of leaves) {
    const earlier =
      first.get(leaf.key) ?? leaves.find((l) => l !== leaf && l.span.start < leaf.span.start && meets(l, leaf));
    if (earlier === undefined) first.set(leaf.key, leaf);
    // A kind word has a leaf for each block of the kind.
    else if (!told.has(leaf.nameSpan.start)) {
      const related = [{ message: "the first time", span: earlier.nameSpan }];
      report(setTwice(leaf.nameSpan, { name: leaf.path }, { related }));
      told.add(leaf.nameSpan.start);
    }
  }
}
