import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findings } from "../../cli/doctor/findings.ts";
import type { Needs } from "../../cli/doctor/needs.ts";
import type { Machine } from "../../cli/doctor/probe.ts";
import { cdrc } from "../support/cdrc.ts";

const GiB = 2 ** 30;
const machine: Machine = {
  node: "24.1.0",
  system: "linux x64",
  cpu: "",
  cores: 8,
  memory: { total: 32 * GiB, free: 16 * GiB },
  disk: { folder: "/work", free: 10 * GiB },
  python: "python3.11 3.11.7",
  environment: {
    python: "/env/bin/python",
    modules: {
      torch: { version: "2.15.0" },
      deepspeed: { error: "ModuleNotFoundError: No module named 'deepspeed'" },
    },
    torchrun: true,
    devices: 1,
  },
  gpus: [{ name: "NVIDIA H100", memory: 80 * GiB, driver: "570" }],
  slurm: { version: "slurm 24.05", partitions: ["gpu* 4 nodes, gpu:8, up to infinite"] },
  ssh: "OpenSSH",
  kubectl: null,
};
const needs: Needs = {
  target: "local",
  gpus: 1,
  deepspeed: false,
  partition: null,
  secrets: [],
  memory: 8 * GiB,
  checkpoint: GiB,
};

/** The names of what is missing. */
const missing = (has: Partial<Machine>, asks: Partial<Needs> | null = {}, set: readonly string[] = []): string[] =>
  findings({ ...machine, ...has }, asks === null ? null : { ...needs, ...asks }, (name) => set.includes(name))
    .filter(({ state }) => state === "missing")
    .map(({ name }) => name);

describe("what is missing", () => {
  it("is nothing that nobody needs", () => {
    expect(missing({})).toEqual([]);
    expect(missing({ gpus: [], slurm: null, ssh: null, environment: null }, { gpus: null })).toEqual([]);
  });

  it("is what a file needs and the machine has not", () => {
    expect(missing({}, { gpus: 8 })).toEqual(["its GPUs", "torch's GPUs"]);
    expect(missing({}, { deepspeed: true })).toEqual(["deepspeed"]);
    expect(missing({ slurm: null }, { target: "slurm" })).toEqual(["slurm"]);
    expect(missing({}, { target: "slurm", partition: "gpu" })).toEqual([]);
    expect(missing({}, { target: "slurm", partition: "cpu" })).toEqual(["its partition"]);
    expect(missing({}, { target: "kubernetes" })).toEqual(["kubectl"]);
    expect(missing({}, { memory: 64 * GiB, checkpoint: 11 * GiB })).toEqual(["its memory", "its checkpoints"]);
    expect(missing({}, { secrets: ["HF_TOKEN", "KEY"] }, ["KEY"])).toEqual(["HF_TOKEN"]);
  });

  it("is what every run needs", () => {
    expect(missing({ node: "20.1.0", python: null, environment: null }, null)).toEqual(["node", "python"]);
    const torchless = { python: "p", modules: { torch: { error: "no" } }, torchrun: false, devices: null };
    expect(missing({ environment: torchless }, null)).toEqual(["torch", "torchrun"]);
  });

  it("says how it is mended", () => {
    for (const finding of findings(
      { ...machine, ...{ python: null, environment: null, slurm: null } },
      needs,
      () => false,
    ))
      expect(finding.mend === null).toBe(finding.state === "ok");
  });
});

describe("doctor", () => {
  const bare = { CDR_HOME: mkdtempSync(join(tmpdir(), "cdr-home-")), CDR_PYTHON: "", PATH: "/nowhere" };

  it("looks at this machine, and finds nothing where PATH is empty", () => {
    const { code, out } = cdrc(["doctor", "--json"], { env: bare });
    const document = JSON.parse(out) as {
      fit: boolean;
      findings: { name: string; state: string }[];
      machine: Machine;
    };
    expect({ code, fit: document.fit }).toEqual({ code: 1, fit: false });
    expect(document.findings.filter(({ state }) => state === "missing").map(({ name }) => name)).toEqual(["python"]);
    expect(document.machine.memory.total).toBeGreaterThan(0);
    expect(cdrc(["doctor"], { env: bare }).out).toMatch(/^missing +python +none from 3\.10/m);
  });

  it("reads what a file needs, and names a file with mistakes", () => {
    const { out } = cdrc(["doctor", "examples/zero3.cdr", "--json"], { env: bare });
    expect((JSON.parse(out) as { needs: Needs }).needs).toMatchObject({
      target: "local",
      deepspeed: true,
      gpus: null,
    });
    expect(cdrc(["doctor", "absent.cdr"], { env: bare }).code).toBe(2);
  });
});
