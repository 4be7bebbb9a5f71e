/** `cdrc check` of a folder: every launch that lies in it, each by itself with the files that it names. */
import { normalize } from "node:path";
import type { Beside } from "../../compiler/foreign/beside.ts";
import { checkForeign, type Checked } from "../../compiler/foreign/check.ts";
import type { JudgedBy } from "../../compiler/foreign/engines.ts";
import type { Launch } from "../../compiler/foreign/launch.ts";
import { textsIn } from "../../compiler/foreign/documents/configurations.ts";
import { roleOf, startsSomething } from "../../compiler/foreign/launch-file.ts";
import { atStart, readIn } from "../../compiler/foreign/shell/folder.ts";
import { foreignUnknown } from "../../compiler/diagnostics/foreign.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../dsl/source/source.ts";
import { diskBeside, sourcesOf, suppliedBy, type Flags } from "../foreign.ts";
import { walk } from "./walk.ts";

export interface JudgedLaunch {
  /** The file that it is known by, and the configurations of the folder that it names. */
  readonly given: readonly string[];
  /** Those, and whatever else was read for it. */
  readonly files: readonly string[];
  readonly kind: string;
  readonly engines: readonly JudgedBy[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface JudgedFolder {
  readonly folder: string;
  /** `.cdr` files, which the compiler judges. */
  readonly own: readonly string[];
  readonly launches: readonly JudgedLaunch[];
  /** Questions that files leave open: where many are judged at once, nobody can answer for all of them. */
  readonly open: number;
  readonly seen: number;
  /** Those that were named beside it. */
  readonly besides: number;
  readonly passed: ReadonlyMap<string, readonly string[]>;
}

/** `given` are files that were named beside it, and are judged there. */
export function checkFolder(
  folder: string,
  flags: Flags & { readonly exclude: readonly string[]; readonly models: readonly Source[] },
  given: ReadonlySet<string>,
): JudgedFolder {
  const { files, maybe, seen, passed: notWalked } = walk(folder, flags.exclude);
  const passed = new Map(notWalked);
  const pass = (why: string, path: string): void => void passed.set(why, [...(passed.get(why) ?? []), path]);
  let besides = 0;
  const own: string[] = [];
  const scripts: Source[] = [];
  const configurations: Source[] = [];
  for (const path of files) {
    if (given.has(normalize(path))) {
      besides += 1;
      continue;
    }
    if (path.endsWith(".cdr")) {
      own.push(path);
      continue;
    }
    const read = sourcesOf([path]);
    if ("misuse" in read) pass("cannot be read", path);
    const [source] = "misuse" in read ? [] : read.sources;
    if (source === undefined) continue;
    const role = roleOf(source, maybe.has(path));
    if (role === "script") scripts.push(source);
    else if (role === "configuration") configurations.push(source);
    else pass("of no launch", path);
  }

  let open = 0;
  const judge = (source: Source): { readonly launch: JudgedLaunch; readonly starts: boolean } => {
    const also = new Set<string>();
    const beside = diskBeside((path) => also.add(path), folder);
    const judgeWith = (named: readonly Source[]): Checked =>
      checkForeign([source, ...named, ...flags.models], suppliedBy(flags), beside);
    let named: readonly Source[] = [];
    let checked = judgeWith(named);
    for (let more = namedIn(checked.launch, configurations, beside); more.length > 0;) {
      named = [...named, ...more];
      checked = judgeWith(named);
      more = namedIn(checked.launch, configurations, beside);
    }
    const kept = checked.diagnostics.filter(({ code }) => code !== foreignUnknown.code);
    open += checked.diagnostics.length - kept.length;
    const given = [source, ...named].map(({ path }) => path);
    const launch = {
      given,
      files: [...new Set([...given, ...also])],
      kind: checked.kinds.find(({ path }) => path === source.path)?.kind ?? "",
      engines: checked.engines,
      diagnostics: kept,
    };
    return { launch, starts: startsSomething(checked.launch) };
  };

  const judged = [...scripts.map(judge), ...configurations.map((source) => ({ ...judge(source), starts: true }))];
  // What another file names is judged there, with what that one sets; of two that name each other the first is kept.
  const called = new Set<string>();
  for (const { launch, starts } of judged) {
    const [path = "", ...others] = launch.files;
    if (starts && !called.has(path)) for (const other of others) called.add(other);
  }
  const launches: JudgedLaunch[] = [];
  for (const { launch, starts } of judged) {
    const [path = ""] = launch.files;
    if (called.has(path)) continue;
    if (starts) launches.push(launch);
    else pass("scripts that start no known training", path);
  }
  return { folder, own, launches, open, seen, besides, passed };
}

/** Configurations of the folder that a command or another configuration names, as the shell and the program find them. */
function namedIn({ runs, documents }: Launch, configurations: readonly Source[], beside: Beside): readonly Source[] {
  const byPath = new Map(configurations.map((source) => [normalize(source.path), source]));
  for (const { source } of documents) byPath.delete(normalize(source.path));
  const words = runs.flatMap(({ command: { folder, words } }) =>
    words.map(({ text, span }) => ({ name: text?.slice(text.indexOf("=") + 1) ?? "", from: span.source, folder })),
  );
  const texts = documents.flatMap(({ root, source }) =>
    textsIn(root).map((name) => ({ name, from: source, folder: atStart.now })),
  );
  const found = new Set<Source>();
  for (const { name, from, folder } of [...words, ...texts]) {
    if (!/\.(?:h?json|ya?ml|toml)$/.test(name)) continue;
    const path = readIn(beside.text, folder)(name, from)?.path;
    const source = path === undefined ? undefined : byPath.get(normalize(path));
    if (source !== undefined) found.add(source);
  }
  return [...found];
}
