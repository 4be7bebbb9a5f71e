/** Judges the DeepSpeed configurations of a launch, with what transformers and accelerate fill in. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../dsl/source/source.ts";
import { foreignUnknown } from "../diagnostics/foreign.ts";
import { checkDeepSpeed, type Finding } from "../engines/deepspeed/check.ts";
import { older } from "../engines/deepspeed/older.ts";
import type { Launch as Host } from "../engines/deepspeed/launch.ts";
import { findingsOf, newest } from "../engines/deepspeed/versions.ts";
import { numberOf, type Section, type Value } from "../engines/deepspeed/value.ts";
import { autos, filled } from "./trainer/autos.ts";
import { fills } from "./trainer/fills.ts";
import type { Document, Launch } from "./launch.ts";
import { at, entryOf, holdsUnknown, numberAt, type Entry, type Located } from "./documents/located.ts";
import { numberIn, switchIn, textIn, type Settings } from "./settings.ts";

export function checkDeepSpeedFiles(launch: Launch, release: string | null): readonly Diagnostic[] {
  return launch.documents
    .filter(({ kind }) => kind === "deepspeed")
    .flatMap((document) => judged(document, launch, release ?? newest));
}

const batch = ["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"];

/** What stands for values that a script puts in: what is said of one of them is said of any. */
const standIns: readonly ((path: string) => Value)[] = [
  placeholder,
  ...([0, 2, 3, true, false, "none", "cpu"] as const).map((value) => (): Value => value),
];

function judged({ root }: Document, launch: Launch, release: string): readonly Diagnostic[] {
  const [first = [], ...others] = (holdsUnknown(root) ? standIns : standIns.slice(0, 1)).map((standIn) =>
    judgedWith(standIn, root, launch, release),
  );
  const isIn = (found: readonly Diagnostic[], { code, message, severity }: Diagnostic): boolean =>
    found.some((each) => each.code === code && each.message === message && each.severity === severity);
  return first.filter((each) => others.every((found) => isIn(found, each)));
}

function judgedWith(
  standIn: (path: string) => Value,
  root: Located,
  launch: Launch,
  release: string,
): readonly Diagnostic[] {
  const open = new Set<string>();
  const unknown = (path: string): Value => {
    open.add(path);
    return standIn(path);
  };
  const filling = fills(launch);
  const fill = (path: string): Value => {
    // What neither fills stays, whoever reads the file.
    if (filling === false || (filling === null && !filled.has(path))) return "auto";
    const value = filledBy(launch, path);
    if (value === null) open.add(path);
    return value ?? placeholder(path);
  };
  const written = valueOf(root, "", { fill, unknown });
  if (!(written instanceof Map)) return [];
  const { config, findings: own } = older(release, written as Section, launch.world.size);
  const unsaid = filling === null && !config.has("train_batch_size") && !config.has("train_micro_batch_size_per_gpu");
  const missing = unsaid || (filling === true && !batch.some((key) => config.has(key)));
  if (batch.some((key) => open.has(key)) || (missing && !config.has("train_batch_size")))
    for (const key of batch) open.add(key);
  const host = hostOf(root, config as Map<string, Value>, launch);
  const found = [...own, ...findingsOf(release, config, checkDeepSpeed(config, host).findings)];
  const sure =
    filling === true || host.clientOptimizer !== null
      ? found
      : [...own, ...findingsOf(release, config, withClient(config, host))];
  const brought =
    host.clientOptimizer === undefined
      ? findingsOf(release, config, ofTheProgram(config, host)).filter(
          ({ message }) => !found.some((each) => each.message === message),
        )
      : [];
  const told = [...found, ...brought]
    // Of a file and of what stands beside it, the rule of pipelines says that.
    .filter(({ diagnostic: { code } }) => code !== "cdr/deepspeed-pipeline-zero")
    .filter(({ path, related }) => ![path, ...related].some((each) => open.has(each)))
    .map((finding) => {
      const told = diagnosticOf(finding, root);
      if (brought.includes(finding)) {
        const message = `${told.message}, whatever optimizer the program brings`;
        return { ...told, severity: "warning" as const, message };
      }
      if (told.severity !== "error" || sure.some(({ message }) => message === finding.message)) return told;
      const message = `${told.message}; a program with its own optimizer is not affected`;
      return { ...told, severity: "warning" as const, message };
    });
  return [...told, ...(unsaid ? [batchUnknown(root)] : []), ...(filling === null ? unfilled(root, host) : [])];
}

