/** `cdrc calibrate` on runs that a test made up, and on what it refuses. */
import type { StartedLaunch } from "../../compiler/pipeline.ts";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { emitBundle } from "../../cli/bundle.ts";
import { placeBundle } from "../../runtime/run/bundle.ts";
import { launchRecord, writeRecord } from "../../runtime/state/record.ts";
import { cdrc } from "../support/cdrc.ts";
import { compileText } from "../support/probes.ts";
import { hasPython, python } from "../support/python.ts";

const source = (cores: number) => `import "std/gpus" { cpu }
cluster box { gpu = cpu, node { gpus = 1, cpu = ${cores} cores, ram = 16 GiB } }
launch here on box { target = local }
data text { from = "corpus.txt", tokenizer = bytes }
model small { family = llama, layers = 4, d_model = 128, heads = 4, context = 128 tokens }
model wide { family = gpt2, layers = 2, d_model = 512, heads = 8, context = 128 tokens }
abstract stage base { data = text, length = 20 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
stage deep extends base { model = small }
stage shallow extends base { model = wide }
`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cdr-calibrate-"));
});

const calibrate = (...words: string[]) =>
  cdrc(["calibrate", ...words], { cwd: folder, env: { CI: "true", XDG_STATE_HOME: join(folder, "state") } });

/** A run as it would lie there after `steps` logged steps, each `factor` times as long as was planned. */
async function finished(name: string, steps: number, factor = 1.2, cores = 2): Promise<string> {
  const compilation = compileText(source(cores));
  const bundle = emitBundle(compilation);
  const step = bundle.steps.find((one) => one.name === name);
  const plan = compilation.plan.stages.find((one) => one.name === name);
  if (step === undefined || plan === undefined) throw new Error(`no step ${name}`);
  const directory = join(folder, "runs", name, `${cores}${steps}`);
  mkdirSync(directory, { recursive: true });
  placeBundle(bundle, join(directory, "bundle"));
  await writeRecord(directory, {
    format: 1,
    id: `${cores}${steps}`,
    step: { ...step, files: [...step.files], inputs: step.inputs.map((input) => ({ ...input })) },
    file: "main.cdr",
    project: folder,
    attempt: 0,
    inputs: [],
    target: "local",
    handle: null,
    command: [],
    cwd: folder,
    env: {},
    secrets: [],
    hashes: {},
    sources: [],
    launch: launchRecord(compilation.pipeline.launch as StartedLaunch),
    created: 1,
    started: 1,
  });
  const { compute = 0, optimizer = 0, other = 0 } = plan.time.parts;
  const phases = {
    forward: (factor * compute) / 3,
    backward: (factor * 2 * compute) / 3,
    optimizer: factor * optimizer,
    other: factor * other,
  };
  const lines = Array.from({ length: steps }, (_, index) =>
    JSON.stringify({
      step: index + 1,
      attempt: 0,
      loss: 3,
      tokens_per_second: plan.batch.tokens_per_step / (factor * plan.time.step),
      memory: Math.round(1.1 * plan.memory.peak),
      phases,
      computed: phases,
    }),
  );
  writeFileSync(join(directory, "metrics.jsonl"), lines.map((line) => `${line}\n`).join(""));
  mkdirSync(join(directory, "exit"));
  writeFileSync(join(directory, "exit", "a0.json"), JSON.stringify({ code: 0, state: "done", reason: "finished" }));
  return directory;
}

const document = z.object({
  file: z.string(),
  cluster: z.string(),
  calibration: z.record(z.string(), z.number().nullable()),
  runs: z.array(z.object({ name: z.string(), step: z.object({ estimated: z.number(), measured: z.number() }) })),
});

