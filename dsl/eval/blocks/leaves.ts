/** What statements set, leaf by leaf: the ground on which "said twice" and "they disagree" are judged. */
import type { Span } from "../../source/source.ts";
import type { Path, Statement } from "../../syntax/ast.ts";
import type { Head } from "./amended-names.ts";

export interface Leaf {
  /** `s.optimizer.lr`. */
  readonly path: string;
  /** The same by what is declared, whatever names reach it. */
  readonly key: string;
  readonly span: Span;
  readonly nameSpan: Span;
  /** What it is set to, as written, blanks folded. */
  readonly text: string;
}

/** The leaves of a statement. `heads` are what its first words stand for, where they name what is declared elsewhere. */
export function leavesOf(statement: Statement, heads: readonly Head[] | null = null): Leaf[] {
  if (statement.kind === "assign") {
    return placesOf(statement.target, heads).map((place) => ({
      ...place,
      span: statement.span,
      nameSpan: statement.target[0].span,
      text: textOf(statement.value.span),
    }));
  }
  if (statement.kind !== "block") return [];
  const own = statement.name === null ? placesOf(statement.head, heads) : placesOf([statement.name], null);
  const inner = (statement.body ?? []).flatMap((member) => leavesOf(member));
  return own.flatMap(({ path, key }) =>
    inner.map((leaf) => ({ ...leaf, path: `${path}.${leaf.path}`, key: `${key}.${leaf.key}` })),
  );
}

/** One leaf, or a leaf and something that it belongs to. */
export function meets(a: Leaf, b: Leaf): boolean {
  return a.key === b.key || a.key.startsWith(`${b.key}.`) || b.key.startsWith(`${a.key}.`);
}

function placesOf(path: Path, heads: readonly Head[] | null): Pick<Leaf, "path" | "key">[] {
  const [name = "", ...rest] = path.map(({ text }) => text);
  return (heads ?? [{ name, key: name, rest }]).map((head) => ({
    path: [head.name, ...head.rest].join("."),
    key: [head.key, ...head.rest].join("."),
  }));
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, " ");
