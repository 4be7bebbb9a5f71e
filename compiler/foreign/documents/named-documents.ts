/** Configurations that a command names and that lie beside it. */
import type { Source } from "../../../dsl/source/source.ts";
import type { Document, Run } from "../launch.ts";
import { atStart, readIn, type Folder } from "../shell/folder.ts";
import { at, scalarOf } from "./located.ts";
import type { Settings } from "../settings.ts";

export interface NamedFile {
  readonly path: string;
  readonly from: Source;
  /** Where the program that is told of it runs. */
  readonly folder: Folder;
}

/** DeepSpeed's, by an option of the program or of accelerate. */
export function namedByDeepSpeed({ options, launcher, command: { folder } }: Run): readonly NamedFile[] {
  return [options, launcher.settings].flatMap((settings) =>
    ["deepspeed", "deepspeed_config", "deepspeed_config_file"].flatMap((name) =>
      namedIn(settings, name, /\.json$/, folder),
    ),
  );
}

export function namedByAccelerate({ launcher: { kind, settings }, command: { folder } }: Run): readonly NamedFile[] {
  return kind === "accelerate" ? namedIn(settings, "config_file", /./, folder) : [];
}

/** DeepSpeed's, by a configuration: from the folder that the program is started in, which is the configuration's own or one above it. */
export function namedByDocument({ root, source }: Document): readonly NamedFile[] {
  const named = [at(root, "deepspeed"), at(root, "deepspeed_config", "deepspeed_config_file")].map(scalarOf);
  const path = named.find((text): text is string => typeof text === "string" && text.endsWith(".json"));
  if (path === undefined) return [];
  const above = path.startsWith("/") ? [""] : ["", "../", "../../", "../../../"];
  return above.map((up) => ({ path: `${up}${path}`, from: source, folder: atStart.now }));
}

function namedIn(settings: Settings, name: string, shape: RegExp, folder: Folder): readonly NamedFile[] {
  const told = settings.get(name);
  return typeof told?.value === "string" && shape.test(told.value)
    ? [{ path: told.value, from: told.span.source, folder }]
    : [];
}

/** The files that nobody gave. */
export function filesBeside(
  names: readonly NamedFile[],
  documents: readonly Document[],
  { read, largest }: { readonly read: (path: string, from: Source) => Source | undefined; readonly largest: number },
): readonly Source[] {
  const seen = new Set<string>();
  return names.flatMap(({ path, from, folder }) => {
    if (seen.has(path) || documents.some((each) => baseName(each.path) === baseName(path))) return [];
    seen.add(path);
    const source = readIn(read, folder)(path, from);
    return source !== undefined && source.text.length < largest ? [source] : [];
  });
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
