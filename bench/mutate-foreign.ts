/** Broken launches, the same for the same seed and index: files of other tools with pieces left out, doubled and swapped. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { foreignRules } from "../compiler/foreign/rules/index.ts";
import type { Files } from "../compiler/foreign/rules/rule.ts";
import { random } from "../test/support/random.ts";

const fixtures = join(import.meta.dirname, "../test/fixtures/misconfigurations");

/** Every rule's examples, and the launches that people reported. */
export function realLaunches(): readonly Files[] {
  const reported = readdirSync(fixtures)
    .filter((name) => statSync(join(fixtures, name)).isDirectory())
    .map((name) => {
      const paths = readdirSync(join(fixtures, name), { recursive: true, encoding: "utf8" }).sort();
      const files = paths.filter((path) => statSync(join(fixtures, name, path)).isFile());
      return Object.fromEntries(files.map((path) => [path, readFileSync(join(fixtures, name, path), "utf8")]));
    });
  return [...foreignRules.flatMap(({ fires, silent }) => [fires, silent]), ...reported];
}

const words = [
  ..."$ ${ ${X:- $(( $( `date` \" ' \\ && || | ; & > << EOF # \n \t { } [ ] : , - -- = * ? ! ( )".split(" "),
  ..."if then fi for do done while case esac function export set torchrun deepspeed srun accelerate launch".split(
    " ",
  ),
  ...'true null auto 0 -1 1e400 999999999999 0.1 "auto" {} [] --nproc_per_node --deepspeed #SBATCH &a *a !!x |'.split(
    " ",
  ),
  ..."\u0000 \u00e9 \ud83d\ude00 \ufeff \ud800".split(" "),
];

/** The launch with this index. */
export function launchOf(launches: readonly Files[], seed: number, index: number): Files {
  const { below, pick } = random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const mutate = (text: string): string => {
    const pieces = text.match(/\w+|\s+|[^\w\s]/g) ?? [];
    const piece = (): string => pieces[below(pieces.length)] ?? "";
    for (let edit = below(4); edit > 0 && pieces.length > 0; edit--) {
      const at = below(pieces.length);
      const own = pieces[at] ?? "";
      const other = pick([() => "", () => own + own, () => pick(words), () => own + pick(words), piece]);
      pieces[at] = other();
      if (below(12) === 0) pieces.splice(at, 1 + below(pieces.length));
    }
    return pieces.join("");
  };
  return Object.fromEntries(Object.entries(pick(launches)).map(([path, text]) => [path, mutate(text)]));
}
