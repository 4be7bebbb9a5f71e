/** The text of a program that lies beside its launch, with the modules of its own that it imports. */
import type { Source } from "../../dsl/source/source.ts";
import type { Launch, Run } from "./launch.ts";

/** Of a program with more modules than this only the first are read. */
const most = 64;

export const programTexts = (run: Run, launch: Launch): readonly string[] =>
  programSources(run, launch).map(({ text }) => text);

/** Nothing where the program does not lie here. */
export function programSources(run: Run, launch: Launch): readonly Source[] {
  const of = memory.get(launch) ?? new Map<Run, readonly Source[]>();
  memory.set(launch, of);
  const known = of.get(run) ?? read(run, launch);
  of.set(run, known);
  return known;
}

const memory = new WeakMap<Launch, Map<Run, readonly Source[]>>();

function read({ program, script }: Run, { beside }: Launch): readonly Source[] {
  const path = program?.text ?? "";
  if (!path.endsWith(".py")) return [];
  // A script is often kept in a folder of its own, and started from the one above.
  const found = (path.startsWith("/") ? [""] : ["", "../", "../../"])
    .map((up) => `${up}${path}`)
    .find((each) => beside.text(each, script.source) !== undefined);
  if (found === undefined) return [];
  const top = folderOf(found);
  const above = found.slice(0, found.length - path.length);
  const texts = new Map<string, Source>();
  const waiting = [found];
  for (let next = waiting.shift(); next !== undefined && texts.size < most; next = waiting.shift()) {
    const source = texts.has(next) ? undefined : beside.text(next, script.source);
    if (source === undefined) continue;
    texts.set(next, source);
    waiting.push(...importsOf(source.text, { own: folderOf(next), tops: [top, above] }));
  }
  return [...texts.values()];
}

/** Where the modules that a text imports may lie: beside the program, in the folder that it is started in, or beside the text. */
function importsOf(
  text: string,
  { own, tops }: { readonly own: string; readonly tops: readonly string[] },
): readonly string[] {
  return [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)/gm)].flatMap(([, dots = "", name = ""]) => {
    const path = name.replaceAll(".", "/");
    const up = dots.length === 0 ? "" : "../".repeat(dots.length - 1);
    const folders = dots.length > 0 ? [`${own}${up}`] : [...new Set(tops)];
    return path === "" ? [] : folders.flatMap((folder) => [`${folder}${path}.py`, `${folder}${path}/__init__.py`]);
  });
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Has the program an option of this name, or a field that becomes one, of its own? */
export const declares = (name: string, run: Run, launch: Launch): boolean =>
  programTexts(run, launch).some((text) => new RegExp(`["']--?${name}["']|^[ \\t]+${name}[ \\t]*:`, "m").test(text));

/** Does it hand its configuration to DeepSpeed itself, without the Trainer of transformers or a class made of it? */
export function initializesDeepSpeed(run: Run, launch: Launch): boolean {
  const texts = programTexts(run, launch);
  const isTrainers =
    /^[ \t]*(?:from|import)[ \t]+(?:transformers|trl|accelerate)\b[^\n]*\b(?:\w*Trainer|Accelerator)\b/m;
  return (
    texts.some((text) => /\bdeepspeed\s*\.\s*initialize\s*\(/.test(text)) &&
    !texts.some((text) => isTrainers.test(text) || /\btransformers\.\w*Trainer\b/.test(text))
  );
}
