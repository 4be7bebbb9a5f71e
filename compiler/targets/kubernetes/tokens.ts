/** Environment variables with tokens that the program of a step reads, by its configuration. */
export function tokensOf(config: string): readonly string[] {
  return [...new Set(found(JSON.parse(config) as unknown))].sort();
}

function found(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(found);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "token_env" && typeof item === "string"
      ? [item]
      : key === "track" && Array.isArray(item) && item.includes("wandb")
        ? ["WANDB_API_KEY"]
        : found(item),
  );
}
