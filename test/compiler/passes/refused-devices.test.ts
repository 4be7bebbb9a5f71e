/** Layouts follow from how many devices there are: a refused number of them is not planned as another one. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const on = (cluster: string) =>
  compileText(`import "std/clusters" { dgx_h100 }
cluster pod extends dgx_h100 { ${cluster} }
model m { family = llama, layers = 12, d_model = 768, heads = 12 }
data corpus { from = "corpus.txt", sequence = 1024 tokens }
stage s { model = m, data = corpus, length = 100 steps, batch = 256 samples, optimizer = adamw(lr = 1e-4) }
launch here on pod { target = slurm(partition = "g") }`);

it.each(["nodes = 0", "nodes = -1", "nodes = 2.5", "node { gpus = 0 }", 'nodes = "two"'])("%s", (cluster) => {
  const { plan, diagnostics } = on(cluster);
  expect(diagnostics.filter(({ severity }) => severity === "error")).not.toEqual([]);
  expect(plan.stages).toEqual([]);
});

it.each(["nodes = 2", "node { gpus = 4 }", "price = -1 usd/gpu/h"])("but with %s there is a plan", (cluster) => {
  expect(on(cluster).plan.stages).toHaveLength(1);
});
