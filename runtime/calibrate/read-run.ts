/** A finished run as what can be learned from it, or why nothing can. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TrainConfig } from "../../compiler/bundle/programs.ts";
import { measuredOf, observationOf, type Observation } from "../../compiler/calibrate/observation.ts";
import type { ClusterSpec } from "../../compiler/pipeline.ts";
import type { Plan } from "../../compiler/plan.ts";
import { specOf } from "../state/record.ts";
import { snapshotOf } from "../watch/snapshot.ts";

export type ReadRun =
  | { readonly kind: "read"; readonly observation: Observation; readonly cluster: ClusterSpec }
  | { readonly kind: "useless"; readonly why: string };

const useless = (why: string): ReadRun => ({ kind: "useless", why });

export async function readRun(directory: string): Promise<ReadRun> {
  const snapshot = await snapshotOf(directory);
  if (snapshot === null) return useless("it holds no run");
  const { record, progress } = snapshot;
  const { name, kind } = record.step;
  if (kind !== "stage") return useless(`it is a step of kind ${kind}, and only stages train`);
  const plan = documentAt<Plan>(join(directory, "bundle", "plan.json"));
  const config = documentAt<TrainConfig>(join(directory, "bundle", record.step.config));
  const stage = plan?.stages.find((one) => one.name === name);
  if (stage === undefined || config === null) return useless("the copy of its bundle has no plan of it");
  const measured = measuredOf(
    progress.train.filter((row) => row.attempt === snapshot.attempt),
    stage.batch.tokens_per_step,
    stage.layout.world === 1,
  );
  if (measured === null) return useless("fewer than three steps of it were logged, and the first two only warm up");
  const { cluster } = specOf(directory, record).launch;
  return { kind: "read", observation: observationOf(stage, config, cluster, measured), cluster };
}

function documentAt<T>(path: string): T | null {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch {
    return null;
  }
}
