/** Nothing depends on order: what one body, or the amendments of one file, say of a leaf is said once. */
import { setTwice } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Statement } from "../../syntax/ast.ts";
import type { Head } from "./amended-names.ts";
import { type Leaf, leavesOf } from "./leaves.ts";

/** `headsOf` gives what the first words of an amendment stand for, where it speaks of what is declared elsewhere. */
export function saidTwice(
  statements: readonly Statement[],
  report: (diagnostic: Diagnostic) => void,
  headsOf: (statement: Statement) => readonly Head[] | null = () => null,
  where?: string,
): void {
  // A declaration's body is a group of its own; everything else here speaks of what is declared elsewhere.
  const amending = statements.filter((s) => s.kind !== "block" || s.name === null);
  judge(
    amending.flatMap((s) => leavesOf(s, headsOf(s))),
    where,
    report,
  );
  for (const statement of statements) {
    if (statement.kind === "block" && statement.name !== null) saidTwice(statement.body ?? [], report);
  }
}

function judge(leaves: readonly Leaf[], where: string | undefined, report: (diagnostic: Diagnostic) => void): void {
  const first = new Map<string, Leaf>();
  /** By each whole that a leaf is a part of, the first such leaf. */
  const parts = new Map<string, Leaf>();
  const told = new Set<number>();
  for (const leaf of leaves) {
    const wholes = wholesOf(leaf.key);
    const earlier = first.get(leaf.key) ?? earliest([parts.get(leaf.key), ...wholes.map((key) => first.get(key))]);
    if (earlier === undefined) {
      first.set(leaf.key, leaf);
      for (const key of wholes) if (!parts.has(key)) parts.set(key, leaf);
    }
    // A kind word has a leaf for each block of the kind.
    else if (!told.has(leaf.nameSpan.start)) {
      const [part, whole] = leaf.key.length > earlier.key.length ? [leaf, earlier] : [earlier, leaf];
      const isWhole = part.key !== whole.key;
      const related = [{ message: isWhole ? "the other one" : "the first time", span: earlier.nameSpan }];
      const slots = isWhole ? { name: part.path, whole: whole.path } : { name: leaf.path };
      report(setTwice(leaf.nameSpan, where === undefined ? slots : { ...slots, where }, { related }));
      told.add(leaf.nameSpan.start);
    }
  }
}

/** `s` and `s.optimizer` of `s.optimizer.lr`. */
function wholesOf(key: string): readonly string[] {
  const wholes: string[] = [];
  for (let at = key.indexOf("."); at !== -1; at = key.indexOf(".", at + 1)) wholes.push(key.slice(0, at));
  return wholes;
}

const earliest = (leaves: readonly (Leaf | undefined)[]): Leaf | undefined =>
  leaves.reduce(
    (one, other) => (other === undefined || (one !== undefined && one.span.start <= other.span.start) ? one : other),
    undefined,
  );