/** Places of `"auto"` that DeepSpeed itself stumbles over: whether something writes a value there first, nothing says. */
function unfilled(root: Located, host: Host): readonly Diagnostic[] {
  const config = valueOf(root, "", { fill: () => "auto", unknown: placeholder });
  const stops = new Set(
    checkDeepSpeed(config as Section, host).findings.flatMap(({ remark, path }) =>
      remark === "demand" ? [path] : [],
    ),
  );
  const found = autos(root).filter(({ path }) => filled.has(path) && stops.has(path));
  const first = found[0];
  if (first === undefined) return [];
  const keys = found.map(({ path }) => path).join(", ");
  return [
    foreignUnknown(
      first.node.span,
      {
        what: 'what fills in this "auto"',
        because: `the transformers Trainer and accelerate write numbers for ${keys}, but DeepSpeed itself stops at the word`,
        advice: "Give the script that starts the launch and its settings, or write numbers",
      },
      { related: found.slice(1).map(({ path, node }) => ({ message: `${path} is here`, span: node.span })) },
    ),
  ];
}

/** The Trainer and accelerate write the sizes that a file leaves out, and nothing else does. */
function batchUnknown(root: Located): Diagnostic {
  return foreignUnknown(startOf(root), {
    what: "the batch",
    because: "neither train_batch_size nor train_micro_batch_size_per_gpu is written",
    advice: "DeepSpeed refuses the file unless the Trainer or accelerate fills it in",
  });
}

/** What is wrong whoever makes the optimizer: a program of its own may bring one, and the section of the file is not read then. */
function withClient(config: Section, host: Host): readonly Finding[] {
  return checkDeepSpeed(config, { ...host, clientOptimizer: "AdamW" }).findings;
}

/** Classes that a program may make, each of another kind to the engine: torch's that it knows and that it does not, and its own on the CPU. */
const clients = ["AdamW", "SGD", "DeepSpeedCPUAdam"];

/** A training whose file names no optimizer has one of its program: what is wrong with any of them. */
function ofTheProgram(config: Section, host: Host): readonly Finding[] {
  const withOne = (clientOptimizer: string | null): readonly Finding[] =>
    checkDeepSpeed(config, { ...host, clientOptimizer }).findings.filter(
      ({ remark, diagnostic }) => remark === "demand" && diagnostic.severity !== "info",
    );
  const isIn = (all: readonly Finding[], { path, diagnostic }: Finding): boolean =>
    all.some((each) => each.path === path && each.diagnostic === diagnostic);
  const [first = [], ...others] = clients.map(withOne);
  return first.filter((finding) => others.every((all) => isIn(all, finding)));
}

function hostOf(root: Located, config: Map<string, Value>, launch: Launch): Host {
  const { world, supplied, trainer } = launch;
  const own = at(root, "optimizer") !== undefined;
  const optimizer = trainer === null || own ? undefined : (textIn(trainer, "optim") ?? "adamw_torch");
  // The Trainer brings its own optimizer where the file has none, and lets DeepSpeed take it.
  if (optimizer !== undefined && !config.has("zero_allow_untested_optimizer"))
    config.set("zero_allow_untested_optimizer", true);
  // accelerate makes DeepSpeed's own Adam of an Adam where it is offloaded (utils/deepspeed.py: map_pytorch_optim_to_deepspeed).
  if (optimizer !== undefined && /adam/.test(optimizer)) config.set("zero_force_ds_cpu_optimizer", false);
  const stages = numberAt(at(root, "pipeline", "stages"));
  return {
    ...(world.size === null ? {} : { world: world.size }),
    ...(isDense(root, launch) ? { model: { kind: "dense" as const } } : {}),
    ...(stages !== null && stages > 1 ? { model: { kind: "pipeline" as const, stages } } : {}),
    ...(supplied.gpu === null ? {} : { accelerator: "cuda" as const }),
    ...(own ? { clientOptimizer: null } : {}),
    ...(optimizer === undefined ? {} : { clientOptimizer: optimizer.startsWith("adamw") ? "AdamW" : optimizer }),
  };
}