describe("learning from runs", () => {
  test("writes a cluster that the same file imports, and its plan moves to what was measured", async () => {
    const runs = [await finished("deep", 8), await finished("shallow", 8)];
    const { code, out, err } = calibrate("--from", ...runs, "--json", "-o", "box.cdr");
    expect(err).toBe("");
    expect(code).toBe(0);
    const { cluster, runs: judged } = document.parse(JSON.parse(out));
    expect(cluster).toBe("box");
    expect(judged.map(({ name }) => name)).toEqual(["deep", "shallow"]);
    expect(cdrc(["fmt", "--check", "box.cdr"], { cwd: folder }).code).toBe(0);
    const lines = source(2).split("\n").slice(2).join("\n");
    writeFileSync(join(folder, "main.cdr"), `import "./box.cdr" { box }\n${lines}`);
    const planned = cdrc(["plan", "main.cdr", "--json"], { cwd: folder });
    expect(planned.code).toBe(0);
    const plan = z.object({
      stages: z.array(z.object({ name: z.string(), time: z.object({ step: z.number(), error: z.number() }) })),
    });
    for (const { name, time } of plan.parse(JSON.parse(planned.out)).stages) {
      const measured = judged.find((one) => one.name === name)?.step.measured ?? 0;
      expect(Math.abs(time.step / measured - 1), name).toBeLessThan(0.08);
      expect(time.error).toBe(0.25);
    }
  });

  test("a run without metrics teaches nothing, and says why", async () => {
    const { code, err } = calibrate("--from", await finished("deep", 2));
    expect(code).toBe(3);
    expect(err).toContain("fewer than three steps of it were logged");
    expect(existsSync(join(folder, "box.cdr"))).toBe(false);
  });

  test("a run whose bundle lost its plan, a folder that is none, and a name that nobody has", async () => {
    const run = await finished("deep", 8);
    writeFileSync(join(run, "bundle", "plan.json"), '{ "stages": [');
    expect(calibrate("--from", run)).toMatchObject({ code: 3 });
    expect(calibrate("--from", folder)).toMatchObject({ code: 2 });
    expect(calibrate("--from", "-o", "x.cdr")).toMatchObject({
      code: 2,
      err: expect.stringContaining("option '--from <run...>' argument missing: '-o' stands in its place") as string,
    });
    expect(calibrate("--from", "nobody").err).toContain('no run is named "nobody"');
  });

  test("runs of clusters that differ are not one cluster's", async () => {
    const { code, err } = calibrate("--from", await finished("deep", 8), await finished("shallow", 8, 1.2, 4));
    expect(code).toBe(2);
    expect(err).toContain("calibrate each cluster by its own runs");
  });

  test("a file that is there stays as it is, unless it may be replaced", async () => {
    const run = await finished("deep", 8);
    const path = join(folder, "box.cdr");
    writeFileSync(path, "cluster half {");
    const { code, err } = calibrate("--from", run);
    expect([code, readFileSync(path, "utf8")]).toEqual([2, "cluster half {"]);
    expect(err).toContain("--force");
    expect(calibrate("--from", run, "--force").code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain("calibration {");
  });

  test("a folder that cannot be written", async () => {
    const { code, err } = calibrate("--from", await finished("deep", 8), "-o", "/proc/box.cdr");
    expect(code).toBe(3);
    expect(err).not.toContain("defect");
  });
});

describe("measuring", () => {
  test.each([
    [["main.cdr"], 2, "there is no such file"],
    [["--processes", "0"], 2, "whole number"],
    [["main.cdr", "--from", "pretrain"], 2, "takes no file"],
    [["--on", "here"], 2, "--on says which launch of a file is meant"],
  ] as const)("%j is misuse", (words, code, said) => {
    const order = words[1] === "--from" ? ["--from", "pretrain", "--processes", "2"] : words;
    const ended = calibrate(...order);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(said);
  });

  test("a folder that is not there is said before anything is measured", () => {
    const { code, err } = calibrate("-o", "nowhere/box.cdr");
    expect(code).toBe(2);
    expect(err).toContain("there is no folder nowhere");
  });

  test("a machine that the probes do not fit into says so", () => {
    writeFileSync(join(folder, "main.cdr"), source(2).replace("ram = 16 GiB", "ram = 500 MiB"));
    const { code, err } = calibrate("main.cdr");
    expect(code).toBe(1);
    expect(err).not.toContain("defect");
    writeFileSync(
      join(folder, "small.cdr"),
      source(2).replace("ram = 16 GiB", "ram = 500 MiB").split("data text")[0] ?? "",
    );
    const small = calibrate("small.cdr");
    expect(small.code).toBe(3);
    expect(small.err).toContain("the probes cannot run on box");
  });

  test("a file with mistakes is refused with them", () => {
    writeFileSync(
      join(folder, "main.cdr"),
      "cluster box { gpu = nonsense }\nlaunch here on box { target = local }\n",
    );
    const { code, err } = calibrate("main.cdr");
    expect(code).toBe(1);
    expect(err).toContain("nonsense");
  });

  test.runIf(hasPython)("a target that cannot be reached leaves no cluster and no run behind", () => {
    writeFileSync(
      join(folder, "main.cdr"),
      source(2).replace("target = local", 'target = slurm(partition = "p", time = 1 h)'),
    );
    // A machine that has a shell and no Slurm.
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const name of ["sh", "dirname"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const { code, err } = cdrc(["calibrate", "main.cdr"], {
      cwd: folder,
      env: { CI: "true", XDG_STATE_HOME: join(folder, "state"), PATH: bin, CDR_PYTHON: python() },
    });
    expect(code).toBe(3);
    expect(err).toContain("sbatch");
    expect([existsSync(join(folder, "box.cdr")), existsSync(join(folder, "runs"))]).toEqual([false, false]);
  });
});
