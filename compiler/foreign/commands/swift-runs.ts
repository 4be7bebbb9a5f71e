/** Commands of ms-swift that train, and what they are told. */
import type { Launch, Run } from "../launch.ts";
import type { Settings } from "../settings.ts";
import type { ShellCommand } from "../shell/state.ts";
import { unwrapped } from "./unwrap.ts";

const trains: ReadonlySet<string> = new Set(["sft", "pt", "rlhf"]);

export function swiftRuns({ runs }: Launch): readonly Run[] {
  return runs.filter(
    ({ launcher: { word }, args, program }) =>
      /(?:^|\/)swift$/.test(word.text ?? "") && trains.has(args[0]?.text ?? program?.text ?? ""),
  );
}

/** Its file (`swift sft sft.yaml`) becomes arguments in front of those of the command. */
export function swiftSettings(run: Run, { trainer }: Launch): Settings {
  return new Map([...(trainer ?? []), ...run.options]);
}

/** Its second command, which hands what it is told on to Megatron. */
export function startsSwiftMegatron({ words }: ShellCommand): boolean {
  const [program, verb] = unwrapped(words, () => undefined).words;
  return /(?:^|\/)megatron$/.test(program?.text ?? "") && /^(?:pt|sft|rlhf)$/.test(verb?.text ?? "");
}
