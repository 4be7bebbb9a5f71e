/** The text that a finished sample step produced. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const row = z.looseObject({
  prompt: z.string().default(""),
  text: z.string().optional(),
  completion: z.string().optional(),
});

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
  const { prompt, text, completion } = parsed.data;
  if (completion !== undefined) return [prompt + completion];
  if (text === undefined) return [];
  return [text.startsWith(prompt) ? text : prompt + text];
}
