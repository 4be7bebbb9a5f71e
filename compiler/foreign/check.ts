/** `cdrc check` of files that people already have: everything that is wrong with one launch. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { ordered } from "../../dsl/diagnostics/order.ts";
import type { Source } from "../../dsl/source/source.ts";
import { foreignUnknown } from "../diagnostics/foreign.ts";
import { assemble, type Assembled } from "./assemble.ts";
import type { Beside, Read } from "./beside.ts";
import type { Launch, Run, Supplied, World } from "./launch.ts";
import { launchesOf } from "./launches.ts";
import { checkDeepSpeedFiles } from "./deepspeed.ts";
import { enginesOf, versionDiagnostics, type EngineName, type JudgedBy } from "./engines.ts";
import { decided } from "./documents/located.ts";
import { missingDeepSpeed } from "./documents/missing-deepspeed.ts";
import { checkMegatron, isMegatron } from "./megatron.ts";
import { foreignRules } from "./rules/index.ts";
import { packagesOf } from "./known/packages.ts";
import { numberIn } from "./settings.ts";
import { startsSwiftMegatron } from "./commands/swift-runs.ts";
import { unjudged } from "./unjudged.ts";
import { allWays, type Choices } from "./shell/choices.ts";
import { identity, onEveryWay } from "./ways.ts";
import { mainRun } from "./starts.ts";
import { worldOf } from "./world.ts";

export interface Checked extends Pick<Assembled, "kinds" | "launch"> {
  readonly diagnostics: readonly Diagnostic[];
  /** What each engine's part was held against. */
  readonly engines: readonly JudgedBy[];
}

/** What all ways through a script's open branches have in common is as certain as what no branch touches. */
export function checkForeign(files: readonly Source[], supplied: Supplied, read: Read | Beside): Checked {
  const { checked, common } = onEveryWay((choices) => checkOnce(files, supplied, read, choices));
  return { ...checked, diagnostics: ordered([...checked.diagnostics, ...common]) };
}

function checkOnce(
  files: readonly Source[],
  supplied: Supplied,
  read: Read | Beside,
  choices: Choices = allWays,
): Checked {
  const { launch, diagnostics, kinds } = assemble(files, supplied, read, { choices });
  const engines = enginesOf(launch);
  const releaseOf = (engine: EngineName): string | null =>
    engines.find((each) => each.engine === engine)?.version ?? null;
  const each = launchesOf(launch);
  const judged = (worldAs: (world: World) => World): readonly Diagnostic[] => {
    const all = { ...launch, world: worldAs(launch.world) };
    const own = each.map((one) => (one === launch ? all : { ...one, world: worldAs(one.world) }));
    return [
      ...ruled(all, own),
      ...launch.runs.filter(isMegatron).flatMap((run) =>
        checkMegatron(
          run,
          worldAs(worldOf(run, launch.accelerate, supplied, launch.listings)),
          launch.supplied,
          {
            release: releaseOf("megatron"),
            transformerEngine: packagesOf(launch).get("transformer-engine")?.version ?? null,
          },
          launch.beside,
        ),
      ),
      ...own.flatMap((one) => checkDeepSpeedFiles(one, releaseOf("deepspeed"))),
    ];
  };
  const found = [
    ...diagnostics,
    ...versionDiagnostics(engines, launch),
    ...withoutAssumed(judged),
    ...each.flatMap(unknownConfiguration),
    ...unjudged(launch),
    ...unknownsOfRuns(launch),
  ];
  const isSaid = found.some(({ code }) => code === "cdr/command-unread");
  return { launch, kinds, engines, diagnostics: isSaid ? found : [...found, ...nothingStarted(launch)] };
}

/** What hundreds of rules say, of which nearly all say nothing. */
function ruled(all: Launch, each: readonly Launch[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const rule of foreignRules)
    for (const one of rule.ofAll === true ? [all] : each) {
      const said = decided(() => rule.check(one));
      if (said !== null) for (const diagnostic of said) found.push(diagnostic);
    }
  return found;
}

