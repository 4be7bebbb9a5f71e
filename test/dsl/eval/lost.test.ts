/** One word that means nothing, or one import that brings nothing, is one message, however often it is spoken of. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const library = `enum Kind { core, reason }
let b = 3
`;

const read = (path: string): string | undefined => (path === "lib.cdr" ? library : undefined);

const told = (text: string, options: object = {}): readonly string[] =>
  compile({ path: "main.cdr", text }, { ...alone, read, ...options })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} at ${span.source.text.slice(span.start, span.end)}`);

const run = `data d { from = "c/*.txt", tokenizer = bytes, tokens = 1B tokens, keep = [kind == core and length > 10 chars] }
model m { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
stage s { when = kind == core, model = m, data = d, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
let n = match kind { core => 1, reason => 2 }
fn of(k) = if k == reason then 1 else 2
let o = of(kind) + (if core == kind then 1 else 2) + (if kind in [core, reason] then 1 else 2)
`;

it.each([
  ["a default that is not a word of its enum", "enum Kind { core, reason }\nparam kind: Kind = corre\n", "corre"],
  ["a text that is none", 'enum Kind { core, reason }\nparam kind: Kind = "corre"\n', '"corre"'],
  ["a value without a type", "let kind = corre\n", "corre"],
  ["a type that nobody declares", "param kind: Kinds = core\n", "Kinds"],
  [
    "an enum that an import does not bring",
    'import "./gone.cdr" { Kind }\nparam kind: Kind = core\n',
    '"./gone.cdr"',
  ],
  ["an enum of a file that cannot be read", 'import "./gone.cdr" as x\nparam kind: x.Kind = core\n', '"./gone.cdr"'],
  ["a misspelt enum of an import", 'import "./lib.cdr" { Kinds }\nparam kind: Kinds = core\n', "Kinds"],
])("%s", (_, head, at) => {
  expect(told(`${head}${run}`).map((each) => each.replace(/^\S+ at /, ""))).toEqual([at]);
});

it("the value of the command line as well", () => {
  const text = `enum Kind { core, reason }\nparam kind: Kind = core\n${run}`;
  expect(told(text)).toEqual([]);
  expect(told(text, { sets: [{ name: "kind", text: "corre" }] })).toEqual(["cdr/type-mismatch at corre"]);
});

it("what is held against a lost value is still a word of its enum", () => {
  const text = "enum Kind { core, reason }\nparam kind: Kind = corre\nlet n = if kind == reson then 1 else 2\n";
  expect(told(text)).toEqual(["cdr/name-unknown at corre", "cdr/name-unknown at reson"]);
});

it("what an import was to bring is called, added, extended, amended and varied without a word", () => {
  const text = `import "./gone.cdr" { half, Kind, base, pen, tbl, disk, pod, over }
import "./gone2.cdr" as lib
param list: [Kind] = [core]
param maybe: lib.Kind | none = core
fn f(k: Kind) = if k == core then 1 else 2
let q = f(core) + half(core) + lib.half(lib.tbl.x)
data d { from = disk / "x", tokenizer = bytes, tokens = 1B tokens }
model m extends base { layers = half(4) }
model n extends lib.base { layers = lib.half(4) }
stage s on pod {
  model = m
  data = d
  length = 10 steps
  batch = tbl.batch
  optimizer = lib.mine(lr = half(2e-3))
  loss = cross_entropy + pen(a = 1) + lib.pen
}
preset p { base.layers = 3, lib.base.layers = 3 }
sweep w { stage = s, vary { base.layers in [1, 2], lib.base.layers in [1] }, best = min(loss) }
assert lib.x == core
test "t" { with = [over, lib.over], assert q == 1 }
`;
  expect(told(text)).toEqual(['cdr/import-missing at "./gone.cdr"', 'cdr/import-missing at "./gone2.cdr"']);
});

it("mistakes in what such a function is given are told", () => {
  expect(told('import "./gone.cdr" { half }\nlet q = half(1 + nosuch)\n')).toEqual([
    'cdr/import-missing at "./gone.cdr"',
    "cdr/name-unknown at nosuch",
  ]);
});

it("a file that is imported as a whole is no value", () => {
  expect(told('import "./lib.cdr" as lib\nlet q = lib\n')).toEqual(["cdr/name-unknown at lib"]);
  expect(told('import "./lib.cdr" as lib\npreset p { lib = 3 }\n')).toEqual(["cdr/amend-undeclared at lib"]);
});