/** A program that divides the model says so somewhere; the ranks that share a batch are fewer then. */
function isDense(root: Located, { runs }: Launch): boolean {
  const said = /pipe|pp_size|stages|tensor|tp_size|model_parallel|expert|moe/;
  return (
    at(root, "pipeline") === undefined &&
    !runs.some(({ options }) => [...options.keys()].some((name) => said.test(name)))
  );
}

/** What the Trainer writes where a file says `"auto"`; `null` where it isn't known. */
function filledBy({ trainer, world }: Launch, path: string): Value | null {
  if (trainer === null) return null;
  const number = (otherwise: number, name: string): Value | null => numbers(trainer, name, otherwise);
  switch (path) {
    case "train_micro_batch_size_per_gpu":
      return number(8, "per_device_train_batch_size");
    case "gradient_accumulation_steps":
      return number(1, "gradient_accumulation_steps");
    case "train_batch_size": {
      const [micro, accumulation] = [
        number(8, "per_device_train_batch_size"),
        number(1, "gradient_accumulation_steps"),
      ];
      return world.size === null || typeof micro !== "number" || typeof accumulation !== "number"
        ? null
        : micro * accumulation * world.size;
    }
    case "fp16.enabled":
      return switchIn(trainer, "fp16") ?? (trainer.has("fp16") ? null : false);
    case "bf16.enabled":
      return switchIn(trainer, "bf16") ?? (trainer.has("bf16") ? null : false);
    default:
      return null;
  }
}

function numbers(settings: Settings, name: string, otherwise: number): number | null {
  return settings.has(name) ? numberIn(settings, name) : otherwise;
}

/** Any value that every rule takes, for keys whose findings are left out. */
function placeholder(path: string): Value {
  if (path.endsWith(".enabled")) return false;
  if (path.endsWith(".betas")) return [numberOf("0.9"), numberOf("0.999")];
  if (path.endsWith(".device")) return "none";
  if (/\.(?:lr|eps|weight_decay|warmup_min_lr|warmup_max_lr)$/.test(path)) return numberOf("1e-4");
  if (path.endsWith("_model_save")) return true;
  return path.endsWith("total_num_steps") ? 1000 : 1;
}

/** Who writes a value that the file leaves to others. */
interface Sources {
  /** For `"auto"`. */
  readonly fill: (path: string) => Value;
  /** For what a script puts in when it runs. */
  readonly unknown: (path: string) => Value;
}

function valueOf(node: Located, path: string, sources: Sources): Value {
  if (node.kind === "unknown") return sources.unknown(path);
  if (node.kind === "list") return node.items.map((each) => valueOf(each, path, sources));
  if (node.kind === "map")
    return new Map(
      node.entries.map(({ key, value }) => [key, valueOf(value, path === "" ? key : `${path}.${key}`, sources)]),
    ) as Section;
  if (node.value === "auto") return sources.fill(path);
  if (typeof node.value !== "number") return node.value;
  const written = node.span.source.text.slice(node.span.start, node.span.end);
  return numberOf(Number(written) === node.value ? written : String(node.value));
}

export function diagnosticOf(finding: Finding, root: Located): Diagnostic {
  const { diagnostic, message, path, related, valid, nearest, remark } = finding;
  const entry = written(root, path);
  const ofKey = ["extra", "ignored", "removed", "deprecated", "both"].includes(remark);
  const span =
    entry === null ? startOf(root) : ofKey || entry.value.kind !== "scalar" ? entry.keySpan : entry.value.span;
  const others = related.flatMap((each) => {
    const other = written(root, each);
    return other === null || other === entry
      ? []
      : [{ message: `${each} is here`, span: other.value.kind === "scalar" ? other.value.span : other.keySpan }];
  });
  const fixes = nearest === null || entry === null ? [] : [replacement(entry.keySpan, quotedLike(entry, nearest))];
  return diagnostic(span, { message }, { related: others, valid, fixes });
}

function quotedLike({ keySpan }: Entry, name: string): string {
  return keySpan.source.text[keySpan.start] === '"' ? `"${name}"` : name;
}

/** The entry at a path, or the innermost section around it that is written. */
function written(root: Located, path: string): Entry | null {
  let node: Located | undefined = root;
  let last: Entry | null = null;
  for (const key of path.split(".")) {
    const entry = entryOf(node, key);
    if (entry === undefined) return last;
    [last, node] = [entry, entry.value];
  }
  return last;
}

function startOf({ span }: Located): Span {
  return { ...span, end: Math.min(span.end, span.start + 1) };
}
