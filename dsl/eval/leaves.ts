/** What statements set, leaf by leaf: the ground on which "said twice" and "they disagree" are judged. */
import type { Span } from "../source/source.ts";
import type { Path, Statement } from "../syntax/ast.ts";

export interface Leaf {
  /** `s.optimizer.lr`. */
  readonly path: string;
  readonly span: Span;
  readonly nameSpan: Span;
  /** What it is set to, as written, blanks folded. */
  readonly text: string;
}

/** The leaves of a statement. `heads` stand for its first name, where that is a kind word for several blocks. */
export function leavesOf(statement: Statement, heads: readonly string[] | null = null): Leaf[] {
  if (statement.kind === "assign") {
    return spread(statement.target, heads).map((path) => ({
      path,
      span: statement.span,
      nameSpan: statement.target[0].span,
      text: textOf(statement.value.span),
    }));
  }
  if (statement.kind !== "block") return [];
  const own = statement.name === null ? spread(statement.head, heads) : [statement.name.text];
  const inner = (statement.body ?? []).flatMap((member) => leavesOf(member));
  return own.flatMap((path) => inner.map((leaf) => ({ ...leaf, path: `${path}.${leaf.path}` })));
}

/** One leaf, or a leaf and something that it belongs to. */
export function meets(a: Leaf, b: Leaf): boolean {
  return a.path === b.path || a.path.startsWith(`${b.path}.`) || b.path.startsWith(`${a.path}.`);
}

function spread(path: Path, heads: readonly string[] | null): string[] {
  const [head, ...rest] = path.map((name) => name.text);
  return (heads ?? [head ?? ""]).map((first) => [first, ...rest].join("."));
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, " ");
