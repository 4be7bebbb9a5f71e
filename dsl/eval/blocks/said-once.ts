import { duplicateName } from "../../diagnostics/catalog/names.ts";
import type { Span } from "../../source/source.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Block, Statement } from "../../syntax/ast.ts";
import { amendedHeads } from "./amended-names.ts";
import type { Context } from "../context.ts";
import type { Program } from "../program.ts";
import { saidTwice } from "./twice.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";

/** In variants and tests, and in a file that is laid over others, a kind word speaks of every block of the kind. */
export function saidOnce(module: Module, { context, modules, overlayFiles }: Program): void {
  const headOf = (s: Statement) => amendedHeads(s, module, context.registry, null);
  const headsOf = (s: Statement) => amendedHeads(s, module, context.registry, modules);
  const laidOver = overlayFiles.includes(module.path);
  const isDeclaration = (s: Statement): s is Block => s.kind === "block" && s.name !== null;
  const { statements } = module.file;
  const bare = statements.filter((s) => !isDeclaration(s));
  saidTwice(bare, context.report, laidOver ? headsOf : headOf, "this file");
  for (const { body } of bare.filter((s) => s.kind === "test")) saidTwice(body, context.report, headsOf);
  checkTitles(statements, context.report);
  for (const statement of statements.filter(isDeclaration)) {
    const amends = isVariant(inTable(context.registry.kinds, statement.head[0].text));
    saidTwice(statement.body ?? [], context.report, amends ? headsOf : undefined);
  }
}

/** `cdrc test` names tests by their titles. */
function checkTitles(statements: readonly Statement[], report: Context["report"]): void {
  const first = new Map<string, Span>();
  for (const { title } of statements.filter((s) => s.kind === "test")) {
    const name = title.parts.join("");
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, title.span);
    else {
      const details = {
        related: [{ message: "the first one", span: earlier }],
        fix: "Give one of the two another title.",
      };
      report(duplicateName(title.span, { name }, details));
    }
  }
}
