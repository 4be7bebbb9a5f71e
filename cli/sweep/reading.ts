/** What a run measured, as `best` of a sweep asks for it. */
import type { FormulaTree } from "../../dsl/types/value.ts";
import type { Progress } from "../../runtime/watch/progress.ts";

type Rows = Progress["train"];
type Row = Rows[number];
type Take = (rows: readonly number[]) => number | undefined;

interface Source {
  readonly of: "train" | "evals";
  readonly field: keyof Row;
  readonly take: Take;
}

const last: Take = (values) => values.at(-1);
const most: Take = (values) => (values.length === 0 ? undefined : Math.max(...values));
const least: Take = (values) => (values.length === 0 ? undefined : Math.min(...values));

/** Metrics that runs write down; of one that is measured again and again, the last reading counts. */
const sources: Readonly<Record<string, Source>> = {
  loss: { of: "train", field: "loss", take: last },
  "val.loss": { of: "evals", field: "val_loss", take: last },
  "val.perplexity": { of: "evals", field: "val_perplexity", take: last },
  "best.loss": { of: "evals", field: "val_loss", take: least },
  "start.loss": { of: "train", field: "loss", take: (values) => values[0] },
  grad_norm: { of: "train", field: "grad_norm", take: last },
  lr: { of: "train", field: "lr", take: last },
  tokens_per_second: { of: "train", field: "tokens_per_second", take: last },
  "memory.peak": { of: "train", field: "memory", take: most },
};

export const readable: readonly string[] = Object.keys(sources);

interface Metric {
  readonly name: string;
  readonly at: number | null;
}

/** The metric that a ranking names, where runs write it down. */
export function metricIn(tree: FormulaTree): Metric | null {
  if (typeof tree !== "object" || tree === null || !("name" in tree)) return null;
  const { name, at = null } = tree;
  if (!Object.hasOwn(sources, name) || tree.with !== undefined) return null;
  return at === null || typeof at === "number" ? { name, at } : null;
}

/** `null` where the run did not measure it. */
export function readingOf({ name, at }: Metric, { train, evals }: Pick<Progress, "train" | "evals">): number | null {
  const source = sources[name];
  if (source === undefined) return null;
  const rows = source.of === "train" ? train : evals;
  const values = (some: Rows) =>
    some.flatMap((row) => {
      const value = row[source.field];
      return typeof value === "number" && Number.isFinite(value) ? [value] : [];
    });
  const found =
    at === null ? source.take(values(rows)) : values(rows.filter(({ step }) => step >= at)).find(() => true);
  return found ?? null;
}
