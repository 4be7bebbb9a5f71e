/** Workflows: the longest chain of what they run, against the time they are given. Repetitions: whether they can succeed. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { number, showNumber } from "../../../dsl/types/value.ts";
import { repeatDeterminism, workflowTime } from "../../diagnostics/operations.ts";
import type { Bound } from "../../pipeline.ts";
import { blockAt, choiceAt, settingsOf, textAt, valued } from "../resolve/read.ts";
import { needsOf } from "./references.ts";
import { ofTriggers } from "./triggers.ts";

export function workflows(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) =>
    block.kind.name === "workflow"
      ? [...inTime(block), ...ofTriggers(block)]
      : block.kind.name === "repeat"
        ? canRepeat(block)
        : [],
  );
}

interface Chain {
  readonly seconds: number;
  readonly steps: readonly { readonly name: string; readonly seconds: number }[];
}

function inTime(workflow: Instance): Diagnostic[] {
  const bound = timeOf(workflow);
  if (bound === null) return [];
  const jobs = needsOf(workflow).filter((block) => block.kind.step === true);
  const longest = longestOf(jobs.map((job) => chainTo(job, new Set())));
  if (longest.seconds <= bound.max) return [];
  const slots = {
    chain: longest.steps.map((step) => `${step.name} ${time(step.seconds)}`).join(", then "),
    sum: time(longest.seconds),
    bound: time(bound.max),
  };
  return [workflowTime(bound.span, slots)];
}

/** The longest way to the end of a step; what says no time takes none. */
function chainTo(step: Instance, above: ReadonlySet<Instance>): Chain {
  if (above.has(step)) return { seconds: 0, steps: [] };
  const before = needsOf(step).map((block) => chainTo(block, new Set([...above, step])));
  const longest = longestOf(before);
  const seconds = step.kind.step === true ? (timeOf(step)?.max ?? 0) : 0;
  if (seconds === 0) return longest;
  return { seconds: longest.seconds + seconds, steps: [...longest.steps, { name: step.name ?? "", seconds }] };
}

const longestOf = (chains: readonly Chain[]): Chain =>
  chains.reduce((best, chain) => (chain.seconds > best.seconds ? chain : best), { seconds: 0, steps: [] });

/** `time <= 15 min`, or `time = 15 min`. */
function timeOf(block: Instance): { readonly max: number; readonly span: Bound["spans"][number] } | null {
  if (!("time" in block.kind.properties)) return null;
  const { given, bounds } = settingsOf(block, ["time"]);
  const bound = bounds.get("time");
  const [span] = bound?.spans ?? [];
  if (bound?.max != null && span !== undefined) return { max: bound.max, span };
  const written = given.get("time");
  return typeof written?.value === "number" ? { max: written.value, span: written.span } : null;
}

const time = (seconds: number): string => showNumber(number(seconds, { second: 1 }));

/** Runs that may differ in their last bits are not equal byte by byte. */
function canRepeat(repeat: Instance): Diagnostic[] {
  const stage = blockAt(repeat, "stage");
  if (stage === null || choiceAt(repeat, "equal")?.name !== "bitwise") return [];
  if (textAt(stage, "determinism") === "bitwise") return [];
  const related = [{ message: "the stage", span: stage.span }];
  return [repeatDeterminism(valued(repeat, "stage").span, { stage: stage.name ?? "" }, { related })];
}