/** What holds only because nothing here starts more than one rank is no more than a warning: whoever starts the script may. */
function withoutAssumed(judged: (worldAs: (world: World) => World) => readonly Diagnostic[]): readonly Diagnostic[] {
  let isAssumed = false;
  const found = judged((world) => {
    isAssumed ||= world.isAssumed === true;
    return world;
  });
  if (!isAssumed || found.every(({ severity }) => severity !== "error")) return found;
  const certain = new Set(
    judged((world) => (world.isAssumed === true ? { size: null, nodes: null, perNode: null, said: [] } : world)).map(
      identity,
    ),
  );
  return found.map((each) =>
    each.severity !== "error" || certain.has(identity(each))
      ? each
      : {
          ...each,
          severity: "warning",
          message: `${each.message}; nothing in these files starts more than one rank`,
        },
  );
}

function unknownConfiguration(launch: Launch): readonly Diagnostic[] {
  const missing = missingDeepSpeed(launch);
  return missing === null
    ? []
    : [
        foreignUnknown(missing.span, {
          what: "the DeepSpeed configuration",
          because: `${String(missing.value)} is not among these files`,
          advice: "Give that file too, to have its ZeRO stage, batch and precision checked",
        }),
      ];
}

/** What rules could not decide because nobody says it: once for each thing, at its first place. */
function unknownsOfRuns(launch: Launch): readonly Diagnostic[] {
  const first = mainRun(launch.runs);
  if (first === undefined) return [];
  const { program, launcher, command } = first;
  const span = program?.span ?? command.span;
  const found: Diagnostic[] = [];
  if (launch.world.size === null && launcher.kind !== "other") {
    const because = worldBecause(first);
    found.push(
      foreignUnknown(because.span, {
        what: "the number of ranks",
        because: because.text,
        advice:
          launcher.settings.has("nproc_per_node") && numberIn(launcher.settings, "nnodes") !== null
            ? "Give it with `--world N` or `--gpus-per-node N`"
            : "Give it with `--world N`",
      }),
    );
  } else if (launcher.open !== null)
    found.push(
      foreignUnknown(launcher.open.span, {
        what: `part of the options of ${launcher.word.text ?? "the launcher"}`,
        because: "",
        advice: "Only the options written here are checked",
      }),
    );
  const open = launch.runs
    .flatMap(({ args }) => args)
    .find(({ text }, at, all) => text === null && !isValueOf(all[at - 1]?.text));
  if (open !== undefined && launch.runs.some((run) => run.open && isMegatron(run)))
    found.push(
      foreignUnknown(open.span, {
        what: "part of the arguments",
        because: "",
        advice: "Only the arguments written here are checked",
      }),
    );
  if (launch.supplied.gpu === null && launch.runs.some(isMegatron))
    found.push(foreignUnknown(span, { what: "the GPU", because: "", advice: "Give it with `--gpu NAME`" }));
  return found;
}

/** Silence would say that a launch was judged. */
function nothingStarted({ runs, scripts }: Launch): readonly Diagnostic[] {
  const commands = scripts.flatMap((script) => script.commands);
  const command = commands.at(-1);
  if (command === undefined || runs.length > 0 || commands.some(startsSwiftMegatron)) return [];
  return [
    foreignUnknown(command.words[0]?.span ?? command.span, {
      what: "what this starts",
      because: "none of these commands is a known launcher or training program",
      advice: "Only the directives and the shell's own words are checked",
    }),
  ];
}

function isValueOf(text: string | null | undefined): boolean {
  return text?.startsWith("--") === true;
}

const writtenIn = ({ source, start, end }: Diagnostic["span"]): string =>
  source.text.slice(start, end).split("\n")[0] ?? "";

function worldBecause({ launcher, program, command }: Run): {
  readonly text: string;
  readonly span: Diagnostic["span"];
} {
  for (const name of ["nnodes", "nproc_per_node", "num_processes", "num_nodes", "num_gpus", "np", "hostfile"]) {
    const told = launcher.settings.get(name);
    if (told === undefined || told.span === launcher.open?.span) continue;
    if (!told.known || Number.isNaN(Number(told.value))) {
      const word = told.from[0] === undefined ? String(told.value) : `$${told.from[0]}`;
      return { text: `${told.name} is ${word === "null" ? "set when it runs" : word}`, span: told.span };
    }
  }
  if (launcher.open !== null) {
    const { span } = launcher.open;
    return { text: `${writtenIn(span)} may set it, which is known only when it runs`, span };
  }
  const size = command.env.get("WORLD_SIZE");
  if (launcher.kind === "python" && size !== undefined)
    return { text: "WORLD_SIZE is set when it runs", span: size.span };
  return { text: "nothing here gives it", span: program?.span ?? command.span };
}
