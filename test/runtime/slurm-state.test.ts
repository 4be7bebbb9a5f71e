import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conclude } from "../../runtime/submit/slurm/conclude.ts";
import { submitEnvironment } from "../../runtime/submit/slurm/environment.ts";
import { pendingReason } from "../../runtime/submit/slurm/pending.ts";
import { pollerOf } from "../../runtime/submit/slurm/poll.ts";
import { parseSacct } from "../../runtime/submit/slurm/sacct.ts";
import { parseSqueue } from "../../runtime/submit/slurm/squeue.ts";
import { observe, type JobReport } from "../../runtime/submit/slurm/states.ts";
import { wordsOf } from "../../runtime/submit/slurm/refused.ts";
import { handleOf } from "../../runtime/submit/slurm/submit.ts";
import { here, type Answer, type Transport } from "../../runtime/submit/slurm/transport.ts";
import type { Handle } from "../../runtime/target.ts";

const report = (state: string, more: Partial<JobReport> = {}): JobReport => ({
  job: "7",
  state,
  restarts: 0,
  reason: "None",
  exit: null,
  nodes: "",
  ...more,
});

describe("states", () => {
  test.each([
    ["PENDING", "queued"],
    ["CONFIGURING", "starting"],
    ["RUNNING", "running"],
    ["COMPLETING", "running"],
    ["SUSPENDED", "running"],
    ["STOPPED", "running"],
    ["SIGNALING", "running"],
    ["RESIZING", "running"],
    ["STAGE_OUT", "running"],
    ["REQUEUED", "requeued"],
    ["REQUEUE_HOLD", "requeued"],
    ["REQUEUE_FED", "requeued"],
    ["SPECIAL_EXIT", "requeued"],
    ["RESV_DEL_HOLD", "queued"],
    ["COMPLETED", "done"],
    ["CANCELLED", "cancelled"],
    ["CANCELLED by 1001", "cancelled"],
    ["FAILED", "failed"],
    ["TIMEOUT", "failed"],
    ["DEADLINE", "failed"],
    ["PREEMPTED", "failed"],
    ["NODE_FAIL", "failed"],
    ["BOOT_FAIL", "failed"],
    ["OUT_OF_MEMORY", "failed"],
    ["REVOKED", "lost"],
    ["RUNNING,COMPLETING", "running"],
    ["completed", "done"],
  ])("%s is %s", (word, state) => {
    expect(observe(report(word)).state).toBe(state);
  });

  test("a job that waits after a restart was requeued", () => {
    expect(observe(report("PENDING", { restarts: 1, reason: "BeginTime" }))).toMatchObject({
      state: "requeued",
      raw: "PENDING (BeginTime) restart 1",
    });
  });

  test("code 80 is a stop that somebody asked for", () => {
    const seen = observe(report("FAILED", { exit: { code: 80, signal: 0 }, reason: "NonZeroExitCode" }));
    expect(seen).toMatchObject({ state: "cancelled", reason: expect.stringContaining("saved") });
  });

  test("a job whose predecessor failed says so", () => {
    const seen = observe(report("CANCELLED", { reason: "DependencyNeverSatisfied" }));
    expect(seen).toMatchObject({ state: "cancelled", reason: "an earlier step failed" });
  });

  test("no state and no reason makes it throw", () => {
    const anything = fc.record({
      job: fc.string(),
      state: fc.string(),
      restarts: fc.nat(),
      reason: fc.string(),
      exit: fc.option(fc.record({ code: fc.nat(), signal: fc.nat() })),
      nodes: fc.string(),
    });
    fc.assert(
      fc.property(anything, (given) => observe(given).state !== "done" || /^\W*completed/i.test(given.state)),
    );
    expect(observe(report("BRAND_NEW"))).toMatchObject({ state: "running", raw: "BRAND_NEW" });
  });
});

describe("reasons", () => {
  test.each([
    "Priority",
    "Resources",
    "QOSMaxJobsPerUserLimit",
    "AssocGrpCpuLimit",
    "ReqNodeNotAvail, UnavailableNodes:n1",
    "JobHeldUser",
  ])("%s is a sentence", (word) => {
    expect(pendingReason(word)).not.toContain(word);
    expect(pendingReason(`(${word})`)).toBe(pendingReason(word));
  });

  test("another one keeps Slurm's word, and none is none", () => {
    expect(pendingReason("BurstBufferResources")).toBe("Slurm's reason: BurstBufferResources");
    expect(pendingReason("None")).toBe("");
  });
});

