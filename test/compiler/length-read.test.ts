/** `pretrain.tokens` and `.steps`: known when compiling where the file says them, and then what the plan counts. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const stages = [
  { length: "1M tokens", batch: "8 samples" },
  { length: "999_999 tokens", batch: "512 tokens" },
  { length: "7 steps", batch: "3 samples" },
  { length: "1001 samples", batch: "16 samples", more: ", context = 32 tokens" },
  { length: "2 epochs", batch: "4 samples" },
];

const things = `model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data corpus { from = "x.txt", tokens = 100_001 tokens }
data uncounted { from = "y.txt" }
`;

const stage = (name: string, length: string, batch: string, data: string): string =>
  `stage ${name} { model = m, data = ${data}, length = ${length}, batch = ${batch}, optimizer = adamw(lr = 1e-3) }\n`;

const compiled = (text: string) => compile({ path: "a.cdr", text: things + text }, alone);

it("a written length is read in steps and in tokens, as the plan counts them", () => {
  const text = stages
    .map(
      ({ length, batch, more = "" }, at) =>
        `data d${at} extends corpus { }\n${stage(`s${at}`, length, batch + more, `d${at}`)}let steps${at}: Steps = s${at}.steps\nlet tokens${at}: Tokens = s${at}.tokens\n`,
    )
    .join("");
  const { program, plan, diagnostics } = compiled(text);
  expect(diagnostics.flatMap(({ severity, message }) => (severity === "error" ? [message] : []))).toEqual([]);
  const read = (name: string): number | null => {
    const symbol = program.root.names.get(name);
    if (symbol?.kind !== "let") return null;
    const { value } = program.context.symbolValue(symbol, symbol.name.span);
    return value.kind === "number" ? value.value : null;
  };
  expect(plan.stages).toHaveLength(stages.length);
  expect(stages.map((_, at) => [read(`steps${at}`), read(`tokens${at}`)])).toEqual(
    stages.map((_, at) => {
      const planned = plan.stages.find(({ name }) => name === `s${at}`);
      return [planned?.total.steps, planned?.total.tokens];
    }),
  );
});

it.each([
  ["split { val = none }", 1563],
  ["split { val = 20% }", 1251],
  ["split { val = 20%, test = 30% }", 782],
  ["seed = 1", 1547],
])("an epoch of data with %s has no text that is held out", (said, steps) => {
  const { plan } = compiled(
    `data part extends corpus { ${said} }\n${stage("a", "1 epochs", "1 sample", "part")}assert a.steps == ${steps} steps\n`,
  );
  expect(plan.stages.map(({ total }) => total.steps)).toEqual([steps]);
});

it("a stage may be as long as a part of another one", () => {
  const { plan, diagnostics } = compiled(
    stage("a", "1M tokens", "8 samples", "corpus") + stage("b", "a.steps / 2", "8 samples", "corpus"),
  );
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  expect(plan.stages.map(({ total }) => total.steps)).toEqual([1954, 977]);
});

it.each([
  ["1M tokens", "auto", "corpus", "the `batch` of stage `a` is left to the plan"],
  ["1 epochs", "4 samples", "uncounted", "does not say how many `tokens` an epoch has"],
])("length = %s with batch = %s of %s is known with the plan only", (length, batch, data, why) => {
  const { diagnostics } = compiled(`${stage("a", length, batch, data)}let n: Tokens = a.tokens\n`);
  const told = diagnostics.filter(({ code }) => code === "cdr/value-later");
  expect(told.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
});

it.each(["length = a.tokens / 2, batch = 8 samples", "length = 1M tokens, batch = a.tokens / 1000"])(
  "%s depends on itself, and that is all there is to say",
  (said) => {
    const { diagnostics } = compiled(`stage a { model = m, data = corpus, ${said}, optimizer = adamw(lr = 1e-3) }\n`);
    expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/value-cycle"]);
  },
);

it("a context that is not written is the model's, and a batch that is not written the plan's", () => {
  const { diagnostics } = compiled(
    `${stage("a", "10 steps", "auto", "corpus")}assert a.context == 64 tokens\nassert a.batch >= 1 samples\n`,
  );
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
});
