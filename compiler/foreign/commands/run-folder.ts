/** Where the program of a run stands, which a step, a job or a container may move. */
import type { Run, ScriptFile } from "../launch.ts";
import { toldIn, type Told } from "../settings.ts";
import { joinedPath, lost, type Folder } from "../shell/folder.ts";
import type { Unwrapped } from "./unwrap.ts";
import type { ShellCommand } from "../shell/state.ts";

export function folderOfRun(
  { folder, span, words, outer }: ShellCommand,
  { directives }: Pick<ScriptFile, "directives">,
  { step, docker, moves }: Pick<Run, "step" | "docker"> & Pick<Unwrapped, "moves">,
): Folder {
  const { source } = span;
  const unknown = lost({ now: folder, last: null, kept: [] }, source).now;
  const outside = moves.flatMap(({ told, isInside }) => (isInside ? [] : [told]));
  const moved = [directives.get("chdir"), step?.settings.get("chdir"), ...outside].reduce<Folder>(
    (now, told) => (told === undefined ? now : goneTo(told, now)),
    folder,
  );
  const own = docker === null ? undefined : toldIn(docker.settings, "workdir", "w", "pwd");
  const inside = [
    ...(own === undefined ? [] : [own]),
    ...moves.flatMap(({ told, isInside }) => (isInside ? [told] : [])),
  ];
  return inside.every((each) => isMounted(each, [...words, ...(outer?.words ?? [])])) ? moved : unknown;

  function goneTo({ value, known }: Pick<Told, "value" | "known">, now: Folder): Folder {
    if (!known || typeof value !== "string" || /^[~$]|%/.test(value)) return unknown;
    const path = joinedPath(now.path, value);
    return path === now.path || value === "." ? now : { from: now.from ?? source, path };
  }
}

/** `-v $PWD:/work -w /work`: the container's folder is this one. */
function isMounted({ value }: Pick<Told, "value">, words: ShellCommand["words"]): boolean {
  const target = String(value).replace(/\/$/, "");
  return words.some(({ span: { source, start, end } }) => {
    const [, here, there] =
      /(?:^|[=,"'])(\.|\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)["']?:([^:,"']+)/.exec(source.text.slice(start, end)) ?? [];
    return here !== undefined && there?.replace(/\/$/, "") === target;
  });
}
