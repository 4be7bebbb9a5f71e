/** What `size = auto(…)` asks for: a count, or a budget that decides one. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import { sizeBudget, sizeTwice } from "../../diagnostics/size.ts";
import { families } from "../../models/index.ts";
import type { Budget, ClusterSpec, FamilyName, ModelRequest } from "../../pipeline.ts";
import {
  optimalRatio,
  parametersForCompute,
  parametersForLength,
  parametersForTokens,
  usualUse,
} from "../size/budget.ts";
import { count } from "../size/count.ts";
import { most } from "../size/most.ts";
import type { Spent } from "../size/planned-use.ts";
import { clusterSpec } from "./cluster-spec.ts";
import { argument, choiceAt, numberOf, valued } from "./read.ts";

/** Each of them decides the size. */
const goals = ["total", "active", "tokens", "compute", "gpu_hours", "cost", "time"] as const;

const budgets = ["tokens", "compute", "gpu_hours", "cost", "time", "ratio", "use"] as const;

export interface Reached extends Pick<Budget, "unread" | "isFull" | "isShort"> {
  readonly use: number;
  /** What the stage trains on, where that decides the size. */
  readonly tokens: number | null;
}

/** `reached`: what the devices reach of their peak while they train what is paid for. */
export function sizeOf(
  block: Instance,
  family: FamilyName,
  reached: (spent: Spent, cluster: ClusterSpec) => Reached | null = () => null,
): ModelRequest["size"] {
  const size = choiceAt(block, "size");
  if (size === null || sizeProblem(block, family) !== null) return null;
  const span = valued(block, "size").span;
  const said = size.arguments.get("within");
  const within = numberOf(said?.value) ?? 0.01;
  const [total, active] = [numberOf(argument(size, "total")), numberOf(argument(size, "active"))];
  if (active !== null) return { which: "active", target: active, ...(total === null ? {} : { total }), within, span };
  if (total !== null) return { which: "total", target: total, within, span };
  // Of a mixture the law speaks of what a token passes through.
  const which = hasExperts(family) ? "active" : "total";
  // Hours go with the square of the count, and what is the nearest to a budget lies between two shapes.
  const near = said?.origin.kind === "default" ? within / 4 : within;
  const budget = budgetOf(size, (spent, cluster) => reached({ ...spent, which, within: near }, cluster));
  if (budget === null || typeof budget === "string") return null;
  return { ...budget, which, within: budget.budget === undefined ? within : near, span };
}

const hasExperts = (family: FamilyName): boolean => families[family].defaults["moe.experts"] !== undefined;

const clusterOf = (size: ChoiceValue): ClusterSpec | null => {
  const value = argument(size, "on");
  return value?.kind === "block" ? clusterSpec(value.block) : null;
};

interface Decided extends Pick<NonNullable<ModelRequest["size"]>, "budget" | "counted"> {
  readonly target: number;
  readonly rule: string;
}

