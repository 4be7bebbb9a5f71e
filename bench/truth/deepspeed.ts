import { checkDeepSpeed } from "../../compiler/engines/deepspeed/check.ts";
import { formOf } from "../../compiler/engines/deepspeed/example.ts";
import type { Launch } from "../../compiler/engines/deepspeed/launch.ts";
import { isSection, parseValue, type Section } from "../../compiler/engines/deepspeed/value.ts";
import type { Verdict } from "../truth.ts";

export interface DeepSpeedRow {
  readonly id: string;
  readonly world_size: number;
  readonly model: string;
  readonly client_optimizer: string | null;
  readonly verdict: "ok" | "ignored" | "error";
  readonly basis: "initialize" | "config";
  readonly rule_location?: string | null;
  readonly late?: unknown;
  readonly ignored: readonly string[];
  readonly no_effect?: readonly string[];
}

/** A row with its configuration as it was written: JSON.parse alone would lose 1.0. */
export interface DeepSpeedCase {
  readonly row: DeepSpeedRow;
  readonly config: Section;
}

export interface DeepSpeedVerdict extends Verdict {
  readonly ignored: {
    readonly found: number;
    readonly missed: readonly string[];
    readonly wrong: readonly string[];
  };
}

export function readDeepSpeed(line: string): DeepSpeedCase {
  const whole = parseValue(line);
  const config = isSection(whole) ? whole.get("config") : undefined;
  if (!isSection(config)) throw new Error("a row has a configuration");
  return { row: JSON.parse(line) as DeepSpeedRow, config };
}

export function judgeDeepSpeed({ row, config }: DeepSpeedCase): DeepSpeedVerdict {
  const { findings } = checkDeepSpeed(config, launchOf(row));
  // Where only the configuration class has spoken, nobody knows what building the engine would say.
  const spoken = findings.filter(({ phase }) => row.basis !== "config" || phase === "config");
  const codes = spoken.map(({ diagnostic }) => diagnostic).filter(({ severity }) => severity === "error");
  const ours = new Set(findings.filter(({ remark }) => remark === "ignored").map(({ path }) => path));
  const listed = row.verdict !== "error" || row.basis === "initialize";
  return {
    id: row.id,
    engine: row.verdict === "error" ? "error" : "ok",
    ours: codes.length > 0 ? "error" : "ok",
    by: row.rule_location ?? null,
    codes: codes.map(({ code }) => code),
    late: row.late !== undefined && row.late !== null && row.late !== "",
    ignored: {
      found: listed ? row.ignored.filter((path) => ours.has(path)).length : 0,
      missed: listed ? row.ignored.filter((path) => !ours.has(path)) : [],
      wrong: listed ? [...ours].filter((path) => !row.ignored.includes(path)) : [],
    },
  };
}

function launchOf(row: DeepSpeedRow): Launch {
  const client = row.client_optimizer === "adamw" ? "AdamW" : row.client_optimizer;
  return { world: row.world_size, model: formOf(row.model), clientOptimizer: client, accelerator: "cpu" };
}
