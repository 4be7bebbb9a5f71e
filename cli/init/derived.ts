/** What follows from the answers: a batch that every rank has an equal part of, evaluations that come before the end, drafts within the context, a model's weights. */
import { inTable } from "../../dsl/in-table.ts";
import { repositories, type InitTemplate } from "./templates.ts";

const scales: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

export function derived(
  template: InitTemplate,
  answers: Readonly<Record<string, string>>,
): Readonly<Record<"batch" | "every" | "drafted" | "weights", string>> {
  const ranks = template.ranks(answers);
  const batch = ranks * Math.max(1, Math.round(template.batch / ranks));
  const context = Number(answers["context"] ?? NaN);
  const steps = stepsOf(answers["length"] ?? "", batch, context);
  const every = steps >= 2 * template.every ? template.every : Math.max(1, Math.floor(steps / 4));
  const drafted = context < 200 ? Math.ceil(context / 2) : 100;
  return {
    batch: `${batch}`,
    every: `${every}`,
    drafted: `${drafted}`,
    weights: inTable(repositories, answers["base"] ?? "") ?? "",
  };
}

function stepsOf(length: string, batch: number, context: number): number {
  const [, digits = "", scale = "", unit] = /^([\d_.]+)([KMBT]?) (\w+)$/.exec(length) ?? [];
  const amount = Number(digits.replaceAll("_", "")) * (scales[scale] ?? 1);
  return unit === "steps" ? amount : Math.ceil(amount / (unit === "samples" ? batch : batch * context));
}
