/** `cdrc check` of files of other tools, as the built program says it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { version } from "../../cli/version.ts";

const root = join(import.meta.dirname, "../..");
const failures = join(root, "test/fixtures/misconfigurations");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function check(words: readonly string[], cwd: string, program = "bin/cdrc.mjs") {
  const command = program.endsWith(".mjs") ? [process.execPath, join(root, program)] : [join(root, program)];
  const [first = "", ...rest] = [...command, "check", ...words];
  const { status, stdout, stderr } = spawnSync(first, rest, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: status, out: stdout, err: stderr };
}

it.each(["bin/cdrc.mjs", "bin/cdrc"])("%s checks files together, with the JSON of the contract", (program) => {
  const { code, out } = check(["ds.json", "run.sh", "--json"], join(failures, "mc-079"), program);
  const { diagnostics, summary } = JSON.parse(out) as {
    diagnostics: { code: string; file: string; range: { start: { line: number } } }[];
    summary: { errors: number };
  };
  expect(code).toBe(1);
  expect(summary.errors).toBe(1);
  expect(diagnostics.filter(({ file }) => file === "ds.json")).toMatchObject([
    { code: "cdr/trainer-deepspeed-mismatch", range: { start: { line: 1 } } },
  ]);
});

it("writes annotations and SARIF", () => {
  const cwd = join(failures, "mc-132");
  expect(check(["job.yaml", "--format", "github"], cwd).out).toContain("::error file=job.yaml,line=16");
  const sarif = JSON.parse(check(["job.yaml", "--format", "sarif"], cwd).out);
  expect(sarif).toMatchObject({ version: "2.1.0", runs: [{ tool: { driver: { version } } }] });
  for (const { id, shortDescription, fullDescription } of sarif.runs[0].tool.driver.rules) {
    expect(shortDescription.text).not.toBe(id);
    expect(fullDescription.text.replaceAll(/\s+/g, " ")).toContain(shortDescription.text);
  }
});

it("leaves 2 where a file cannot be read, or is larger than any launch", () => {
  expect(check(["none.sh"], folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining("there is no such file"),
  });
  writeFileSync(join(folder, "large.sh"), Buffer.alloc(50_000_000, "echo x\n"));
  expect(check(["large.sh"], folder)).toMatchObject({ code: 2, err: expect.stringContaining("50 MB") });
});

it("refuses what has no end, and reads a script whose comments are in Latin-1", () => {
  expect(check(["/dev/zero"], folder)).toMatchObject({ code: 2, err: expect.stringContaining("device") });
  spawnSync("mkfifo", [join(folder, "pipe.sh")]);
  expect(check(["pipe.sh"], folder)).toMatchObject({ code: 2, err: expect.stringContaining("pipe") });
  const script = "#!/bin/bash\n# caf\u00e9\ntorchrun --nnodes=2 --nproc-per-node=8 train.py\n";
  writeFileSync(join(folder, "latin.sh"), Buffer.from(script, "latin1"));
  expect(check(["latin.sh"], folder).err).toContain("cdr/torchrun-endpoint");
});

it("reads what a script names from the folder that it is checked in, as a launch from there would", () => {
  const here = mkdtempSync(join(folder, "started-"));
  mkdirSync(join(here, "scripts"));
  writeFileSync(join(here, "scripts/zero.json"), '{ "zero_optimization": { "stage": 7 } }');
  writeFileSync(join(here, "scripts/run.sh"), "deepspeed --num_gpus 8 train.py --deepspeed ./scripts/zero.json\n");
  const { out } = check(["scripts/run.sh", "--json"], here);
  const { diagnostics } = JSON.parse(out) as { diagnostics: { severity: string; file: string }[] };
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map(({ file }) => file)).toEqual(["scripts/zero.json"]);
});

it("looks at a checkpoint that lies beside the script", () => {
  const files = ["ds.json", "run.sh", "hosts"];
  expect(check([...files, "--format", "github"], join(failures, "mc-041")).out).toMatch(
    /^::error file=run\.sh,line=3[^\n]*8 data-parallel ranks/m,
  );
});

it("runs nothing of what it reads", () => {
  const trap = join(folder, "trap");
  writeFileSync(
    join(folder, "evil.sh"),
    `#!/bin/bash\ntouch ${trap}\nA=$(touch ${trap})\nB=\`touch ${trap}\`\neval "touch ${trap}"\ntorchrun $A $B train.py\n`,
  );
  check(["evil.sh"], folder);
  expect(spawnSync("ls", [trap]).status).not.toBe(0);
});

it("says where bash ends a command other than its writer meant, and leaves 1", () => {
  writeFileSync(
    join(folder, "cut.sh"),
    "torchrun --nproc_per_node=8 \\ \n  train.py --bf16 \\\n  # --tf32 \\\n  --output_dir o\n",
  );
  const { code, err } = check(["cut.sh"], folder);
  expect(code).toBe(1);
  expect(err).toContain("after the backslash ends the command");
  expect(err).toContain("the comment above ends the command");
});

it("leaves 2 where an option says nothing", () => {
  writeFileSync(join(folder, "run.sh"), "torchrun --nproc_per_node 8 train.py --output_dir o --bf16\n");
  writeFileSync(join(folder, "ds.json"), '{ "train_batch_size": 8, "zero_optimization": { "stage": 2 } }');
  expect(check(["run.sh", "--gpu", "banana"], folder)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--gpu banana: no such GPU is known; known are .*h100_sxm/),
  });
  expect(check([".", "--gpu", "h101"], folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining("h101"),
  });
  expect(check(["run.sh", "--model", "ds.json"], folder)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--model ds\.json: it is .*DeepSpeed.*, not a model's config\.json/),
  });
});
