import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import type { ClusterSpec, LaunchSpec, PipelineStep, SlurmOptions } from "../../../../compiler/pipeline.ts";
import { checkSlurm } from "../../../../compiler/targets/slurm/rules.ts";
import { slurmOptions } from "../../../support/slurm-job.ts";
import { modelRequest, span, stage } from "../../../support/pipeline.ts";
import { tinyLaunch } from "../../../support/tiny.ts";

function check(
  options: Partial<SlurmOptions>,
  more: { cluster?: Partial<ClusterSpec>; steps?: readonly PipelineStep[] } = {},
): readonly Diagnostic[] {
  const base = tinyLaunch();
  const cluster = { ...base.cluster, ...more.cluster };
  const spans = new Map(Object.keys(options).map((name) => [name, span]));
  const launch: LaunchSpec = { ...base, cluster, spans, target: { kind: "slurm", ...slurmOptions(options) } };
  return checkSlurm({ launch, steps: more.steps ?? [] }, () => span);
}

const codes = (...given: Parameters<typeof check>): string[] => check(...given).map(({ code }) => code);

test("the defaults are well", () => {
  expect(codes({})).toEqual([]);
  expect(codes({ partition: "gpu,gpu-long", account: "lm@site", constraint: "[a100*2&h100]" })).toEqual([]);
});

test.each([
  [{ time: 0 }, "cdr/slurm-time"],
  [{ time: -5 }, "cdr/slurm-time"],
  [{ time: Number.NaN }, "cdr/slurm-time"],
  [{ time: 1e13 }, "cdr/slurm-time"],
  [{ time: 60, lead: 60 }, "cdr/slurm-lead"],
  [{ time: 60, lead: 600 }, "cdr/slurm-lead"],
  [{ lead: 70_000 }, "cdr/slurm-lead"],
  [{ lead: -1 }, "cdr/slurm-lead"],
  [{ lead: 0, requeue: true }, "cdr/slurm-lead"],
  [{ partition: "gpu\n#SBATCH --exclusive" }, "cdr/slurm-name"],
  [{ partition: "" }, "cdr/slurm-name"],
  [{ account: "a b" }, "cdr/slurm-name"],
  [{ qos: "$(id)" }, "cdr/slurm-name"],
  [{ reservation: "r;s" }, "cdr/slurm-name"],
  [{ constraint: "a\nb" }, "cdr/slurm-text"],
  [{ raw: { comment: "a\nb" } }, "cdr/slurm-text"],
  [{ cpus: 5 }, "cdr/slurm-node"],
  [{ memory: 9e9 }, "cdr/slurm-node"],
] as const)("%j is %s", (options, code) => {
  expect(codes(options)).toEqual([code]);
});

describe("requeue", () => {
  const model = modelRequest("llama");
  const checkpoint = { every: null, keepLast: 2, keepBest: null };

  test("with checkpoints is well", () => {
    expect(check({ requeue: true }, { steps: [stage(model, { checkpoint })] })).toEqual([]);
  });

  test("without them is a warning, and nothing to say where the job is not requeued", () => {
    const steps = [stage(model, { checkpoint: null })];
    expect(check({ requeue: true }, { steps })).toMatchObject([{ code: "cdr/slurm-requeue", severity: "warning" }]);
    expect(check({ requeue: false }, { steps })).toEqual([]);
  });

  test("is told as it was written, or as what holds where it was not", () => {
    const steps = [stage(model, { checkpoint: null })];
    const message = (options: Partial<SlurmOptions>) => check(options, { steps })[0]?.message;
    expect(message({ requeue: true })).toMatch(/^`requeue = true`, but/);
    expect(message({})).toMatch(/the default of `requeue`/);
  });

  test("of a stage that never resumes is an error", () => {
    const steps = [stage(model, { checkpoint, resume: "never" })];
    expect(check({ requeue: true }, { steps })).toMatchObject([{ code: "cdr/slurm-requeue", severity: "error" }]);
  });
});

describe("raw sbatch", () => {
  test.each(["nodes", "ntasks_per_node", "signal", "open-mode", "requeue", "output", "job-name", "time", "array"])(
    "%s conflicts with a derived option",
    (name) => {
      expect(codes({ raw: { [name]: "1" } })).toEqual(["cdr/slurm-owned"]);
    },
  );

  test.each(["container_image", "container-mounts", "no-container-mount-home"])(
    "%s of pyxis is passed on",
    (name) => {
      expect(codes({ raw: { [name]: "nvcr.io#nvidia/pytorch:24.07-py3" } })).toEqual([]);
    },
  );

  test("an unknown option is answered with the nearest", () => {
    const [found] = check({ raw: { "mail-tpye": "FAIL" } });
    expect(found).toMatchObject({ code: "cdr/slurm-directive" });
    expect(found?.fixes[0]?.edits[0]?.newText).toBe("mail_type");
    expect(found?.valid).toContain("mail-type");
  });

  test.each([
    ["gres", "gpu:h100:4", ["cdr/slurm-gpus"]],
    ["gres", "gpu:h100:8", []],
    ["gres", "gpu", ["cdr/slurm-gpus"]],
    ["gres", "nvme:1,gpu:8", []],
    ["gpus-per-node", "h100:8", []],
    ["gpus_per_node", 4, ["cdr/slurm-gpus"]],
  ])("%s = %s on nodes of eight GPUs", (name, value, expected) => {
    const { device } = tinyLaunch().cluster;
    const cluster = { device: { ...device, kind: "gpu" as const }, gpusPerNode: 8 };
    expect(codes({ raw: { [name]: value } }, { cluster })).toEqual(expected);
  });
});
