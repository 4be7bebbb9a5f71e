/** Commands of ms-swift that train, and what they are told. */
import type { Launch, Run } from "../launch.ts";
import type { Settings } from "../settings.ts";
import type { ShellCommand } from "../shell/state.ts";
import { programTexts } from "../programs.ts";
import { unwrapped } from "./unwrap.ts";

const trains: ReadonlySet<string> = new Set(["sft", "pt", "rlhf"]);

export function swiftRuns({ runs }: Launch): readonly Run[] {
  return runs.filter(
    ({ launcher: { word }, args, program }) =>
      /(?:^|\/)swift$/.test(word.text ?? "") && trains.has(args[0]?.text ?? program?.text ?? ""),
  );
}

/** A program of one's own that calls the same. */
export function wrapsSwift(launch: Launch): boolean {
  const calls = /^[ \t]*from[ \t]+swift\b[^\n]*\b(?:sft|pt|rlhf)_main\b/m;
  return launch.runs.some((run) => programTexts(run, launch).some((text) => calls.test(text)));
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
