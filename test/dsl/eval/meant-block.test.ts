/** A block, or what a step makes, where another one is asked. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const before = `model tiny { family = llama, layers = 2, d_model = 64, heads = 2, context = 128 tokens }
data web { from = "./x.txt", tokenizer = bytes }
stage base { model = tiny, data = web, length = 10 steps, batch = 2 samples, optimizer = adamw(lr = 1e-3) }
abstract model bare extends tiny { layers = 3 }
`;

function offered(line: string): readonly string[] {
  const found = compile({ path: "main.cdr", text: before + line }, alone).diagnostics;
  return found
    .filter(({ code }) => code === "cdr/type-mismatch")
    .flatMap(({ fixes, valid, fix }) => [
      ...fixes.map(({ title }) => title),
      ...valid,
      ...(fixes.length + valid.length === 0 ? [fix] : []),
    ]);
}

const stage = (first: string, data = "web"): string =>
  `stage tune { ${first}, data = ${data}, length = 10 steps, batch = 2 samples, optimizer = adamw(lr = 1e-3) }`;

it.each([
  [stage("model = base.last"), ["write `from = base.last`"]],
  [stage("model = base"), ["write `from = base.last`"]],
  [stage("from = tiny"), ["write `model = tiny`"]],
  [stage("model = tiny, from = web"), ["write `base.last`"]],
  [stage("model = base.last, from = base.last"), ["write `tiny`"]],
  [stage("model = tiny", "base"), ["write `web`"]],
  [`data more { from = "./y.txt", tokenizer = bytes }\n${stage("model = tiny", "tiny")}`, ["web", "more"]],
  ['sample s { model = tiny, prompts = ["a"], length = 10 tokens }', ["write `base.last`"]],
])("%s", (line, expected) => {
  expect(offered(line)).toEqual(expected);
});

it("several data blocks are mixed in one", () => {
  const [fix] = offered(`data more { from = "./y.txt", tokenizer = bytes }\n${stage("model = tiny", "[web, more]")}`);
  expect(fix).toContain("source NAME { from = …, weight = … }");
});