describe("parsers", () => {
  const cell = fc.stringMatching(/^[A-Za-z0-9_[\],: -]{0,12}$/).map((text) => text.trim());

  test("squeue: what is printed is read back", () => {
    const row = fc.record({
      job: fc.nat().map(String),
      state: fc.constantFrom("RUNNING", "PENDING", "OUT_OF_MEMORY"),
      restarts: fc.nat({ max: 99 }),
      exit: fc.record({ code: fc.nat({ max: 255 }), signal: fc.nat({ max: 126 }) }),
      nodes: cell,
      reason: cell,
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const lines = rows.map((r) =>
          [r.job, r.state, r.restarts, r.exit.code * 256 + r.exit.signal, r.nodes, r.reason, ""].join("|"),
        );
        expect(parseSqueue(`${lines.join("\n")}\n`)).toEqual(rows);
      }),
    );
  });

  test("any text is read without a throw", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseSqueue(text);
        parseSacct(text);
        handleOf(text);
        wordsOf(text);
      }),
    );
  });

  test("sacct as it is printed", () => {
    const text =
      "12|CANCELLED by 0|0:15|n[1-2]|None\n13|FAILED|80:0|None assigned|NonZeroExitCode\n13.batch|FAILED|80:0|n1|\n";
    expect(parseSacct(text)).toEqual([
      report("CANCELLED by 0", { job: "12", exit: { code: 0, signal: 15 }, nodes: "n[1-2]" }),
      report("FAILED", { job: "13", exit: { code: 80, signal: 0 }, reason: "NonZeroExitCode" }),
    ]);
  });

  test.each([
    ["12\n", { target: "slurm", job: "12", cluster: null }],
    ["12;alpha\n", { target: "slurm", job: "12", cluster: "alpha" }],
    ["Welcome to our site\n12\n", { target: "slurm", job: "12", cluster: null }],
    ["", null],
    ["Submitted batch job 12", null],
  ])("%j of sbatch", (text, handle) => {
    expect(handleOf(text)).toEqual(handle);
  });

  test.each([
    [
      "sbatch: error: invalid partition specified: x\nsbatch: error: Batch job submission failed: Invalid partition\n",
      "invalid partition specified: x",
    ],
    [
      "sbatch: error: Batch job submission failed: Requested node configuration is not available\n",
      "Batch job submission failed: Requested node configuration is not available",
    ],
    ["sbatch: unrecognized option '--x'\nTry \"sbatch --help\" for more information\n", "unrecognized option '--x'"],
  ])("a refusal is said in sbatch's words: %j", (stderr, words) => {
    expect(wordsOf(stderr)).toBe(words);
  });
});

describe("with the result of the agent", () => {
  const seen = (state: string, more: Partial<JobReport> = {}) => observe(report(state, more));

  test.each([
    ["a result counts when Slurm is done", seen("FAILED"), exit(65, "failed"), "failed", "code 65"],
    ["what is done is done", seen("RUNNING"), exit(0, "done"), "done", "code 0"],
    ["a result of an earlier start", seen("PENDING", { restarts: 1 }), exit(1, "failed"), "requeued", ""],
    ["cancelled while it waited again", seen("CANCELLED"), exit(80, "requeued"), "cancelled", "it was cancelled"],
    ["the time limit", seen("TIMEOUT"), exit(1, "failed"), "failed", "it reached its time limit; code 1"],
    ["no result", seen("OUT_OF_MEMORY"), null, "failed", "it used more host memory than it asked for"],
    ["forgotten", { state: "lost", reason: "gone", raw: "no job 7" }, exit(80, "cancelled"), "cancelled", "code 80"],
  ] as const)("%s", (_, observation, result, state, reason) => {
    expect(conclude(observation, result)).toMatchObject({ state, reason });
  });

  test("a start that ended may be followed by another", () => {
    expect(conclude(seen("RUNNING"), exit(80, "cancelled"))).toBeNull();
    expect(conclude(seen("COMPLETING"), exit(1, "failed"))).toBeNull();
  });

  test("without a result nothing is done", () => {
    expect(conclude(seen("COMPLETED"), null)).toMatchObject({ state: "lost" });
  });
});

test("variables of sbatch and of an outer job do not reach the submission", () => {
  const given = {
    SBATCH_ARRAY_INX: "1-9",
    SBATCH_PARTITION: "a",
    SBATCH_ACCOUNT: "b",
    SLURM_JOB_ID: "1",
    SLURM_CONF: "c",
    HOME: "/h",
  };
  expect(submitEnvironment(given, new Set(["partition"]))).toEqual({
    SBATCH_ACCOUNT: "b",
    SLURM_CONF: "c",
    HOME: "/h",
  });
});

describe("polling", () => {
  const handles = ["1", "2"].map((job): Handle => ({ target: "slurm", job, cluster: null }));

  function scripted(answers: Readonly<Record<string, Partial<Answer>>>) {
    const calls: string[][] = [];
    const transport: Transport = {
      ...here,
      run: (words) => {
        calls.push([...words]);
        return Promise.resolve({ code: 0, stdout: "", stderr: "", ...answers[words[0] ?? ""] });
      },
    };
    return { calls, transport };
  }

  test("asks once for all, and once more for those that are gone", async () => {
    const squeue = { stdout: "1|RUNNING|0|0|n1|None|\n" };
    const sacct = { stdout: "2|COMPLETED|0:0|n1|None\n" };
    const { calls, transport } = scripted({ squeue, sacct });
    const seen = await pollerOf(transport)(handles);
    expect(handles.map((handle) => seen.get(handle)?.state)).toEqual(["running", "done"]);
    expect(calls.map(([program]) => program)).toEqual(["squeue", "sacct"]);
  });

  test("learns once that a site keeps no accounts", async () => {
    const squeue = { code: 1, stderr: "slurm_load_jobs error: Invalid job id specified" };
    const sacct = { code: 1, stderr: "Slurm accounting storage is disabled" };
    const { calls, transport } = scripted({ squeue, sacct });
    const poll = pollerOf(transport);
    expect((await poll(handles)).get(handles[0] ?? never())?.state).toBe("lost");
    await poll(handles);
    expect(calls.map(([program]) => program)).toEqual(["squeue", "sacct", "squeue"]);
  });

  test("a controller that is away ends no run, and is asked less and less", async () => {
    const { calls, transport } = scripted({ squeue: { code: 1, stderr: "Unable to contact slurm controller" } });
    let now = 0;
    const poll = pollerOf(transport, () => now);
    for (; now < 60_000; now += 1000) {
      expect((await poll(handles)).get(handles[1] ?? never())?.state).toBe("running");
    }
    expect(calls.length).toBe(4);
  });
});

function exit(code: number, state: "done" | "failed" | "cancelled" | "requeued") {
  return { code, state, reason: `code ${code}`, failure: null };
}

function never(): never {
  throw new Error("no handle");
}
