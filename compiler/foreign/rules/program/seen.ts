/** What the program of a launch calls, and on what. */
import type { Source } from "../../../../dsl/source/source.ts";
import { at, scalarOf, type Located } from "../../documents/located.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { programSources } from "../../programs.ts";
import { callsIn, codeOf, type Call } from "../../python-calls.ts";
import { zeroStages } from "../zero.ts";

export interface Seen {
  readonly launch: Launch;
  readonly run: Run;
  readonly calls: readonly Call[];
  /** All of the program's text, without comments and what strings hold. */
  readonly code: string;
  /** Names that DeepSpeed's engines have in it. */
  readonly engines: ReadonlySet<string>;
  /** Names that objects of accelerate's Accelerator have. */
  readonly accelerators: ReadonlySet<string>;
  /** DeepSpeed's configuration, where the launch has one that is read. */
  readonly config: Located | undefined;
  readonly stage: { readonly stage: number; readonly span: Call["span"] } | undefined;
}

/** A program of each run that lies here and makes an engine or an Accelerator itself. */
export function seenIn(launch: Launch): readonly Seen[] {
  return launch.runs.flatMap((run): readonly Seen[] => {
    const sources = programSources(run, launch);
    if (!sources.some(({ text }) => /\bdeepspeed\b|\bAccelerator\b/.test(text))) return [];
    const code = sources.map(coded).join("\n");
    const targets = (made: string): ReadonlySet<string> =>
      new Set(
        [
          ...code.matchAll(
            new RegExp(
              `(?<![\\w.])([\\w.]{1,80})(?:\\s*:[^=\\n]{0,80})?(?:,[^=\\n]{0,80})?\\s*=\\s*${made}\\s*\\(`,
              "g",
            ),
          ),
        ].map(([, name = ""]) => name),
      );
    return [
      {
        launch,
        run,
        code,
        calls: sources.flatMap(callsIn),
        engines: targets("deepspeed\\.initialize"),
        accelerators: targets("(?:accelerate\\.)?Accelerator"),
        config: documentsOf(launch, "deepspeed")[0]?.root,
        stage: zeroStages(launch)[0],
      },
    ];
  });
}

const memory = new WeakMap<Source, string>();

function coded(source: Source): string {
  const code = memory.get(source) ?? codeOf(source.text);
  memory.set(source, code);
  return code;
}

/** `engine.no_sync`: the method, where the name in front of it is one of these. */
export function methodOf({ name }: Call, owners: ReadonlySet<string>): string | null {
  const dot = name.lastIndexOf(".");
  return dot > 0 && owners.has(name.slice(0, dot)) ? name.slice(dot + 1) : null;
}

/** Is the section or the value there? */
export const has = (config: Located | undefined, ...path: readonly string[]): boolean => {
  const value = config === undefined ? undefined : at(config, ...path);
  return value !== undefined && scalarOf(value) !== null;
};
