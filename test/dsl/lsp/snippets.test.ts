/** The snippets of the editors, filled in as a person would: each is a file without errors. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diagnosticsOf } from "../../support/broken.ts";

interface Snippet {
  readonly body: readonly string[];
}

const path = join(import.meta.dirname, "../../../editor/snippets/cdr.json");
const snippets = Object.entries(JSON.parse(readFileSync(path, "utf8")) as Record<string, Snippet>);

const head = `import "std/gpus" { h100_sxm }
gpu card extends h100_sxm
model m { family = gpt2, layers = 4, d_model = 128, heads = 4, vocab = 300, context = 128 tokens }
data d { from = "corpus/*.txt", tokenizer = bytes, split { val = 10% } }
stage s { model = m, data = d, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3), determinism = bitwise }
`;

/** What is written at each place, by the snippet and by the property before it. */
const written: Readonly<Record<string, readonly string[]>> = {
  model: ["gpt2", "4", "128", "4", "128 tokens"],
  data: ['"corpus/*.txt"', "bytes"],
  tokenizer: ['hf("gpt2")'],
  gpu: ["80 GB", "67 TFLOP/s", "989 TFLOP/s", "989 TFLOP/s", "3.35 TB/s"],
  cluster: ["card", "2"],
  stage: ["m", "d", "10 steps", "8 samples", "adamw(lr = 1e-3)", "cosine(warmup = 2 steps)"],
  eval: ["s.last", "d.val"],
  sample: ["s.last", '["Once"]', "10 tokens"],
  export: ["s.last", "safetensors"],
  repeat: ["s"],
  job: ['"echo done"'],
  build: [`bazel(version = "7.4.0")`],
  image: ['"ubuntu:24.04"'],
  workflow: ["[s]"],
  plugin: ["loss", '"pkg.mod:name"'],
  launch: ["local"],
  sweep: ["s", "min(loss)", "optimizer.lr in [1e-3, 3e-3]"],
  store: ['"s3://bucket/x"'],
  service: ["s.last"],
};
const last: Readonly<Record<string, string>> = {
  param: "3",
  secret: "KEY",
  let: "3",
  fn: "1",
  enum: "a, b",
  import: "dgx_h100",
  test: "m.layers == 4",
};
const first: Readonly<Record<string, string>> = { import: "std/clusters", test: "four layers" };

const filled = (name: string, { body }: Snippet): string =>
  body
    .join("\n")
    .replaceAll(/\$\{(\d+)(?::([^}]*))?\}|\$(\d+)/g, (_, braced?: string, shown?: string, bare?: string) => {
      const place = Number(braced ?? bare);
      if (shown !== undefined) return shown === "name" ? "mine" : shown;
      if (place === 0) return last[name] ?? written[name]?.at(-1) ?? "";
      return place === 1 ? (first[name] ?? "") : (written[name]?.[place - 2] ?? "");
    });

it.each(snippets)("%s", (name, snippet) => {
  const text = `${name === "import" ? "" : head}${filled(name, snippet)}\n`;
  const errors = diagnosticsOf(text).filter(({ severity }) => severity === "error");
  expect(errors.map(({ message }) => message)).toEqual([]);
});

it("a snippet ends where its last value is written, and is laid out as fmt does", () => {
  for (const [, { body }] of snippets) {
    expect(body.join("\n")).toContain("$0");
    const signs = body.filter((line) => /^\t\w+ *= /.test(line)).map((line) => line.indexOf("="));
    expect(new Set(signs).size).toBeLessThanOrEqual(1);
  }
});
