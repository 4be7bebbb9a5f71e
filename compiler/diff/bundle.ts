/** What a bundle says: its plan, and every key and line that an engine or a target reads. */
import { leaves, type Fact, type Facts } from "./facts.ts";

export interface File {
  readonly path: string;
  readonly text: string;
}

/** Of the bundle's files these repeat what others say, or say nothing of the run. */
const silent = /^(manifest\.json|plan\.json|report\.html|sources\/|trainer\/)/;
/** What a key says again that the plan has said. */
const repeated = /\.estimate\./;

export function meaningOfBundle(files: readonly File[]): Record<"plan" | "emitted", Facts> {
  const plan = new Map<string, Fact>();
  const written = files.find((file) => file.path === "plan.json");
  const stages = written === undefined ? [] : stagesOf(JSON.parse(written.text));
  for (const { name, alternatives: _, origins, ...stage } of stages) {
    leaves(stage, `${name}: `, (path) => originAt(origins, path.slice(name.length + 2)), plan);
  }
  const emitted = new Map<string, Fact>();
  for (const { path, text } of files) {
    if (silent.test(path)) continue;
    const parsed = path.endsWith(".json") ? json(text) : undefined;
    if (parsed === undefined) linesOf(path, text, emitted);
    else leaves(parsed, `${path}: `, () => null, emitted);
  }
  for (const path of emitted.keys()) if (repeated.test(path)) emitted.delete(path);
  return { plan, emitted };
}

interface Stage {
  readonly name: string;
  readonly alternatives?: unknown;
  readonly origins?: Readonly<Record<string, unknown>>;
}

function stagesOf(document: unknown): readonly Stage[] {
  const stages = (document as { stages?: unknown } | null)?.stages;
  return Array.isArray(stages) ? (stages as readonly Stage[]) : [];
}

/** In words, from the origin of the value or of the group it is in. */
function originAt(origins: Stage["origins"], path: string): string | null {
  for (let at = path; at !== ""; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
    const origin = origins?.[at] as Readonly<Record<string, unknown>> | undefined;
    const words = origin?.["rule"] ?? origin?.["reason"] ?? origin?.["by"];
    if (typeof words === "string") return words;
    if (origin !== undefined) return null;
  }
  return null;
}

/** The lines of a script, numbered among equals, so that one more line is one difference. */
function linesOf(path: string, text: string, into: Map<string, Fact>): void {
  const seen = new Map<string, number>();
  // A run's id is a hash of all that decides its result: it says nothing that is not said elsewhere.
  for (const line of text.replaceAll(/'[0-9a-f]{8}'/g, "'…'").split("\n")) {
    if (line.trim() === "") continue;
    const count = (seen.get(line) ?? 0) + 1;
    seen.set(line, count);
    into.set(`${path}: ${line.trim()}${count > 1 ? ` (${count})` : ""}`, { value: true, origin: null });
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
