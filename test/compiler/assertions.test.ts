/** `assert`: judged before a run starts, or refused where that cannot be. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const file = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pre { model = small, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string) =>
  compile({ path: "main.cdr", text: file + text }, alone)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} ${span.source.text.slice(span.start, span.end)}`);

describe("a plan", () => {
  it.each([
    ["let peak = pre.plan.memory.peak\nassert peak < 1 KB", "peak < 1 KB"],
    ["let t = { peak = pre.plan.memory.peak }\nassert t.peak < 1 KB", "t.peak < 1 KB"],
    ["let t = [pre.plan.memory.peak]\nlet u = { all = t }\nassert max(u.all) < 1 KB", "max(u.all) < 1 KB"],
    ["fn peak(s: Stage) = s.plan.memory.peak\nassert peak(pre) < 1 KB", "peak(pre) < 1 KB"],
    ["pre { assert plan.memory.peak < 1 KB }", "plan.memory.peak < 1 KB"],
  ])("is looked at by %s", (text, condition) => {
    expect(told(text)).toEqual([`cdr/assert-failed ${condition}`]);
    expect(told(text.replace("1 KB", "1 TB"))).toEqual([]);
  });
});

describe("what compiling never gets to know is refused", () => {
  it.each([
    ["assert plan.memory.peak < 1 TB", "plan.memory.peak < 1 TB"],
    ["small { assert plan.memory.peak < 1 TB }", "plan.memory.peak < 1 TB"],
    ["assert run.nonsense == 3", "run.nonsense == 3"],
    ["pre { assert run.step > 3 }", "run.step > 3"],
    ["assert row.length > 3 and true", "row.length > 3 and true"],
    ["fn f(x: Int) = x + run.step\nassert f(2) > 1", "f(2) > 1"],
    ["let later = run.step + 1\nassert later > 3", "run.step + 1"],
  ])("%s", (text, at) => {
    expect(told(text)).toEqual([`cdr/value-later ${at}`]);
  });
});

describe("a cost without a price", () => {
  const costs = (text: string, price = "") =>
    compile(
      {
        path: "main.cdr",
        text: `${file}import "std/clusters" { dgx_h100 }
cluster pod extends dgx_h100 { nodes = 1 ${price} }
launch l on pod { target = slurm(partition = "gpu", time = 1 h) }
${text}`,
      },
      alone,
    )
      .diagnostics.filter(({ code }) => /^cdr\/(cost|assert)-/.test(code))
      .map(({ code, severity, span }) => `${severity} ${code} ${span.source.text.slice(span.start, span.end)}`);
  it.each([
    ["assert pre.plan.cost < 9 usd", "pre.plan.cost < 9 usd"],
    ["let c = pre.plan.cost\nassert c < 9 usd else warn", "c < 9 usd"],
    ["pre { assert min(plan.cost, 2 usd) > 9 usd }", "min(plan.cost, 2 usd) > 9 usd"],
  ])("is told: %s", (text, condition) => {
    expect(costs(text)).toEqual([`warning cdr/cost-unknown ${condition}`]);
    expect(costs(text, ", price = 2 usd/gpu/h").filter((told) => told.includes("cost-unknown"))).toEqual([]);
  });
});

describe("energy", () => {
  const told = (power: string): string[] =>
    compile(
      {
        path: "main.cdr",
        text: `${file}gpu mine {
  memory = 80 GB, bandwidth = 3 TB/s, fp32 = 60 TFLOPS, bf16 = 900 TFLOPS, fp16 = 900 TFLOPS${power}
}
cluster pod { gpu = mine, node { gpus = 1 } }
launch l on pod { target = slurm(partition = "gpu", time = 1 h) }
assert pre.plan.energy <= 1 Wh`,
      },
      alone,
    )
      .diagnostics.filter(({ code }) => /^cdr\/(energy|assert|value)-/.test(code))
      .map(({ code, severity }) => `${severity} ${code}`);

  it("follows from the power of a device, and asks for it where nobody knows it", () => {
    expect(told("")).toEqual(["warning cdr/energy-unknown"]);
    expect(told(", power = 1 kW")).toEqual(["error cdr/assert-failed"]);
    expect(told(", power = 1 W")).toEqual([]);
    expect(told(", power = 700 kW")).toContain("error cdr/value-range");
  });
});

describe("what bounds promise", () => {
  const pod = (nodes: string) =>
    `import "std/clusters" { dgx_h100 }\ncluster pod { gpu = dgx_h100.gpu, ${nodes}, node { ram >= 256 GB, gpus = 8 } }\n`;
  it.each([
    ["nodes in 2..8", 2],
    ["nodes in [4, 8, 2], nodes > 2", 4],
    ["nodes >= 3", 3],
    ["nodes > 3", 4],
    ["nodes >= 3, nodes >= 5", 5],
    ["nodes <= 8", 1],
    ["nodes = 6, nodes in 2..8", 6],
  ])("of %s is %d, for the property and for what follows from it", (nodes, least) => {
    expect(told(`${pod(nodes)}assert pod.nodes == ${least} and pod.gpus == ${8 * least}`)).toEqual([]);
    expect(told(`${pod(nodes)}assert pod.node.ram == 256 GB`)).toEqual([]);
    expect(told(`${pod(nodes)}assert pod.nodes == ${least + 1}`)).toHaveLength(1);
  });
  it("goes by the bounds of a property alone: another's may speak of it", () => {
    expect(told(`${pod("nodes >= 2, network >= 10 GB/s * cluster.nodes")}assert pod.network == 20 GB/s`)).toEqual([]);
  });
});
