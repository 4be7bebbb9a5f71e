/** What joins the devices of a plan: assumed where nobody says it, and never in place of a figure that was written wrongly. */
import { describe, expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const compiled = (cluster: string) =>
  compileText(`import "std/clusters" { dgx_h100 }
import "std/gpus" { h100_sxm, cpu }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 16, d_model = 2048, heads = 16, context = 4096 tokens }
stage s { model = m, data = web, length = 10K steps, batch = 512 samples, engine = torch, optimizer = adamw(lr = 1e-4) }
cluster pod ${cluster}
launch l on pod { target = slurm(partition = "g") }`);

const told = (cluster: string) =>
  compiled(cluster)
    .diagnostics.filter(({ code }) => code === "cdr/cluster-link")
    .map(({ message }) => message.replace(/, which .*/, ""));

describe("what the cluster does not say of its links is told with what is assumed", () => {
  const both = "10 Gbps between its 4 nodes and 32 GB/s between the 8 devices of a node";
  it.each([
    ["{ gpu = h100_sxm, nodes = 4, node { gpus = 8 } }", ["`network` and no `link`", both]],
    [
      "{ gpu = h100_sxm, nodes = 4, link = 450 GB/s, node { gpus = 8 } }",
      ["`network`", "10 Gbps between its 4 nodes"],
    ],
    ["{ gpu = h100_sxm, nodes = 4, network = 25 Gbps }", []],
    ["{ gpu = h100_sxm, nodes = 4, network >= 25 Gbps }", []],
    ["{ gpu = h100_sxm }", []],
    ["{ gpu = cpu, node { gpus = 2 } }", []],
    ["extends dgx_h100 { nodes = 4 }", []],
  ])("%s", (cluster, [names, assumed]) => {
    const wanted = names === undefined ? [] : [`cluster \`pod\` has no ${names}: the plan assumes ${assumed}`];
    expect(told(cluster)).toEqual(wanted);
  });
});

describe("a figure that was written wrongly", () => {
  it.each([
    ["network = 400", ["400 Gbps", "400 GB/s"]],
    ["network = 400 GB", ["400 GB/s"]],
    ["network = 0 Gbps", []],
    ["link = 900", ["900 GB/s", "900 Gbps"]],
    ["link = 1.8", ["1.8 TB/s", "1.8 GB/s", "1.8 Gbps"]],
    ["network = 50000000000", ["50000000000 bytes/s"]],
  ])(
    "%s is offered in the units that may be meant, beside the one that is inherited, which the plan has",
    (written, offered) => {
      const { diagnostics, plan } = compiled(`extends dgx_h100 { nodes = 4, ${written} }`);
      const [error, ...more] = diagnostics;
      expect(more).toEqual([]);
      expect(error?.fixes.map(({ edits }) => edits[0]?.newText)).toEqual(offered);
      expect(error?.related.map(({ message }) => message)).toEqual(["without it, that of cluster `dgx_h100` holds"]);
      const right = compiled("extends dgx_h100 { nodes = 4 }").plan.stages;
      expect(plan.stages.map(({ time }) => time.step)).toEqual(right.map(({ time }) => time.step));
    },
  );

  it("has no plan in place of what nobody says", () => {
    const { diagnostics, plan } = compiled("{ gpu = h100_sxm, nodes = 4, network = 400, node { gpus = 8 } }");
    expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/unit-missing"]);
    expect(plan.stages).toEqual([]);
  });
});
