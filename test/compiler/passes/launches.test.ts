/** What a launch says of Slurm is judged on every launch of the file, whichever is chosen. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const file = `import "std/clusters" { dgx_a100 }
model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data corpus { from = "x.txt", tokenizer = bytes }
cluster fleet extends dgx_a100 { nodes = 2 }
stage pre { model = m, data = corpus, length = 100 steps, batch = 32 samples, optimizer = adamw(lr = 1e-3) }
launch here on fleet { target = local }
launch good on fleet { target = slurm(partition = "g"), raw sbatch { gres = "gpu:8" } }
launch wrong on fleet {
  target = slurm(partition = "g h")
  raw sbatch { nodes = 3, foo = "x", "gpus-per-node" = 4 }
}
overlay without { wrong = none }
`;

const told = (options: Partial<typeof alone>) =>
  compile({ path: "main.cdr", text: file }, { ...alone, ...options })
    .diagnostics.filter(({ code }) => code.startsWith("cdr/slurm-") && code !== "cdr/slurm-requeue")
    .map(
      ({ code, span }) => `${code.slice("cdr/slurm-".length)} ${span.source.text.slice(span.start).split(/\W/)[0]}`,
    )
    .sort();

it.each([null, "here", "good", "wrong"])("chosen is %s", (on) => {
  expect(told({ on })).toHaveLength(4);
  expect(told({ on })).toEqual(told({ on: "wrong" }));
});

it("a launch that a variant removes is not judged", () => expect(told({ overlays: ["without"] })).toEqual([]));
