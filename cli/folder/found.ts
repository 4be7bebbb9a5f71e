/** What the folders of a command line hold, and how that is said. */
import { normalize } from "node:path";
import type { JudgedBy } from "../../compiler/foreign/engines.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { sourcesOf, strangeFlags, type Flags } from "../foreign.ts";
import type { Misuse } from "../front.ts";
import { checkFolder, type JudgedFolder } from "./check.ts";

export interface Found {
  readonly folders: readonly JudgedFolder[];
  /** Every file that was judged, or read for one that was. */
  readonly paths: readonly string[];
  readonly own: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly engines: readonly JudgedBy[];
}

interface FolderFlags extends Flags {
  readonly exclude?: readonly string[];
}

/** `given` are the files that stand beside the folders on the command line. */
export function foundIn(folders: readonly string[], given: readonly string[], flags: FolderFlags): Found | Misuse {
  const strange = strangeFlags(flags);
  if (strange !== null) return strange;
  const models = sourcesOf(flags.model === undefined ? [] : [flags.model]);
  if ("misuse" in models) return models;
  const taken = new Set(given.map((path) => normalize(path)));
  const judged: JudgedFolder[] = [];
  for (const folder of folders) {
    const one = checkFolder(folder, { ...flags, exclude: flags.exclude ?? [], models: models.sources }, taken);
    if (one.launches.length + one.own.length + one.besides === 0) return { misuse: emptyText(one) };
    judged.push(one);
    for (const path of filesOf(one)) taken.add(normalize(path));
  }
  return {
    folders: judged,
    paths: [...new Set(judged.flatMap(filesOf))],
    own: judged.flatMap(({ own }) => own),
    diagnostics: judged.flatMap(({ launches }) => launches.flatMap(({ diagnostics }) => diagnostics)),
    engines: judged.flatMap(({ launches }) => launches.flatMap(({ engines }) => engines)),
  };
}

const filesOf = ({ own, launches }: JudgedFolder): readonly string[] => [
  ...own,
  ...launches.flatMap(({ files }) => files),
];

/** A line for each folder; all names where they are asked for. */
export function foundText({ folders }: Found, everything: boolean): string {
  return folders.map((folder) => textOf(folder, everything)).join("");
}

export function foundDocument({ folders }: Found): unknown {
  return folders.map(({ folder, own, launches, open, seen, passed }) => ({
    folder,
    files: seen,
    cdr: own,
    launches: launches.map(({ files, kind, engines }) => ({
      files,
      kind,
      engines: Object.fromEntries(engines.map(({ engine, version, written }) => [engine, { version, written }])),
    })),
    open,
    passed: Object.fromEntries(passed),
  }));
}

function textOf(judged: JudgedFolder, everything: boolean): string {
  const { folder, own, launches, open, seen, passed } = judged;
  const held = [
    ...(launches.length === 0 ? [] : [count(launches.length, "launch", "launches")]),
    ...(own.length === 0 ? [] : [count(own.length, ".cdr file", ".cdr files")]),
  ];
  const lines = [
    `${folder}: ${held.join(" and ") || "nothing else to judge"} among ${count(seen, "file", "files")}`,
    ...(everything
      ? [
          ...launches.map(({ files: [path, ...others], kind }) =>
            others.length === 0 ? `  ${path}: ${kind}` : `  ${path}: ${kind}, with ${others.join(", ")}`,
          ),
          ...[...passed].map(([why, paths]) => `  ${why}: ${paths.join(", ")}`),
        ]
      : passed.size === 0
        ? []
        : [`  not checked: ${passedText(judged)} (--stats lists them)`]),
    ...(open === 0
      ? []
      : [`  ${count(open, "thing is", "things are")} unknown there; checking one of its launches alone says what`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const passedText = ({ passed }: JudgedFolder): string =>
  [...passed].map(([why, paths]) => `${why} (${paths.length})`).join(", ");

const emptyText = (judged: JudgedFolder): string => {
  const rest = judged.passed.size === 0 ? "" : `: ${passedText(judged)}`;
  return `${judged.folder} holds no .cdr file and no launch among its ${count(judged.seen, "file", "files")}${rest}`;
};

const count = (n: number, one: string, several: string): string => `${n} ${n === 1 ? one : several}`;
