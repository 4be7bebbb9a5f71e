/** Trees of whole files: every statement, type and expression that the language has. */
import * as fc from "fast-check";
import type {
  BinaryOperator,
  BoundOperator,
  Expression,
  File,
  Name,
  NumberLiteral,
  Path,
  Statement,
  StringLiteral,
  TypeExpression,
} from "../../dsl/syntax/ast.ts";

const span = { source: { path: "made.cdr", text: "" }, start: 0, end: 0 };
const named = (text: string, quoted = false): Name => ({ kind: "name", span, text, quoted });

const words = ["a", "lr", "web", "model", "gpt2_124m", "layers", "steps", "x1", "Scale", "__", "micro_batch", "best"];
const name = fc.constantFrom(...words).map((text) => named(text));
/** Where a name is expected, words of the language are names. */
const anyName = fc
  .constantFrom(...words, "in", "of", "on", "after", "test", "match", "if", "none")
  .map((t) => named(t));
/** Words that are no names without quotes. */
const odd = ["1b", "a b", "x-y"];
const quoted = fc.constantFrom("train_batch_size", ...odd).map((text) => named(text, true));
const nonEmpty = <T>(element: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<[T, ...T[]]> =>
  fc.array(element, { minLength: 1, maxLength }) as fc.Arbitrary<[T, ...T[]]>;
const path: fc.Arbitrary<Path> = nonEmpty(name);
const orNull = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(element);

const plainText = fc.string({
  unit: fc.constantFrom(..."abz 09,;=(){}[]/#'é😀", '"', "\\", "$", "\n", "\t"),
  maxLength: 8,
});
const plainString: fc.Arbitrary<StringLiteral> = plainText.map((text) => ({
  kind: "string",
  span,
  parts: text === "" ? [] : [text],
}));
const doc = fc
  .array(fc.constantFrom("One sentence.", "What `x` is", "a = 1, b { c }", "// twice"), {
    minLength: 1,
    maxLength: 2,
  })
  .map((lines) => lines.join("\n"));

const scales: readonly NumberLiteral["scale"][] = ["K", "M", "B", "T", "Ki", "Mi", "Gi", "Ti"];
const number = (withUnit: boolean): fc.Arbitrary<Expression> =>
  fc
    .record({
      value: fc.oneof(fc.nat(100_000), fc.constantFrom(0.05, 1.25, 2.1)),
      scale: orNull(fc.constantFrom(...scales)),
      unit: withUnit
        ? orNull(fc.constantFrom([["tokens"], []], [["usd"], ["gpu", "h"]], [["min"], []], [["%"], []]))
        : fc.constant(null),
      point: fc.boolean(),
    })
    .map(({ value, scale, unit, point }) => {
      const [numerator = [], denominator = []] = unit ?? [];
      const percent = numerator[0] === "%";
      return {
        kind: "number",
        span,
        value,
        scale: percent ? null : scale,
        unit: unit === null ? null : { kind: "unit", span, numerator, denominator },
        fractional: point || !Number.isInteger(value),
      };
    });

const binaryOperators: readonly BinaryOperator[] = [
  ...(["+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "divides", "of"] as const),
];
const boundOperator = fc.constantFrom<BoundOperator>("<=", ">=", "<", ">", "in");

interface Made {
  readonly expression: Expression;
  readonly statement: Statement;
  readonly type: TypeExpression;
  readonly string: StringLiteral;
}

function made(documented: boolean) {
  return fc.letrec<Made>((tie) => {
    const expression = tie("expression");
    const statement = tie("statement");
    const type = orNull(tie("type"));
    const body = fc.array(statement, { maxLength: 4 });
    const docs = documented ? orNull(doc) : fc.constant(null);
    const leaf: fc.Arbitrary<Expression> = fc.oneof(
      number(true),
      name.map((n): Expression => ({ kind: "reference", span, name: n })),
      plainString,
      fc.constantFrom<Expression>(
        { kind: "none", span },
        { kind: "auto", span },
        { kind: "bool", span, value: true },
      ),
    );
    const arm = fc.record({ patterns: nonEmpty(leaf, 2), body: expression, span: fc.constant(span) });
    const argument = fc.record({
      kind: fc.constant("argument" as const),
      span: fc.constant(span),
      name: orNull(anyName),
      value: expression,
    });
    const node = <K extends string, T extends object>(kind: K, fields: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
      fc.record({ kind: fc.constant(kind), span: fc.constant(span), ...fields }) as fc.Arbitrary<
        { kind: K; span: typeof span } & T
      >;
    const parameter = fc.record({ name, type, default: orNull(expression) });
    return {
      string: fc
        .array(fc.tuple(plainText, expression), { minLength: 1, maxLength: 2 })
        .map((pairs): StringLiteral => ({
          kind: "string",
          span,
          parts: pairs.flat().filter((part) => part !== "") as StringLiteral["parts"],
        })),
      type: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        node("named_type", { path }),
        node("literal_type", { value: fc.constantFrom("x+y", "a b").map(simpleString) }),
        node("list_type", { element: tie("type") }),
        node("ratio_type", { numerator: node("named_type", { path }), denominator: node("named_type", { path }) }),
        node("union_type", {
          members: fc.array(node("named_type", { path }), { minLength: 2, maxLength: 3 }),
        }),
      ) as fc.Arbitrary<TypeExpression>,
      expression: fc.oneof(
        { maxDepth: 4, depthSize: "small", withCrossShrink: true },
        leaf,
        tie("string"),
        node("member", { object: expression, name: anyName }),
        node("call", { callee: expression, arguments: fc.array(argument, { maxLength: 4 }) }),
        node("index", { object: expression, index: expression }),
        node("list", { items: fc.array(expression, { maxLength: 5 }) }),
        node("comprehension", {
          element: expression,
          variable: name,
          over: expression,
          condition: orNull(expression),
        }),
        node("record", { members: documented ? fc.constant([]) : body }),
        node("range", { from: expression, to: expression }),
        node("unary", { op: fc.constantFrom("-" as const, "not" as const), operand: expression }),
        node("binary", { op: fc.constantFrom(...binaryOperators), left: expression, right: expression }),
        // oxlint-disable-next-line unicorn/no-thenable -- the tree names it as the language does
        node("if", { condition: expression, then: expression, else: expression }),
        node("match", { subject: expression, arms: nonEmpty(arm), otherwise: orNull(expression) }),
        node("with", { base: expression, body: documented ? fc.constant([]) : body }),
      ) as fc.Arbitrary<Expression>,
      statement: fc.oneof(
        { maxDepth: 4, depthSize: "small", withCrossShrink: true },
        node("assign", {
          doc: docs,
          target: fc.oneof(
            path,
            anyName.map((n): Path => [n]),
            quoted.map((n): Path => [n]),
          ),
          value: expression,
        }),
        node("bound", { target: path, op: boundOperator, value: expression }),
        node("param", {
          doc: docs,
          name,
          aliases: fc.array(name, { maxLength: 2 }),
          type,
          bounds: fc.array(fc.record({ op: boundOperator, value: number(false) }), { maxLength: 1 }),
          default: orNull(expression),
        }),
        node("secret", { doc: docs, name, value: expression }),
        node("let", { doc: docs, name, type, value: expression }),
        node("fn", {
          doc: docs,
          name,
          parameters: fc.array(parameter, { maxLength: 2 }),
          returns: type,
          body: expression,
        }),
        node("enum", {
          doc: docs,
          name,
          members: nonEmpty(
            fc.oneof(
              name,
              fc.constantFrom(...odd).map((text) => named(text, true)),
            ),
          ),
        }),
        node("assert", { condition: expression, otherwise: orNull(expression) }),
        node("expect", { condition: expression, otherwise: orNull(expression) }),
        fc
          .record({ from: plainString, names: nonEmpty(fc.record({ name, alias: orNull(name) })), as: orNull(name) })
          .map(({ from, names, as }) => ({ kind: "import", span, from, names: as === null ? names : [], as })),
        node("test", { title: plainString, body }),
        node("block", {
          doc: docs,
          abstract: fc.boolean(),
          head: name.map((n): Path => [n]),
          name,
          extends: orNull(path),
          after: fc.array(path, { maxLength: 2 }),
          on: orNull(path),
          body: orNull(body),
        }).map((block) => (block.after.length > 0 && block.body === null ? { ...block, body: [] } : block)),
        node("block", {
          doc: docs,
          abstract: fc.constant(false),
          head: path,
          name: fc.constant(null),
          extends: fc.constant(null),
          after: fc.constant([]),
          on: fc.constant(null),
          body,
        }),
      ) as fc.Arbitrary<Statement>,
    };
  });
}

function simpleString(text: string): StringLiteral {
  return { kind: "string", span, parts: [text] };
}

/** Docs stand before members of files and blocks only; values with members inside are made without. */
const statements = fc.oneof(made(true).statement, made(false).statement);

export const tree: fc.Arbitrary<File> = fc
  .tuple(doc, fc.array(statements, { maxLength: 6 }))
  .map(([fileDoc, list]) => ({ kind: "file", source: span.source, doc: fileDoc, statements: list }));
