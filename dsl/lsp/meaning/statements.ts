/** The words of statements: what they declare, and what they change. */
import { actions } from "../../eval/formulas/expectation.ts";
import { reactions } from "../../eval/judgement/reaction.ts";
import { secretSources } from "../../eval/declarations/symbol-value.ts";
import type { BlockKind, Type } from "../../kind.ts";
import type { Block, Expression, Name, Statement } from "../../syntax/ast.ts";
import { expressionReader } from "./expressions.ts";
import { everyField } from "./fields.ts";
import { textsOf } from "./kinds.ts";
import { nestedIn, nestedNamed } from "./nested.ts";
import { enumType, enumWritten, type Members, memberMeaning, type Place, within, type Words } from "./place.ts";
import { targetReader } from "./targets.ts";
import { typeReader } from "./types.ts";
import { inTable } from "../../in-table.ts";

export function memberReader(words: Words): Members {
  const { module, registry, say } = words;
  const members: Members = (body, kind, place) => {
    for (const statement of body) member(statement, kind, place);
  };

  const member = (statement: Statement, kind: BlockKind | null, place: Place): void => {
    switch (statement.kind) {
      case "assign": {
        const end = target(statement.target, kind, place);
        const path = [...place.path, ...textsOf(statement.target)];
        expression(statement.value, end.type, { ...place, path });
        return;
      }
      case "bound": {
        const { type } = target(statement.target, kind, place);
        const expected: Type | null =
          type === null ? null : statement.op === "in" ? { kind: "list", element: type } : type;
        expression(statement.value, expected, { ...place, path: [...place.path, ...textsOf(statement.target)] });
        return;
      }
      case "block":
        return block(statement, kind, place);
      case "assert":
      case "expect": {
        const watched: Type | null =
          statement.kind === "expect" && kind?.watches !== undefined
            ? { kind: "formula", names: kind.watches }
            : null;
        expression(statement.condition, watched, place);
        if (statement.otherwise !== null)
          expression(statement.otherwise, statement.kind === "expect" ? actions : reactions, place);
        return;
      }
      case "test":
        return members(statement.body, null, place);
      case "import":
        for (const { name, alias } of statement.names) {
          const symbol = module.names.get((alias ?? name).text);
          if (symbol === undefined) continue;
          say(name, { kind: "symbol", symbol }, place);
          if (alias !== null) say(alias, { kind: "symbol", symbol }, place, "declaration");
        }
        if (statement.as !== null) declared(statement.as, place);
        return;
      case "param": {
        if (kind?.constructs !== undefined)
          say(statement.name, { kind: "local", declaration: statement.name.span }, place, "declaration");
        const own = declared(statement.name, place);
        const type = statement.type === null ? null : typeExpression(statement.type, own);
        for (const { op, value } of statement.bounds)
          expression(value, op === "in" && type !== null ? { kind: "list", element: type } : type, own);
        if (statement.default !== null) expression(statement.default, type, own);
        return;
      }
      case "secret":
        expression(statement.value, secretSources, declared(statement.name, place));
        return;
      case "let": {
        const own = declared(statement.name, place);
        const type = statement.type === null ? null : typeExpression(statement.type, own);
        fields(statement.value, own);
        expression(statement.value, type, own);
        return;
      }
      case "fn": {
        const own = declared(statement.name, place);
        const locals = new Map(own.locals);
        const types = new Map(own.types);
        for (const parameter of statement.parameters) {
          say(parameter.name, { kind: "local", declaration: parameter.name.span }, own, "declaration");
          locals.set(parameter.name.text, parameter.name.span);
          const type = enumWritten(parameter.type, module);
          if (type !== null) types.set(parameter.name.text, type);
          if (parameter.type !== null) typeExpression(parameter.type, own);
          if (parameter.default !== null) expression(parameter.default, type, own);
        }
        if (statement.returns !== null) typeExpression(statement.returns, own);
        fields(statement.body, own);
        expression(statement.body, enumWritten(statement.returns, module), { ...own, locals, types });
        return;
      }
      case "enum": {
        const own = declared(statement.name, place);
        const type = enumType(statement.name.text, statement.members);
        for (const name of statement.members) say(name, memberMeaning(type, name.text), own, "declaration");
      }
    }
  };

  /** Of records that have no kind, whose fields others name. */
  const fields = (value: Expression, place: Place): void => {
    for (const { name, first } of everyField([value]))
      say(name, { kind: "local", declaration: first.span }, place, "declaration");
  };

  const declared = (name: Name, place: Place): Place => {
    const symbol = module.names.get(name.text);
    if (symbol === undefined || place.owner !== null) return place;
    say(name, { kind: "symbol", symbol }, { ...place, owner: symbol }, "declaration");
    return { ...place, owner: symbol };
  };

  const block = (statement: Block, kind: BlockKind | null, place: Place): void => {
    const [head] = statement.head;
    if (statement.name !== null && kind === null) {
      const own = inTable(registry.kinds, head.text);
      if (own !== undefined) say(head, { kind: "block_kind", block: own }, place);
      const named = declared(statement.name, place);
      const nested = named.owner === null ? place.nested : nestedIn(named.owner, registry);
      const inside = { ...named, path: [], nested };
      clauses(statement, inside);
      if (statement.body !== null)
        members(statement.body, own ?? null, own === undefined ? inside : { ...inside, kinds: [own] });
      return;
    }
    if (statement.name !== null) {
      const own = inTable(kind?.nested, head.text);
      if (own !== undefined) {
        const { text, span } = statement.name;
        const declaration = nestedNamed(place.nested, text, kind)?.declaration ?? span;
        say(head, { kind: "block_kind", block: own }, place);
        say(statement.name, { kind: "nested", block: own, declaration }, place, "declaration");
      }
      clauses(statement, place);
      if (statement.body !== null) members(statement.body, own ?? null, within(place, own, statement.name.text));
      return;
    }
    const end = target(statement.head, kind, place);
    clauses(statement, place);
    if (statement.body === null) return;
    const names = end.symbol === null ? textsOf(statement.head) : textsOf(statement.head).slice(end.used);
    const owner = end.symbol ?? place.owner;
    // A group of an open block is as open as the block.
    const of = end.of ?? (kind?.open === true ? kind : null);
    members(statement.body, of, {
      ...within(
        { ...place, nested: end.nested, path: end.symbol === null ? place.path : [] },
        end.of ?? undefined,
        ...names,
      ),
      owner,
    });
  };

  const clauses = (statement: Block, place: Place): void => {
    for (const path of [statement.extends, statement.on, ...statement.after]) {
      if (path !== null) reference(path, place);
    }
  };

  const { reference, target } = targetReader(words);
  const typeExpression = typeReader(words, reference);
  const expression = expressionReader(words, members);
  return members;
}
