/** Where the program of a run stands, which a step, a job or a container may move. */
import type { Run, ScriptFile } from "./launch.ts";
import { toldIn, type Told } from "./settings.ts";
import { joinedPath, lost, type Folder } from "./shell/folder.ts";
import type { ShellCommand } from "./shell/state.ts";

export function folderOfRun(
  { folder, span, words, outer }: ShellCommand,
  { directives }: Pick<ScriptFile, "directives">,
  { step, docker }: Pick<Run, "step" | "docker">,
): Folder {
  const { source } = span;
  const unknown = lost({ now: folder, last: null, kept: [] }, source).now;
  const moved = [directives.get("chdir"), step?.settings.get("chdir")].reduce(
    (now, told) => (told === undefined ? now : goneTo(told, now)),
    folder,
  );
  const inside = docker === null ? undefined : toldIn(docker.settings, "workdir", "w", "pwd");
  return inside === undefined || isMounted(inside, [...words, ...(outer?.words ?? [])]) ? moved : unknown;

  function goneTo({ value, known }: Told, now: Folder): Folder {
    if (!known || typeof value !== "string" || /^[~$]|%/.test(value)) return unknown;
    const path = joinedPath(now.path, value);
    return path === now.path || value === "." ? now : { from: now.from ?? source, path };
  }
}

/** `-v $PWD:/work -w /work`: the container's folder is this one. */
function isMounted({ value }: Told, words: ShellCommand["words"]): boolean {
  const target = String(value).replace(/\/$/, "");
  return words.some(({ span: { source, start, end } }) => {
    const [, here, there] =
      /(?:^|[=,"'])(\.|\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)["']?:([^:,"']+)/.exec(source.text.slice(start, end)) ?? [];
    return here !== undefined && there?.replace(/\/$/, "") === target;
  });
}
