/** Complete configurations that are given together are alternatives: no number of one is held against another. */
import type { Document, Launch, Run, World } from "../launch.ts";
import { entryOf, type Located, scalarOf } from "./located.ts";
import type { DocumentKind } from "./kinds.ts";
import { accelerateSettings, trainerSettings } from "../trainer/settings.ts";
import { mainRun } from "../starts.ts";
import { worldOf } from "../world.ts";

/** Kinds of which a launch has one, and keys of which a complete one has some of each row. */
const groups: readonly { readonly kinds: readonly DocumentKind[]; readonly keys: readonly (readonly string[])[] }[] =
  [
    { kinds: ["accelerate"], keys: [["num_processes"], ["distributed_type", "compute_environment"]] },
    {
      kinds: ["training-arguments", "llama-factory", "axolotl"],
      keys: [
        ["model_name_or_path", "base_model"],
        ["per_device_train_batch_size", "micro_batch_size", "output_dir"],
      ],
    },
  ];

/** A launch for each of the configurations that nobody chose between, and one for those that its commands name. */
export function alternativesOf(launch: Launch): readonly Launch[] {
  return groups.reduce<readonly Launch[]>(
    (launches, group) => launches.flatMap((one) => split(one, group)),
    [launch],
  );
}

function split(launch: Launch, { kinds, keys }: (typeof groups)[number]): readonly Launch[] {
  const complete = launch.documents.filter(
    ({ kind, root }) =>
      kinds.includes(kind) && keys.every((some) => some.some((key) => entryOf(root, key) !== undefined)),
  );
  if (complete.length < 2) return [launch];
  const named = new Set(launch.runs.flatMap((run) => [...namedBy(run, launch.documents)]));
  const [chosen, rest] = [complete.filter((each) => named.has(each)), complete.filter((each) => !named.has(each))];
  const without = (kept: readonly Document[], runs: readonly Run[]): Launch => {
    const own = new Set([...kept, ...closureOf(kept, launch.documents), ...(runs.length > 0 ? named : [])]);
    const others = complete.filter((each) => !own.has(each));
    const gone = new Set([...others, ...closureOf(others, launch.documents)]);
    return narrowed(
      launch,
      launch.documents.filter((each) => own.has(each) || !gone.has(each)),
      runs,
    );
  };
  if (rest.length === 0) return [launch];
  return chosen.length === 0
    ? rest.map((each) => without([each], launch.runs))
    : [without(chosen, launch.runs), ...rest.map((each) => without([each], []))];
}

/** A part of a launch, with what follows from its documents and commands alone; its ranks are those of `run`. */
export function narrowed(
  launch: Launch,
  documents: readonly Document[],
  runs: readonly Run[],
  run: Run | undefined = mainRun(runs),
): Launch {
  const accelerate = accelerateSettings(documents, runs);
  const { world: size, gpusPerNode: perNode } = launch.supplied;
  const unsaid: World = launch.runs.length === 0 ? launch.world : { size, nodes: null, perNode, said: [] };
  return {
    ...launch,
    documents,
    runs,
    trainer: trainerSettings(documents, runs),
    accelerate,
    world: run === undefined ? unsaid : worldOf(run, accelerate, launch.supplied, launch.listings),
  };
}

/** Documents that a command names, and those that these name. */
export function namedBy({ command }: Run, documents: readonly Document[]): ReadonlySet<Document> {
  const names = command.words.flatMap(({ text }) => (text === null ? [] : [text, text.slice(text.indexOf("=") + 1)]));
  return reached(
    names,
    documents,
    documents.filter(({ inside }) => inside === command),
  );
}

const closureOf = (from: readonly Document[], documents: readonly Document[]): ReadonlySet<Document> =>
  reached(
    from.flatMap(({ root }) => textsIn(root)),
    documents,
  );

function reached(
  from: readonly string[],
  documents: readonly Document[],
  own: readonly Document[] = [],
): ReadonlySet<Document> {
  const found = new Set<Document>(own);
  let names = [...from, ...own.flatMap(({ root }) => textsIn(root))];
  while (names.length > 0) {
    const bases = new Set(names.map(baseName));
    const next = documents.filter(
      (document) =>
        !found.has(document) &&
        (document.inside === undefined ? bases.has(baseName(document.path)) : found.has(document.inside as Document)),
    );
    for (const document of next) found.add(document);
    names = next.flatMap(({ root }) => textsIn(root));
  }
  return found;
}

/** Names of files that stand in a document. */
export function textsIn(node: Located): string[] {
  if (node.kind === "list") return node.items.flatMap(textsIn);
  if (node.kind === "map") return node.entries.flatMap(({ value }) => textsIn(value));
  const name = scalarOf(node);
  return typeof name === "string" && /\.(?:json|ya?ml)$/.test(name) ? [name] : [];
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
