/** Words that messages are put together of: articles, plurals, units. */
import { expect, it } from "vitest";
import { article } from "../../dsl/diagnostics/article.ts";
import { counted } from "../../dsl/diagnostics/counted.ts";
import { compile } from "../../compiler/compile.ts";
import { setBy } from "../../dsl/eval/origin.ts";
import { singular, units } from "../../dsl/types/units.ts";
import { diagnosticsOf } from "../support/broken.ts";

it.each([
  ..."an eval,an overlay,an image,an enum,an update,an A100,an H100,an L40S,an MI300X,an RTX 4090,an `eval`".split(
    ",",
  ),
  ..."a stage,a unit,a union,a user,a B200,a GB200,a CPU,a TPU,a value,a `stage`,a one-node run".split(","),
])("%s", (said) => {
  expect(article(said.replace(/^an? /, ""))).toBe(said);
});

it("one and many", () => {
  expect([counted(1, "step"), counted(2, "step"), counted(0, "batch"), counted(3, "repository")]).toEqual([
    ...["1 step", "2 steps", "0 batches", "3 repositories"],
  ]);
  expect(["batches", "docs", "tokens", "usd", "h", "bytes"].map(singular)).toEqual([
    ...["batch", "doc", "token", "usd", "h", "byte"],
  ]);
  for (const unit of units.keys()) expect(units.get(singular(unit))?.factor).toBe(units.get(unit)?.factor);
});

const stage = (member: string): string => `data c { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = c, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
stage s extends b { ${member} }
`;

it.each([
  [stage("eval { every = 10 steps, length = 0 batches }"), "`length` is 0 batches, but must be at least 1 batch"],
  ['param un: "x" | "y" = "z"', '"z" is not a valid text for param `un`'],
  [
    `${stage("seed = 1")}overlay o { let x = 3 }`,
    "`let` is not allowed in an overlay: it can only amend declared blocks",
  ],
  ["let y = [1] * 3", "`*` cannot combine [1] and 3: one of them is a list"],
  [stage("optimizer.lr <= 3"), "`optimizer.lr` takes a value (`=`), not a bound"],
  [`${stage("seed = 1")}stage pre: { model = m }`, "`stage pre` declares a block: it takes `{ … }`, not `:`"],
  ["let a = 1 / 0", "1 / 0 is a division by 0"],
  ["let a = 1e300 * 1e300", "`*` of 1e+300 and 1e+300 is too large for a number"],
])("%s", (text, message) => {
  expect(diagnosticsOf(text).map((each) => each.message)).toContain(message);
});

it.each([
  ["8 samples/gpu", "Multiply the rate by the GPUs: `… * CLUSTER.gpus`."],
  ["8 nodes", "Write the value in the unit that the message names."],
])("batch = %s is told how it is counted", (batch, fix) => {
  const [first] = diagnosticsOf(stage(`batch = ${batch}`));
  expect([first?.code, first?.fix]).toEqual(["cdr/unit-mismatch", fix]);
});

it("a file in UTF-16 is told how to convert it", () => {
  const text = Buffer.from("\ufeffmodel m { family = llama }", "utf16le").toString("utf8");
  expect(diagnosticsOf(text).map(({ code, fix }) => [code, fix])).toEqual([
    ["cdr/syntax-encoding", expect.stringContaining("iconv -f utf-16 -t utf-8")],
  ]);
});

it.each([
  [undefined, "its default, as GIVEN_N is not set"],
  ["7", "set by the environment variable GIVEN_N"],
])("a param whose variable is %s says so", (given, said) => {
  const options = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => given, host: () => undefined },
  };
  const text = 'param n: Int = env("GIVEN_N", default = 2)\nmodel m { family = llama, layers = n }';
  const { program } = compile({ path: "main.cdr", text }, options);
  const symbol = program.root.names.get("n");
  if (symbol?.kind !== "param") throw new Error("the file declares a param");
  const { origin } = program.context.symbolValue(symbol, symbol.node.span);
  expect(origin.kind === "param" ? setBy(origin) : origin).toBe(said);
});
