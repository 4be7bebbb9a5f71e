/** Options that take as many words as follow: `--lora_target_modules q_proj v_proj`. */
import type { Run } from "../../foreign/launch.ts";
import { bare, type Settings, type Told } from "../../foreign/settings.ts";

/** Source: trl/trainer/model_config.py: ModelConfig; swift/arguments: lists, which argparse reads with `nargs`. */
const lists: ReadonlySet<string> = new Set(["lora_target_modules", "target_modules", "dataset", "val_dataset", "report_to"]);

export const isList = (name: string): boolean => lists.has(name);

/** The settings of a run with all words of its lists, as files have them. */
export function withLists(settings: Settings, run: Run | null): Settings {
  const all = new Map(settings);
  for (const [at, { text }] of (run?.args ?? []).entries()) {
    const name = bare(text ?? "");
    const told: Told | undefined = settings.get(name);
    if (!isList(name) || text?.startsWith("--") !== true || told === undefined) continue;
    const rest = run?.args.slice(at + 1) ?? [];
    const end = rest.findIndex((word) => word.text === null || /^--?[A-Za-z]/.test(word.text));
    const words = (end < 0 ? rest : rest.slice(0, end)).map((word) => word.text ?? "");
    if (words.length > 1) all.set(name, { ...told, value: words.join(",") });
  }
  return all;
}
