/** What a preset or an overlay would say, leaf by leaf, whether or not it is chosen. */
import type { Context } from "../../dsl/eval/context.ts";
import type { BlockSymbol } from "../../dsl/symbols/symbol.ts";
import type { Path, Statement } from "../../dsl/syntax/ast.ts";
import { describeOrigin } from "../passes/report.ts";
import { canonical } from "./canonical.ts";
import type { Fact } from "./facts.ts";
import { laidOut, textAt } from "./laid-out.ts";
import { reference } from "./reference.ts";
import { treeOfSyntax } from "./tree-of-syntax.ts";

export function addVariant({ node, module, name }: BlockSymbol, context: Context, found: Map<string, Fact>): void {
  const path = `${node.head[0].text} ${name.text}`;
  found.set(path, { value: node.head[0].text, origin: null });

  const say = (within: Path | [], statements: readonly Statement[]): void => {
    for (const statement of statements) {
      const origin = describeOrigin({ kind: "written", span: statement.span, layer: "file" });
      if (statement.kind === "assign") {
        const meaning = canonical(treeOfSyntax(statement.value, module, context));
        const [first, ...rest] = [...within, ...statement.target].map(({ text }) => text);
        const key = `${path}: ${[reference(first ?? ""), ...rest].join(".")}`;
        const shown = `${path}: ${[first, ...rest].join(".")}`;
        found.set(key, { value: textAt(statement.value.span), origin, meaning, shown });
      } else if (statement.kind === "block" && statement.name === null && statement.body !== null)
        say([...within, ...statement.head], statement.body);
      else {
        const { source, start, end } = statement.span;
        const words = within.map(({ text }) => `${text}.`).join("");
        found.set(`${path}: ${words}${laidOut(source.text.slice(start, end))}`, { value: true, origin });
      }
    }
  };
  say([], node.body ?? []);
}
