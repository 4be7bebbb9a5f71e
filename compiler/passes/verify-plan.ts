/** What stages say that their plans belie: budgets, disks, speeds that no device has. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { expectationsIn } from "../../dsl/eval/formulas/expectation.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { costUnknown } from "../diagnostics/budgets.ts";
import { checkpointDisk, expectImpossible } from "../diagnostics/course.ts";
import type { ClusterSpec, Pipeline, StageStep } from "../pipeline.ts";
import type { Plan, StagePlan } from "../plan.ts";
import { bytes } from "../planner/describe.ts";
import { priceOf } from "../planner/run/price.ts";
import { fitOf } from "../planner/search/evaluate.ts";
import { periodSteps } from "../planner/schedule.ts";
import { byName } from "./by-name.ts";
import { comparison } from "./resolve/comparison.ts";
import { textIn } from "./resolve/expectations.ts";
import { group, settingsOf, textAt } from "./resolve/read.ts";
import { limitOf, spoken, verifyBudgets } from "./verify-budgets.ts";
import { verifyFailures } from "./verify-failures.ts";
import { endless } from "./verify-length.ts";
import { frozen, verifyJob } from "./verify-seldom.ts";
import { missesBudget } from "./size/misses-budget.ts";
import { missesLength } from "./size/misses-length.ts";

export function verifyPlan(program: Program, pipeline: Pipeline, plan: Plan): readonly Diagnostic[] {
  const { cluster } = pipeline.launch;
  const sweeps = program.blocks.filter((b) => b.kind.name === "sweep" && !b.abstract && isPresent(b));
  const stages = pipeline.steps.filter((step) => step.kind === "stage");
  const limits = [...sweeps.map((sweep) => settingsOf(sweep, ["cost"])), ...stages.map((stage) => stage.limits)];
  const unpriced = limits.flatMap((each) => priceless(each, cluster));
  const [called, blocks] = [byName(stages), byName(program.blocks.filter((b) => b.kind.name === "stage"))];
  const ofStages = plan.stages.flatMap((planned) => {
    const step = called.get(planned.name);
    const block = blocks.get(planned.name);
    if (step === undefined || block === undefined) return [];
    return [
      ...verifyBudgets(step, planned, pipeline),
      ...(step.tuning === undefined ? [] : frozen(block, step.tuning, planned)),
      ...missesBudget(step, planned, pipeline),
      ...missesLength(step, planned, pipeline),
      ...(pipeline.launch.target.kind === "local" ? [] : verifyJob(pipeline.launch, planned)),
      ...disks(block, step, planned, cluster),
      ...longRuns(block, step, planned, cluster),
      ...speeds(block, planned, cluster),
    ];
  });
  return [...ofStages, ...unpriced];
}

/** What never ends has failures too, and saving more often is no way out. */
function longRuns(block: Instance, step: StageStep, planned: StagePlan, cluster: ClusterSpec): readonly Diagnostic[] {
  // What does not start does not fail later.
  if (fitOf(planned.memory) === "no") return [];
  const told = endless(block, planned);
  return told.length > 0 ? told : verifyFailures(block, step, planned, cluster);
}

/** A bound on what a device-hour would have to be known for. */
function priceless(limits: StageStep["limits"], cluster: ClusterSpec): Diagnostic[] {
  // Without a GPU one tries whether a file runs; what it may cost is meant for where it belongs.
  if (cluster.device.kind === "cpu") return [];
  const bound = limitOf(limits, "cost");
  if (priceOf(cluster) !== null || bound === null) return [];
  return [costUnknown(bound.span, { condition: `cost <= ${spoken(bound.most, { usd: 1 })}`, cluster: cluster.name })];
}

/** Checkpoints that the one node of a run has no room for; where there are several, the disk is another's. */
function disks(block: Instance, step: StageStep, plan: StagePlan, { name, nodes, disk }: ClusterSpec): Diagnostic[] {
  const { checkpoint } = step;
  if (checkpoint === null || disk === undefined || nodes > 1) return [];
  const settings = group(block, "checkpoint");
  const isAway = settings?.values.has("to") === true && textAt(settings, "to")?.includes("://") !== false;
  if (isAway) return [];
  const period = checkpoint.every;
  const saves =
    period === null || period.unit === "seconds"
      ? 1
      : Math.ceil(plan.total.steps / periodSteps(period, plan.batch.tokens_per_step, plan.time.step));
  const kept = (checkpoint.keepLast ?? saves) + (checkpoint.keepBest === null ? 0 : 1);
  const count = Math.min(saves, kept + 1);
  const each = plan.memory.checkpoint;
  if (count * each <= disk) return [];
  const span = settings?.values.get("keep")?.nameSpan ?? settings?.span ?? block.span;
  const [whole, room] = [bytes(count * each), bytes(disk)];
  return [checkpointDisk(span, { count, each: bytes(each), whole, cluster: name, disk: room })];
}

/** A speed that would need more than the peak of every device. */
function speeds(block: Instance, { model, layout, batch }: StagePlan, { device }: ClusterSpec): Diagnostic[] {
  // Without a GPU one tries whether a file runs; how fast it must be is meant for where it belongs.
  if (device.kind === "cpu") return [];
  const peak = Math.max(device.flops.bf16, device.flops.fp16, device.flops.fp32) / model.flops_per_token.model;
  const most: Readonly<Record<string, number>> = {
    tokens_per_second: peak * layout.world,
    tokens_per_second_per_gpu: peak,
    steps_per_second: (peak * layout.world) / batch.tokens_per_step,
  };
  return expectationsIn(block).flatMap(({ node, condition }) => {
    const compared = comparison(condition);
    const limit = compared === null ? undefined : most[compared.name];
    if (compared === null || limit === undefined || !compared.op.startsWith(">") || compared.value <= limit)
      return [];
    const unit = compared.name === "steps_per_second" ? "steps/s" : "tokens/s";
    const why = `at the peak of ${device.name} it would be ${roundedDown(limit)} ${unit}`;
    return [expectImpossible(node.span, { condition: textIn(node.condition), why })];
  });
}

/** So that the figure itself would not be refused. */
function roundedDown(value: number): string {
  const by = value >= 100 ? 1 : 100;
  return (Math.floor(value * by) / by).toLocaleString("en");
}
