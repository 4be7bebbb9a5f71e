import { below } from "../release.ts";
import { wordsOf } from "../word.ts";
import { bases } from "./bases.ts";
import { parseCommandLine } from "./command-line.ts";
import { complaintsOf } from "./complaints.ts";
import { judge, type Judgement } from "./judge.ts";
import type { Base } from "./step.ts";
import { argumentTable, knownVersions, type Entry } from "./table.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";

/** What an example's launch brings. */
export interface Tried {
  readonly complaints: readonly Diagnostic[];
  readonly judgement: Judgement;
}

/** An example of a rule as the engine would start it. */
export interface ExampleLaunch {
  readonly entry: Entry;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly world: number;
  /** Compute capability. */
  readonly architecture: string;
  /** Version of Transformer Engine; `null` where it isn't installed. */
  readonly transformerEngine: string | null;
}

/**
 * The arguments of a base on eight Hopper GPUs with `more` laid over them. Words such as `NAME=value` are environment, but for
 * `ARCHITECTURE` (compute capability) and `TE` (Transformer Engine, or `none`).
 */
export function exampleLaunch(base: Base, more: string): ExampleLaunch {
  const words = more.split(/\s+/).filter((word) => word !== "");
  const isVariable = (word: string): boolean => /^[A-Z_0-9]+=/.test(word);
  const given = Object.fromEntries(
    words.filter(isVariable).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
  const { ARCHITECTURE, TE, ...variables } = given;
  return {
    entry:
      base === "specless" || base === "patternless" ? "hybrid" : base === "hybrid" || base === "rl" ? base : "gpt",
    argv: [...bases[base].split(" "), ...words.filter((word) => !isVariable(word))],
    env: { CUDA_DEVICE_MAX_CONNECTIONS: "1", ...variables },
    world: 8,
    architecture: Number(ARCHITECTURE ?? 9).toFixed(1),
    transformerEngine: TE === "none" ? null : (TE ?? "2.18.0"),
  };
}

/** Judges an example of a rule by the newest release, or the last before `gone`. */
export function tryExample(base: Base, more: string, gone?: string): Tried {
  const { entry, argv, architecture, ...surroundings } = exampleLaunch(base, more);
  const release = knownVersions.find((version) => gone === undefined || below(version, gone));
  const table = argumentTable(entry, release);
  const line = parseCommandLine(wordsOf("example", argv), table);
  return {
    complaints: complaintsOf(line, table),
    judgement: judge(line, table, {
      ...surroundings,
      entry,
      envOpen: false,
      architecture: Number(architecture),
    }),
  };
}
