/** What a fix says fits the property that it stands at. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = d, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
stage first extends b {}
`;

it.each([
  ["stage s extends b { length = 36 h }", "cdr/unit-mismatch", "STAGE.plan.duration", "100 steps"],
  ["stage s extends b { log { every = 1 h } }", "cdr/unit-mismatch", "100 steps", "STAGE.plan.duration"],
  ["stage s extends b { schedule = cosine(warmup = 1 h) }", "cdr/unit-mismatch", "100 steps", "STAGE.plan.duration"],
  ["stage s extends b { length = 2 GB }", "cdr/unit-mismatch", "1 epoch", "100 steps"],
  ["stage s extends b { batch = 2 GB }", "cdr/unit-mismatch", "bytes/token", "1 epoch"],
  ["eval e { model = first.last }", "cdr/eval-when", "tasks =", "model ="],
  [
    'import "std/clusters" { dgx_h100 }\nlaunch l on dgx_h100 { target = local(gpus = 4) }',
    "cdr/launch-idle",
    "gpus = 4",
    "processes",
  ],
])("%j", (text, code, says, silent) => {
  const options = { ...alone, on: text.includes("launch") ? "l" : null };
  const { diagnostics } = compile({ path: "main.cdr", text: head + text }, options);
  const fix = diagnostics.find((each) => each.code === code)?.fix;
  expect(fix).toContain(says);
  expect(fix).not.toContain(silent);
});

it.each([
  ["4M tokens", "4Mi tokens"],
  ["500K tokens", "512Ki tokens"],
  ["0.5M tokens", "0.5Mi tokens"],
  ["3M tokens", "3Mi tokens"],
  ["700K tokens", "700Ki tokens"],
])("a batch of %s is offered the near one that ranks share", (batch, offered) => {
  const long = head.replace("context = 256 tokens", "context = 2048 tokens");
  const { diagnostics } = compile({ path: "main.cdr", text: `${long}stage s extends b { batch = ${batch} }` }, alone);
  const [first] = diagnostics.find((each) => each.code === "cdr/batch-tokens")?.fixes ?? [];
  expect(first?.edits[0]?.newText).toBe(offered);
});
