/** Scripts of a launch as they are read: with what Slurm sets, the jobs that they submit as text and the scripts that they write. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { foreignShellSyntax, foreignUnknown } from "../../diagnostics/foreign.ts";
import type { ContainerScript } from "../kubernetes/containers.ts";
import { directivesOf, sbatchCall, sbatchSettings, slurmVariables } from "../slurm/directives.ts";
import type { ScriptFile } from "../launch.ts";
import type { Choices } from "../shell/choices.ts";
import { readIn } from "../shell/folder.ts";
import { readText, type ShellScript } from "../shell/read.ts";
import type { Exported } from "../shell/reading.ts";
import { looksLikeShell } from "../documents/languages.ts";
import type { Settings } from "../settings.ts";
import type { ShellCommand, Value } from "../shell/state.ts";
import { placeholdersIn } from "../shell/placeholders.ts";
import { scriptText } from "../shell/text.ts";
import { isZsh } from "../shell/zsh.ts";

export interface ReadScript {
  readonly script: ScriptFile;
  readonly diagnostics: readonly Diagnostic[];
  /** Other scripts that it starts. */
  readonly sources: readonly Source[];
  /** A call of sbatch among these files starts it, with words and options of its own. */
  readonly isSubmitted?: boolean;
}

/** A script, and the jobs that it submits as text: what `sbatch --wrap` runs has the options of its own sbatch. */
export function scriptsFrom(...given: Parameters<typeof scriptFrom>): readonly ReadScript[] {
  const [, , read, choices] = given;
  const script = scriptFrom(...given);
  return [
    ...byJob(script),
    ...writtenScripts(script, read, choices),
    ...submittedScripts(script, read, choices, [script.script.source.path]),
  ];
}

/** Further calls of a sweep are told apart by little that rules ask. */
const mostSubmitted = 8;

/** Scripts that `sbatch` is given, with its options before their directives, its words as `$1` and on, and the environment of the call. */
function submittedScripts(
  { script }: ReadScript,
  read: ReadScripts,
  choices: Choices,
  above: readonly string[],
): readonly ReadScript[] {
  const calls = new Map<string, ReadScript>();
  for (const { words, env, certain, folder } of script.commands) {
    if (!certain || words[0]?.text?.split("/").at(-1) !== "sbatch" || calls.size >= mostSubmitted) continue;
    const { settings, rest, open } = sbatchCall(words.slice(1));
    const [file, ...given] = rest;
    const source = typeof file?.text === "string" ? readIn(read, folder)(file.text, file.span.source) : undefined;
    // A script that submits itself goes on where it stopped.
    if (
      source === undefined ||
      open ||
      settings.has("wrap") ||
      above.includes(source.path) ||
      !looksLikeShell(source)
    )
      continue;
    const environment = String(settings.get("export")?.value ?? "").startsWith("NONE") ? new Map() : env;
    const positional = given.map(({ pieces }) => pieces);
    const job = { ...scriptFrom(source, environment, read, choices, { settings, positional }), isSubmitted: true };
    calls.set([source.path, ...words.map(({ text }) => text)].join("\0"), job);
  }
  return [...calls.values()].flatMap((job) => {
    const { path } = job.script.source;
    const inner = submittedScripts(job, read, choices, [...above, path]);
    return [{ ...job, sources: [...job.sources, job.script.source] }, ...inner];
  });
}

/**
 * Scripts that a script writes and does not start itself. They have none of its variables, and no options of Slurm but their own and those of
 * the sbatch that is given them: nobody says that they run in its job.
 */
