import { wordsOf } from "../word.ts";
import { bases } from "./bases.ts";
import { parseCommandLine } from "./command-line.ts";
import { complaintsOf } from "./complaints.ts";
import { judge, type Judgement } from "./judge.ts";
import type { Base, Rule } from "./step.ts";
import { argumentTable, type Entry } from "./table.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";

/** What an example's launch brings. */
export interface Tried {
  readonly complaints: readonly Diagnostic[];
  readonly judgement: Judgement;
}

/**
 * Judges an example of a rule: the arguments of a base on eight Hopper GPUs with `more` laid over them. Words such as
 * `NAME=value` are environment, but for `ARCHITECTURE` (compute capability) and `TE` (Transformer Engine, or `none`).
 */
export function tryExample(base: Base, more: string): Tried {
  const words = more.split(/\s+/).filter((word) => word !== "");
  const isVariable = (word: string): boolean => /^[A-Z_0-9]+=/.test(word);
  const given = Object.fromEntries(
    words.filter(isVariable).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
  const { ARCHITECTURE, TE, ...variables } = given;
  const entry: Entry = base === "hybrid" || base === "rl" ? base : "gpt";
  const table = argumentTable(entry);
  const texts = [...bases[base].split(" "), ...words.filter((word) => !isVariable(word))];
  const line = parseCommandLine(wordsOf("example", texts), table);
  return {
    complaints: complaintsOf(line, table),
    judgement: judge(line, table, {
      entry,
      world: 8,
      env: { CUDA_DEVICE_MAX_CONNECTIONS: "1", ...variables },
      envOpen: false,
      architecture: Number(ARCHITECTURE ?? 9),
      transformerEngine: TE === "none" ? null : (TE ?? "2.18.0"),
    }),
  };
}

const launchOf = (base: Base, more: string): string =>
  `a ${base} launch on 8 GPUs${more === "" ? "" : ` with ${more}`}`;

/** The nearest launch that the rule lets pass. */
export const passingExample = ({ base, silent }: Rule): string => launchOf(base, silent);

/** A launch that breaks the rule as one line, and what is said of it. */
export function shownExample({ base, fires, diagnostic }: Rule): string {
  const { findings } = tryExample(base, fires).judgement;
  const message = findings.find(({ rule }) => rule.diagnostic === diagnostic)?.message ?? "";
  return `${launchOf(base, fires)}\n\n${diagnostic.severity}: ${message}\n  ${diagnostic.code}`;
}