/** The count that a budget decides, with the rule; what is missing, in words; `null` where there is none. */
function budgetOf(
  size: ChoiceValue,
  reached: (spent: Omit<Spent, "which" | "within">, cluster: ClusterSpec) => Reached | null = () => null,
): Decided | string | null {
  const nothing = budgets.find((name) => (numberOf(argument(size, name)) ?? 1) <= 0);
  if (nothing !== undefined) return `\`${nothing}\` is 0: a budget must be more than that`;
  const written = numberOf(argument(size, "ratio"));
  const ratio = written ?? optimalRatio;
  const law = `${ratio} tokens per parameter (Hoffmann et al., arXiv 2203.15556)`;
  const tokens = numberOf(argument(size, "tokens"));
  const counted = (name: string, amount: number): Pick<Decided, "counted"> => {
    const span = size.arguments.get(name)?.span;
    return span === undefined ? {} : { counted: { tokens: amount, ratio, span } };
  };
  if (tokens !== null) {
    const target = Math.round(parametersForTokens(tokens, ratio));
    return within("tokens", { target, rule: law, ...counted("tokens", tokens) });
  }
  const flops = numberOf(argument(size, "compute"));
  const computed = (budget: number, text: string) => ({
    target: Math.round(parametersForCompute(budget, ratio)),
    rule: `${law}; ${text}${budget.toPrecision(3)} FLOPs = 6 * parameters * tokens (Kaplan et al., arXiv 2001.08361)`,
  });
  if (flops !== null) {
    const decided = computed(flops, "");
    return within("compute", { ...decided, ...counted("compute", ratio * decided.target) });
  }
  const goal = (["gpu_hours", "cost", "time"] as const).find((name) => numberOf(argument(size, name)) !== null);
  if (goal === undefined) return null;
  const cluster = clusterOf(size);
  if (cluster === null) return `\`${goal}\` needs the cluster of the training: \`on = CLUSTER\``;
  const amount = numberOf(argument(size, goal)) ?? 0;
  if (goal === "cost" && cluster.price === null) return `\`cost\` needs a price: cluster ${cluster.name} has none`;
  const devices = cluster.nodes * cluster.gpusPerNode;
  const seconds =
    goal === "gpu_hours" ? amount : goal === "time" ? amount * devices : (amount / (cluster.price ?? 1)) * 3600;
  const peak = cluster.device.flops.bf16 || cluster.device.flops.fp32;
  if (!Number.isFinite(seconds * peak))
    return `\`${goal}\` is no limit: at the price of cluster ${cluster.name} it pays for an unlimited amount of work`;
  const share = numberOf(argument(size, "use"));
  const planned = reached({ flops: seconds * peak, peak, ratio: written, use: share }, cluster);
  const use = share ?? planned?.use ?? usualUse;
  const by = share !== null ? "file" : planned !== null ? "plan" : "nobody";
  const source = by === "plan" ? ", which the plan of its stage reaches over the whole run," : "";
  const text = `${(seconds / 3600).toPrecision(4)} device-hours at ${(100 * use).toPrecision(3)} % of ${(peak / 1e12).toPrecision(4)} TFLOPS${source} are `;
  const length = planned?.tokens ?? null;
  const decided =
    length === null ? computed(seconds * peak * use, text) : trainedOn(length, seconds * peak * use, text);
  return {
    ...decided,
    budget: {
      goal,
      amount,
      on: cluster.name,
      ratio: length === null ? ratio : length / decided.target,
      isRatioLeft: length !== null,
      use,
      by,
      unread: planned?.unread ?? [],
      isFull: planned?.isFull ?? false,
      isShort: planned?.isShort ?? false,
    },
  };
}

/** A stage that says how long it trains leaves the budget nothing but the parameters. */
const trainedOn = (tokens: number, flops: number, text: string): { target: number; rule: string } => ({
  target: Math.max(1, Math.round(parametersForLength(flops, tokens))),
  rule: `${count(tokens)} tokens, the \`length\` of its stage; ${text}${flops.toPrecision(3)} FLOPs = 6 * parameters * tokens (Kaplan et al., arXiv 2001.08361)`,
});

/** Budgets of tokens or operations may ask for more than anything holds; those of hours and dollars get what their devices hold. */
const within = <T extends { readonly target: number }>(name: string, asked: T): T | string =>
  asked.target <= most.parameters
    ? asked
    : `\`${name}\` leads to ${count(asked.target)} parameters, but the sizer supports at most ${count(most.parameters)}`;

/** Why `auto(…)` says two sizes, or a budget that nothing spends. */
export function sizeProblem(block: Instance, family: FamilyName): Diagnostic | null {
  const size = choiceAt(block, "size");
  if (size === null || size.name !== "auto") return null;
  const said = goals.filter((name) => numberOf(argument(size, name)) !== null);
  const [first, second] = said;
  const span = valued(block, "size").span;
  if (
    first !== undefined &&
    second !== undefined &&
    !(said.length === 2 && first === "total" && second === "active" && hasExperts(family))
  ) {
    const related = [{ message: "the other one", span: size.arguments.get(first)?.span ?? span }];
    const isCounts = first === "total" && second === "active" && !hasExperts(family);
    const slots = { first, second, ...(isCounts ? { dense: family } : {}) };
    return sizeTwice(size.arguments.get(second)?.span ?? span, slots, { related });
  }
  const budget = budgetOf(size);
  return typeof budget === "string" ? sizeBudget(span, { missing: budget }) : null;
}
