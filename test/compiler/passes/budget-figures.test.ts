/** A limit that is passed is told with the figure that the plan shows. */
import { expect, it } from "vitest";
import { dollars, duration } from "../../../cli/render/figures.ts";
import { compileText } from "../../support/probes.ts";

const lengths = Array.from({ length: 24 }, (_, place) => Math.round(40 * 1.45 ** place));

it.each(lengths)("after %d steps", (steps) => {
  const { diagnostics, plan } = compileText(`import "std/clusters" { dgx_h100 }
data web { from = random(tokens = 10T tokens) }
model m { family = llama, layers = 16, d_model = 2048, heads = 16, vocab = 32000, context = 2048 tokens }
stage s {
  model = m, data = web, length = ${steps} steps, batch = 512 samples, optimizer = adamw(lr = 1e-4)
  time <= 1 s, cost <= 0.01 usd
}
cluster pod extends dgx_h100 { nodes = 1, price = 2.37 usd/gpu/h }
launch l on pod { target = slurm }`);
  const [stage] = plan?.stages ?? [];
  const { hours = 0, cost = null } = stage?.total ?? {};
  const told = diagnostics.filter(({ code }) => code === "cdr/budget-exceeded").map(({ message }) => message);
  expect(told).toHaveLength(2);
  expect(told[0]).toContain(` about ${duration(hours).replace("days", "d")},`);
  const [, usd = ""] = / about ([\d._]+) usd/.exec(told[1] ?? "") ?? [];
  expect(Number(usd.replaceAll("_", ""))).toBe(Number(dollars(cost ?? 0).replaceAll(/[$,]/g, "")));
});
