/** The text that a finished sample step produced. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const row = z.looseObject({ prompt: z.string(), text: z.string() });

export function samplesOf(directory: string): string[] {
  try {
    const lines = readFileSync(join(directory, "result", "samples.jsonl"), "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").flatMap(textOf);
  } catch {
    return [];
  }
}

function textOf(line: string): string[] {
  const parsed = row.safeParse(JSON.parse(line));
  if (!parsed.success) return [];
  // `text` is what the model added.
  return [parsed.data.prompt + parsed.data.text];
}