function writtenScripts({ script }: ReadScript, read: ReadScripts, choices: Choices): readonly ReadScript[] {
  return [...script.written].flatMap(([path, text]): readonly ReadScript[] => {
    if (text.isStarted || (!/^(?:#!.*sh\b|#SBATCH\s)/m.test(text.text) && !/\.(?:sh|bash|sbatch|slurm)$/.test(path)))
      return [];
    const { settings: own, late, strays, replaced } = directivesOf(text);
    const call = sbatchOf(path, script.commands);
    const directives = call === null ? own : new Map([...own, ...call.settings]);
    const shell = readText(
      { text, path },
      slurmVariables(directives),
      new Map(),
      read,
      choices,
      call?.positional ?? null,
    );
    return [asRead({ source: script.source, directives, late, strays, replaced, pods: null }, shell)];
  });
}

/** What the one call of sbatch that is given a script says besides; of several nobody knows which is meant. */
function sbatchOf(path: string, commands: readonly ShellCommand[]): Submitted | null {
  const calls = commands.flatMap(({ words, certain }): readonly Submitted[] => {
    if (!certain || words[0]?.text?.split("/").at(-1) !== "sbatch") return [];
    const { settings, rest, open } = sbatchCall(words.slice(1));
    const [file, ...given] = rest;
    if (open || file?.text?.replace(/^\.\//, "") !== path.replace(/^\.\//, "")) return [];
    return [{ settings, positional: given.map(({ pieces }) => pieces) }];
  });
  const [only, ...others] = calls;
  return only === undefined || others.length > 0 ? null : only;
}

interface Submitted {
  readonly settings: Settings;
  readonly positional: readonly Value[];
}

type ReadScripts = (path: string, from: Source) => Source | undefined;

function byJob(read: ReadScript): readonly ReadScript[] {
  const submitted = Map.groupBy(read.script.commands, submitting);
  if (submitted.size === 1 && submitted.has(null)) return [read];
  const jobs = [...submitted].flatMap(([command, commands]): readonly ReadScript[] =>
    command === null
      ? []
      : [
          {
            script: {
              ...read.script,
              directives: sbatchSettings(command.words.slice(1)),
              late: [],
              strays: [],
              replaced: [],
              written: new Map(),
              commands,
              skipped: [],
            },
            diagnostics: [],
            sources: [],
          },
        ],
  );
  return [{ ...read, script: { ...read.script, commands: submitted.get(null) ?? [] } }, ...jobs];
}

/** The sbatch whose text a command stands in. */
function submitting({ outer }: ShellCommand): ShellCommand | null {
  if (outer === null) return null;
  return outer.words[0]?.text === "sbatch" ? outer : submitting(outer);
}

/** What a manifest beside a script sets, it sets for it, unless the script is one of Slurm. */
function scriptFrom(
  source: Source,
  environment: Exported,
  read: ReadScripts,
  choices: Choices,
  submitted: Submitted | null = null,
): ReadScript {
  const { settings: own, late, strays, replaced } = directivesOf(scriptText(source));
  const settings = submitted === null ? own : new Map([...own, ...submitted.settings]);
  const shell = readText(
    { text: scriptText(source), path: source.path },
    slurmVariables(settings),
    own.size > 0 && submitted === null ? new Map() : environment,
    read,
    choices,
    submitted?.positional ?? null,
  );
  const { diagnostics, ...made } = asRead(
    { source, directives: settings, late, strays, replaced, pods: null },
    shell,
  );
  return { ...made, diagnostics: [...unreadIn(source), ...diagnostics] };
}

export const scriptOfContainer = ({ source, pods, ...shell }: ContainerScript): ReadScript =>
  asRead({ source, directives: new Map(), late: [], strays: [], replaced: [], pods }, shell);

/** What is said of a script, and what its shell does. */
const asRead = (
  said: Omit<ScriptFile, keyof ShellScript>,
  { problems, sources, ...shell }: ShellScript,
): ReadScript => ({
  script: { ...said, ...shell },
  diagnostics: problemsOf(problems),
  sources,
});

/** Places to fill in behind which no shell can read on. */
const unreadIn = (source: Source): readonly Diagnostic[] =>
  placeholdersIn(source.text)
    .filter(({ isRead }) => !isRead)
    .slice(0, 10)
    .map(({ start, end, text }) =>
      foreignShellSyntax(
        { source, start, end },
        { why: `${text} is a placeholder, and the shell takes its \`<\` for a redirection` },
        { fix: `Write a value in place of ${text}.` },
      ),
    );

const problemsOf = (problems: ContainerScript["problems"]): readonly Diagnostic[] =>
  problems.slice(0, 10).map(({ message, span, fix }) => {
    const mend =
      fix ?? (/nesting/.test(message) ? "Reduce the nesting: no launch needs that many levels." : undefined);
    if (!isZsh(span.source))
      return foreignShellSyntax(span, { why: message }, mend === undefined ? {} : { fix: mend });
    // The parser is one of bash: what it cannot read may well be right.
    const because = "it is written for zsh only";
    return foreignUnknown(span, { what: "what this means", because, advice: "Only what bash also reads is checked" });
  });
