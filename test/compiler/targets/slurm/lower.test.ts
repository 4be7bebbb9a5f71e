import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { directivesOf } from "../../../../compiler/targets/slurm/directives.ts";
import { lowerSlurm } from "../../../../compiler/targets/slurm/lower.ts";
import { slurmTime } from "../../../../compiler/targets/slurm/time.ts";
import { exampleJob, slurmOptions } from "../../../support/slurm-job.ts";

const env = { NCCL_DEBUG: "WARN", GREETING: "it's $(date); `id`\nok", HF_TOKEN: { secret: "HF_TOKEN" } };

function twoNodes() {
  const job = exampleJob();
  const options = slurmOptions({
    partition: "gpu",
    account: "lm",
    memory: 0,
    exclusive: true,
    cpus: 64,
    raw: { mail_type: "FAIL,TIME_LIMIT", comment: "first try", hold: true, overcommit: false },
  });
  const { files, words } = lowerSlurm({ ...job, launch: { ...job.launch, env } }, options);
  return { script: files[0]?.text ?? "", node: files[1]?.text ?? "", words };
}

test("two nodes of eight GPUs", async () => {
  const { script, node, words } = twoNodes();
  await expect(script).toMatchFileSnapshot("expected/two-nodes.sbatch");
  await expect(node).toMatchFileSnapshot("expected/two-nodes-node.sh");
  expect(words).toEqual(["--comment=first try", "/project/runs/pretrain/4fd1c0de/slurm/a0.sbatch"]);
});

test.each(["script", "node"] as const)("shells find nothing wrong with the %s", (which) => {
  const input = twoNodes()[which];
  expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" }).stderr).toBe("");
  const check = spawnSync("shellcheck", ["--severity=warning", "-"], { input, encoding: "utf8" });
  if (check.error === undefined) expect(check.stdout).toBe("");
});

const valueOf = (name: string, ...[job, options]: Parameters<typeof directivesOf>) =>
  directivesOf(job, options).find((directive) => directive.name === name)?.value;

test("a step on the CPU asks for no GPUs, whatever the site calls them", () => {
  const names = directivesOf(exampleJob({}, { device: "cpu" }), slurmOptions({ raw: { gres: "gpu:h100:8" } })).map(
    ({ name }) => name,
  );
  expect(names).not.toContain("gpus-per-node");
  expect(names).not.toContain("gres");
});

test("a site's own name for its GPUs stands for the derived one", () => {
  const options = slurmOptions({ raw: { gres: "gpu:h100:8" } });
  expect(valueOf("gpus-per-node", exampleJob(), options)).toBeUndefined();
  expect(valueOf("gres", exampleJob(), options)).toBe("gpu:h100:8");
  expect(valueOf("gpus-per-node", exampleJob(), slurmOptions({ raw: { gres: "nvme:1" } }))).toBe("8");
});

test("requeueing is always said, one way or the other", () => {
  expect(valueOf("requeue", exampleJob(), slurmOptions({ requeue: true }))).toBeNull();
  expect(valueOf("no-requeue", exampleJob(), slurmOptions({ requeue: false }))).toBeNull();
});

test("memory is rounded up to what Slurm counts in", () => {
  expect(valueOf("mem", exampleJob(), slurmOptions({ memory: 2 ** 20 + 1 }))).toBe("2M");
  expect(valueOf("mem", exampleJob(), slurmOptions({ memory: null }))).toBeUndefined();
});

test("a percent sign in a path is no pattern", () => {
  expect(valueOf("output", exampleJob({ directory: "/r/100%j" }), slurmOptions())).toBe("/r/100%%j/slurm/a0.log");
});

test.each([
  [1, "0-00:00:01"],
  [36 * 3600, "1-12:00:00"],
  [90_061, "1-01:01:01"],
  [1e7, "115-17:46:40"],
])("%d seconds are %s", (seconds, text) => {
  expect(slurmTime(seconds)).toBe(text);
});

test("no secret is read, only named", () => {
  process.env["CDR_TEST_SECRET"] = "hunter2";
  const job = exampleJob();
  const launch = { ...job.launch, env: { TOKEN: { secret: "CDR_TEST_SECRET" } } };
  const { files, words } = lowerSlurm({ ...job, launch }, slurmOptions());
  delete process.env["CDR_TEST_SECRET"];
  expect(JSON.stringify({ files, words })).not.toContain("hunter2");
  expect(files[0]?.text).toContain("#SBATCH --export=HOME,PATH,CDR_HOME,CDR_PYTHON,CDR_TEST_SECRET # from env\n");
});
