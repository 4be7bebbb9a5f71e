import type { Plan } from "./plan.ts";

/** `plan.json`: the plan with the origin of every value, without the texts that spans carry. */
export function planDocument(plan: Plan, naming: (path: string) => string = (path) => path): object {
  return JSON.parse(
    JSON.stringify(plan, (key, value: unknown) => {
      if (key !== "span" || typeof value !== "object" || value === null || !("source" in value)) return value;
      const { source, start, end } = value as { source: { path: string }; start: number; end: number };
      return { file: naming(source.path), start, end };
    }),
  ) as object;
}
