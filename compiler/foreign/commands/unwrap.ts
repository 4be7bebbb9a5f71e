/** What stands around the program of a command: the Slurm step, the container, programs that only start another. */
import type { Source } from "../../../dsl/source/source.ts";
import type { Run } from "../launch.ts";
import { withCarried } from "./carried.ts";
import { docker, srun } from "./launchers.ts";
import { launcherOptions, type OptionTable } from "./options.ts";
import { assigned, type Environment } from "./environment.ts";
import { inputMark } from "../shell/input-mark.ts";
import type { ShellWord } from "../shell/state.ts";
import type { Told } from "../settings.ts";
import { wrappers, type Wrapper } from "./wrappers.ts";
import { inTable } from "../../../dsl/in-table.ts";

export interface Unwrapped {
  readonly words: readonly ShellWord[];
  readonly step: Run["step"];
  readonly docker: Run["docker"];
  /** Variables that the wrappers set for what they start. */
  readonly env: Environment;
  /** The first word of each, but for the step and the container. */
  readonly starters: readonly ShellWord[];
  /** Folders that they go to before they start it, the outermost first. */
  readonly moves: readonly Move[];
}

export interface Move {
  readonly told: Pick<Told, "value" | "known">;
  readonly isInside: boolean;
}

export type ReadFile = (path: string, from: Source) => Source | undefined;

export function unwrapped(all: readonly ShellWord[], read: ReadFile): Unwrapped {
  let words = all;
  let step: Run["step"] = null;
  let container: Run["docker"] = null;
  const env = new Map<string, { readonly value: string | null; readonly span: ShellWord["span"] }>();
  const moves: Move[] = [];
  const starters: ShellWord[] = [];
  const keep = (options: readonly ShellWord[], wrapper: Wrapper): void => {
    for (const each of assigned(options, wrapper, read)) env.set(...each);
    moves.push(...movesIn(options, wrapper));
  };
  for (let depth = 0; depth < 12; depth++) {
    const [first] = words;
    if (first === undefined) break;
    const equals = /^([A-Za-z_]\w*)=([^]*)$/.exec(first.text ?? first.pieces[0]?.text ?? "");
    if (equals !== null) {
      env.set(equals[1] ?? "", { value: first.text === null ? null : (equals[2] ?? ""), span: first.span });
      words = words.slice(1);
      continue;
    }
    const name = first.text?.split("/").at(-1);
    if (name === undefined) break;
    const wrapper = inTable(wrappers, name);
    if (name === "srun") {
      const { settings, rest, open } = launcherOptions(words.slice(1), srun);
      keep(words.slice(1, words.length - rest.length), { exports: ["--export"] });
      step = { settings: withCarried(settings, open, "srun"), span: first.span };
      words = rest;
    } else if (containers.has(name)) {
      const { verb, options, isService } = calledIn(words);
      if (verb !== "run" && verb !== "exec") break;
      const { settings, rest } = launcherOptions(options, docker);
      keep(options.slice(0, options.length - rest.length), { sets: ["-e", "--env"], files: ["--env-file"] });
      container = { settings, span: first.span, image: verb === "run" && !isService ? (rest[0] ?? null) : null };
      words = [...entrypoint(settings.get("entrypoint")), ...rest.slice(1)];
    } else if (wrapper !== undefined) {
      const inner = behind(words, wrapper);
      if (inner === null) break;
      keep(words.slice(1, words.length - inner.length), wrapper);
      starters.push(first);
      words = inner;
    } else break;
  }
  return { words, step, docker: container, env, moves, starters };
}

function movesIn(options: readonly ShellWord[], { moves = [], isInside }: Wrapper): readonly Move[] {
  return options.flatMap(({ text }, at): readonly Move[] => {
    const [name = "", ...rest] = (text ?? "").split("=");
    if (!moves.includes(name)) return [];
    const value = rest.length > 0 ? rest.join("=") : (options[at + 1]?.text ?? null);
    return [{ told: { value, known: value !== null }, isInside: isInside === true }];
  });
}

const containers = new Set(["docker", "podman", "nerdctl", "nvidia-docker", "docker-compose"]);

/** `docker run …`, `docker compose -f FILE run …`: a service stands where the image does. */
function calledIn(words: readonly ShellWord[]): {
  readonly verb: string | null;
  readonly options: readonly ShellWord[];
  readonly isService: boolean;
} {
  const isService = words[0]?.text?.endsWith("docker-compose") === true || words[1]?.text === "compose";
  if (!isService) return { verb: words[1]?.text ?? null, options: words.slice(2), isService };
  const { rest } = launcherOptions(words.slice(words[1]?.text === "compose" ? 2 : 1), compose);
  return { verb: rest[0]?.text ?? null, options: rest.slice(1), isService };
}

/** Source: docker compose --help. */
const compose: OptionTable = {
  valued: new Set(["f", "file", "p", "project_name", "profile", "env_file", "project_directory"]),
  short: {},
};

function entrypoint(told: Told | undefined): readonly ShellWord[] {
  if (typeof told?.value !== "string" || told.value === "") return [];
  const { value: text, span, from } = told;
  return [{ text, span, from, pieces: [{ text, span, quoted: true }] }];
}

/** The command that a wrapper starts; `null` where this call of it starts none. */
function behind(words: readonly ShellWord[], wrapper: Wrapper): readonly ShellWord[] | null {
  const verbs = wrapper.verbs ?? [];
  const before: OptionTable = { valued: new Set(wrapper.valued), short: {} };
  let rest: readonly ShellWord[] = words.slice(1);
  for (const verb of verbs) {
    rest = launcherOptions(rest, before).rest;
    if (!verb.includes(rest[0]?.text ?? "")) return null;
    rest = rest.slice(1);
  }
  if (wrapper.unless?.includes(rest[0]?.text ?? "") === true) return null;
  if (wrapper.behind !== undefined) {
    const at = rest.findIndex(({ text }) => wrapper.behind?.includes(text ?? "") === true);
    return at < 0 ? null : rest.slice(at + 1);
  }
  if (wrapper.dashes === true) {
    const dashes = rest.findIndex(({ text }) => text === "--");
    if (dashes >= 0) return rest.slice(dashes + 1);
  }
  rest = launcherOptions(rest, before).rest.slice(wrapper.words ?? 0);
  if (wrapper.input === true) return withInput(rest, inputMark(words));
  return rest;
}

function withInput(words: readonly ShellWord[], mark: string | null): readonly ShellWord[] {
  const [first] = words;
  if (first === undefined) return words;
  if (mark === null) return [...words, { ...first, text: null, from: [], pieces: [] }];
  return words.map((word) => (word.text?.includes(mark) === true ? { ...word, text: null } : word));
}
