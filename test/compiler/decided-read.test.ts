/** What the file leaves open and the compiler decides is read as it was decided: never as `none`. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const things = `model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data web { from = "x.txt" }
stage open { model = m, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
stage said extends open { engine = deepspeed, precision = bf16, context = 64 tokens }
`;
const told = (text: string) =>
  compile({ path: "a.cdr", text: things + text }, alone).diagnostics.map(({ code, message }) => `${code} ${message}`);

it.each([
  "web.sequence == 64 tokens",
  "open.precision == fp32",
  "open.engine == torch",
  "open.engine in [torch, megatron]",
  "open.engine != none",
  "said.engine == deepspeed",
  "said.precision != fp32",
  "said.optimizer == adamw(lr = 1e-3)",
  "said.optimizer == adamw",
  "adamw == said.optimizer",
  "said.optimizer != muon",
  "said.optimizer in [adamw, sgd]",
  "match said.precision { bf16 | fp16 => true, else => false }",
])("%s holds", (condition) => {
  expect(told(`assert ${condition}\n`)).toEqual([]);
});

it.each([
  ["web.sequence == 32 tokens", "64 tokens == 32 tokens"],
  ["open.precision == bf16", "fp32 == bf16"],
  ["open.engine == megatron", "torch == megatron"],
])("%s does not, by what was decided", (condition, values) => {
  expect(told(`assert ${condition}\n`)).toEqual([`cdr/assert-failed not true: ${condition} (${values})`]);
});

it.each([
  ["open.engine", "the `engine` of stage `open` is left to the plan"],
  ["open.precision", "the `precision` of stage `open` follows from its devices"],
  ["web.sequence", "the `sequence` of data `web` follows from the stages that read it"],
])("%s cannot decide what is planned", (path, why) => {
  const shown = path === "web.sequence" ? `${path} > 1 token` : `${path} != none`;
  const messages = told(`stage after extends open { length = if ${shown} then 5 steps else 6 steps }\n`);
  expect(messages).toEqual([expect.stringContaining(why)]);
});

it("a word that the choice does not have is told with those that it has", () => {
  expect(told("assert open.engine == torhc\n")).toEqual([expect.stringContaining("cdr/name-unknown")]);
});
