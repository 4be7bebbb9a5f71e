import type { BlockKind, Property, Type } from "../../dsl/kind.ts";
import {
  block,
  bool,
  choice,
  enumeration,
  handle,
  list,
  noneType,
  path,
  quantity,
  string,
  union,
} from "../../dsl/types/type.ts";

import { cron } from "./cron.ts";
import { timeLimit } from "./limits.ts";

const branch: Property = { type: string, doc: "the branch", default: '"main"' };
const paths: Property = { type: list(path), doc: "only if one of these files changes: globs" };

const events = { push: "merge", pull_request: "change", pull_requests: "change", schedule: "cron", tag: "release" };

const trigger = choice(
  "trigger",
  {
    change: { doc: "a pull request is opened or changes", parameters: { paths } },
    merge: { doc: "a change is merged", parameters: { branch, paths } },
    cron: {
      doc: "by the clock, in UTC",
      parameters: { at: { type: cron, doc: "minute, hour, day, month, weekday: `0 2 * * *`", required: true } },
      positional: ["at"],
    },
    manual: {
      doc: "it is started by hand",
      parameters: { choose: { type: list(string), doc: "names of jobs to choose from" } },
    },
    release: { doc: "a version is tagged", parameters: {} },
  },
  { ...events, workflow_dispatch: "manual" },
);

/** `"0 2 * * *"` is when `cron` runs. */
const triggers: Type = {
  ...trigger,
  ofText: (text) => (/^[\d*/,-]+(?: [\w*/,-]+){4}$/.test(text) ? `cron("${text}")` : null),
};

const artifacts: BlockKind = {
  name: "artifacts",
  doc: "Outputs of jobs for people to look at",
  properties: {
    keep: { type: quantity([{ second: 1 }], { min: 0 }), doc: "how long", default: "7 d" },
  },
};

/** Kinds whose steps may be jobs of a workflow. */
const steps = [
  "job",
  "build",
  "image",
  "data",
  "tokenizer",
  "stage",
  "eval",
  "sample",
  "export",
  "repeat",
  "sweep",
  "service",
];

export const workflow: BlockKind = {
  name: "workflow",
  also: ["pipeline", "dag"],
  doc: "Steps that run together, on a trigger or when it is named, in the order of references and `after`",
  step: true,
  runs: false,
  properties: {
    jobs: {
      type: list(union(block(...steps), handle(["image"], ["digest", "findings"]))),
      doc: "its steps, which run with everything they need; independent steps run at the same time",
      required: true,
    },
    target: {
      type: union(noneType, enumeration("host of workflows", ["github"])),
      doc: "the system that watches for its triggers; none by default: `cdrc run FILE NAME`",
    },
    trigger: { type: list(triggers), doc: "triggers that start it automatically" },
    fail_fast: { type: bool, doc: "whether the first failure stops the others", default: "true" },
    supersede: { type: bool, doc: "whether a newer change stops an older run", default: "false" },
    cache: { type: list(path), doc: "folders that are kept between runs: downloads, tokens, kernels, wheels" },
    report: {
      type: list(enumeration("report", ["summary", "sarif", "issue"])),
      doc: "reports: a summary, code-scanning alerts, an issue",
      default: "[summary]",
    },
    time: timeLimit("time limit of the whole workflow"),
  },
  blocks: { artifacts },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
  foreign: {
    on: { instead: "write `trigger`", rewrite: (v) => `trigger = ${v}` },
    schedule: { instead: 'write `trigger = cron("0 2 * * *")`', rewrite: (v) => `trigger = cron(${v})` },
    concurrency: { instead: "write `supersede = true`" },
    steps: { instead: "write `jobs`", rewrite: (v) => `jobs = ${v}` },
    needs: { instead: "references and `after` are the order of steps" },
    retries: {
      instead: "`cdrc run` runs failed steps again and keeps finished ones",
    },
    on_failure: {
      instead: "write `fail_fast = false` to continue after a failure, and `report` for reports",
    },
    timeout: { instead: "write `time <= 15 min`" },
    runs_on: { instead: "where it runs is set in the header: `workflow w on runner { … }`" },
  },
};
