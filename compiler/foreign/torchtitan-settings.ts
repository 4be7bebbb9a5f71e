/** Options of torchtitan: those of its file, under those of its command line. */
import { documentsOf, type Document, type Launch, type Run } from "./launch.ts";
import type { Located } from "./documents/located.ts";
import { textIn, type Settings, type Told } from "./settings.ts";

export interface TitanRun {
  readonly settings: Settings;
  /** `null` where the command line alone says everything. */
  readonly file: Document | null;
}

/** What each run is told, and each file that no run names. */
export function titanRuns(launch: Launch): readonly TitanRun[] {
  const files = documentsOf(launch, "torchtitan");
  const taken = new Set<Document>();
  const runs = launch.runs.map((run): TitanRun => {
    const file = fileOf(run, files);
    if (file === undefined) return { settings: run.options, file: null };
    taken.add(file);
    return { settings: new Map([...settingsOf(file), ...run.options]), file };
  });
  const others = files.filter((file) => !taken.has(file));
  return [...runs, ...others.map((file) => ({ settings: settingsOf(file), file }))];
}

export const fileOfTitan = (run: Run, launch: Launch): Document | undefined =>
  fileOf(run, documentsOf(launch, "torchtitan"));

/** The file that a run names, or the only one where it starts torchtitan and names none. */
function fileOf({ options, program }: Run, files: readonly Document[]): Document | undefined {
  const named = textIn(options, "job.config_file");
  if (named !== null) return files.find(({ path }) => baseName(path) === baseName(named));
  return files.length === 1 && /torchtitan/.test(program?.text ?? "") ? files[0] : undefined;
}

const baseName = (path: string): string => path.split("/").at(-1) ?? path;

/** Sections that options stood in before they had one of their own. */
const moved: readonly (readonly [RegExp, string])[] = [
  [/^(?:training|experimental)\.(?=(?:data|tensor|pipeline|context)_parallel_)/, "parallelism."],
  [/^training\.batch_size$/, "training.local_batch_size"],
];

const known = new WeakMap<Document, Settings>();

function settingsOf(file: Document): Settings {
  const settings = known.get(file) ?? read(file.root);
  known.set(file, settings);
  return settings;
}

function read(root: Located): Settings {
  const settings = new Map<string, Told>();
  const walk = (node: Located, path: string): void => {
    if (node.kind !== "map") return;
    for (const { key, keySpan, value } of node.entries) {
      const name = path === "" ? key : `${path}.${key}`;
      const today = moved.reduce((each, [former, now]) => each.replace(former, now), name);
      if (value.kind === "scalar")
        settings.set(today, { value: value.value, known: true, span: value.span, name, nameSpan: keySpan, from: [] });
      walk(value, name);
    }
  };
  walk(root, "");
  return settings;
}
