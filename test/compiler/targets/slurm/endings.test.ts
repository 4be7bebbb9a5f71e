import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeRun } from "../../../support/fake-slurm.ts";
import { exampleJob } from "../../../support/slurm-job.ts";

const saves = `kill -USR1 "$batch"; until [ -e "$run/control/stop" ]; do sleep 0.05; done
echo '{"code": 80, "state": "cancelled", "reason": "saved"}' >"$run/exit/a$ATTEMPT.json"; exit 80`;
const stopped = saves.replace("$ATTEMPT", "0");

describe("stopped by Slurm", () => {
  test("saves and goes back to the queue", () => {
    const { code, calls, exit } = fakeRun({ agent: stopped });
    expect(code).toBe(80);
    expect(calls).toEqual(["scancel --quiet --signal=USR1 7", "scontrol requeue 7"]);
    expect(exit).toMatchObject({ code: 80, state: "requeued" });
  });

  test("stays out of the queue where the launch says so", () => {
    const { calls, exit } = fakeRun({ agent: stopped, options: { requeue: false } });
    expect(calls).not.toContain("scontrol requeue 7");
    expect(exit).toMatchObject({ code: 80, state: "cancelled" });
  });

  test("stays out of the queue after a user asked", () => {
    const asks = (directory: string): void => {
      mkdirSync(join(directory, "control"), { recursive: true });
    };
    const agent = `: >"$run/control/no-requeue-7"; ${stopped}`;
    const { calls, exit } = fakeRun({ before: asks, agent });
    expect(calls).not.toContain("scontrol requeue 7");
    expect(exit).toMatchObject({ code: 80, state: "cancelled" });
  });

  test("gives up after three stops without a newer checkpoint", () => {
    const twice = (directory: string): void => {
      mkdirSync(join(directory, "checkpoints/step-00000010"), { recursive: true });
      mkdirSync(join(directory, "slurm"), { recursive: true });
      writeFileSync(join(directory, "slurm/requeues"), "at step-00000010\nat step-00000010\n");
    };
    const { calls, exit } = fakeRun({ before: twice, restart: 2, agent: saves.replace("$ATTEMPT", "2") });
    expect(calls).not.toContain("scontrol requeue 7");
    expect(exit).toMatchObject({ state: "failed" });
  });
});

test("a user's stop alone never requeues", () => {
  const agent = `: >"$run/control/stop"; echo '{}' >"$run/exit/a0.json"; exit 80`;
  const { code, calls } = fakeRun({ agent });
  expect(code).toBe(80);
  expect(calls).toEqual([]);
});

test.each([1, 64, 65, 69, 73, 75, 137])("code %d of the agent is the job's, and nothing is requeued", (status) => {
  const { code, calls, exit } = fakeRun({ agent: `echo 'error: no "space" \\ left' >&2; exit ${status}` });
  expect(code).toBe(status);
  expect(calls).toEqual([]);
  expect(exit).toMatchObject({
    code: status,
    state: "failed",
    reason: `node 0 (n1): no "space" \\ left`,
  });
});

test("a failure while Slurm wants it stopped is a failure", () => {
  const agent = `kill -USR1 "$batch"; until [ -e "$run/control/stop" ]; do sleep 0.05; done; exit 1`;
  const { code, calls } = fakeRun({ agent });
  expect(code).toBe(1);
  expect(calls).not.toContain("scontrol requeue 7");
});

test("ended by Slurm, the verdict is left to Slurm", () => {
  const { code, calls, exit } = fakeRun({ agent: `kill -TERM "$batch"; sleep 0.3; exit 143` });
  expect(code).toBe(143);
  expect(calls).toEqual([]);
  expect(exit).toBeNull();
});

test("a restart counts as an attempt of its own", () => {
  const { argv } = fakeRun({ restart: 3, job: { attempt: 2 } });
  expect(argv?.[argv.indexOf("--attempt") + 1]).toBe("5");
});

test("a secret that was not set is a failed preflight", () => {
  const launch = { ...exampleJob().launch, env: { TOKEN: { secret: "CDR_NOT_SET" } } };
  const { code, exit, argv } = fakeRun({ job: { launch } });
  expect(code).toBe(69);
  expect(argv).toBeNull();
  expect(exit).toMatchObject({ code: 69, state: "failed" });
});

test("stopped before a restart began, it ends", () => {
  const asked = (directory: string): void => {
    mkdirSync(join(directory, "control"), { recursive: true });
    writeFileSync(join(directory, "control/no-requeue-7"), "");
  };
  const { code, argv, exit } = fakeRun({ before: asked, restart: 1 });
  expect(code).toBe(80);
  expect(argv).toBeNull();
  expect(exit).toMatchObject({ state: "cancelled" });
});
