/** The declarations of a file as a tree. */
import { type DocumentSymbol, SymbolKind } from "vscode-languageserver";
import type { Module } from "../symbols/symbol.ts";
import type { Name, Statement } from "../syntax/ast.ts";
import type { Span } from "../source/source.ts";
import { rangeOf, textOf } from "./positions.ts";

export function outlineOf(module: Module): DocumentSymbol[] {
  return module.file.statements.flatMap((statement) => symbolOf(statement, true) ?? []);
}

function symbolOf(statement: Statement, isTop: boolean): DocumentSymbol | null {
  switch (statement.kind) {
    case "param":
      return entry(statement.name, "param", SymbolKind.Variable, statement.span);
    case "secret":
      return entry(statement.name, "secret", SymbolKind.Key, statement.span);
    case "let":
      return entry(statement.name, "let", SymbolKind.Constant, statement.span);
    case "fn":
      return entry(statement.name, "fn", SymbolKind.Function, statement.span);
    case "enum": {
      const members = statement.members.map((m) => entry(m, "", SymbolKind.EnumMember, m.span));
      return { ...entry(statement.name, "enum", SymbolKind.Enum, statement.span), children: members };
    }
    case "block": {
      const { head, name, body, abstract } = statement;
      const children = (body ?? []).flatMap((inner) => symbolOf(inner, false) ?? []);
      const words = head.map((n) => n.text).join(".");
      const at = name ?? head[0];
      const kind = name === null ? SymbolKind.Namespace : SymbolKind.Class;
      const detail = name === null ? "" : `${abstract ? "abstract " : ""}${words}`;
      const own = entry(at, detail, isTop || name === null ? kind : SymbolKind.Object, statement.span);
      return { ...own, name: name === null ? words : name.text, children };
    }
    case "assign": {
      const detail = textOf(statement.value.span).split("\n")[0] ?? "";
      const own = entry(statement.target[0], detail, SymbolKind.Property, statement.span);
      return isTop ? null : { ...own, name: statement.target.map((n) => n.text).join(".") };
    }
    case "test":
      return {
        name: `test ${textOf(statement.title.span)}`,
        kind: SymbolKind.Method,
        range: rangeOf(statement.span),
        selectionRange: rangeOf(statement.title.span),
      };
    default:
      return null;
  }
}

function entry(name: Name, detail: string, kind: SymbolKind, span: Span): DocumentSymbol {
  const whole = { ...span, start: Math.min(span.start, name.span.start), end: Math.max(span.end, name.span.end) };
  return {
    name: name.text === "" ? "…" : name.text,
    detail,
    kind,
    range: rangeOf(whole),
    selectionRange: rangeOf(name.span),
  };
}
