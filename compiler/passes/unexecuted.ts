/**
 * What a file says and nothing carries out yet. It is checked and planned like everything else; whoever would run it is refused, by
 * the name of the step. Descriptors say it (`runs: false`), so that no step can forget to.
 */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { defaultOf } from "../../dsl/eval/blocks/default.ts";
import { describeInstance, type Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { groupOf } from "../../dsl/eval/blocks/property.ts";
import type { FormulaNames, Property, Type } from "../../dsl/kind.ts";
import type { Span } from "../../dsl/source/source.ts";
import { alternatives, meanings } from "../../dsl/types/type.ts";
import { type FormulaTree, show, type Valued } from "../../dsl/types/value.ts";
import { compiledOnly, kindNotExecuted, nothingToRun, notExecuted } from "../diagnostics/run.ts";
import { tokenizerChoice } from "../kinds/tokenizer.ts";
import type { LaunchSpec } from "../pipeline.ts";
import { chatOf, countsAnswers } from "./resolve/conversations.ts";
import { publishedWeights } from "./resolve/hub.ts";
import { expectationsOf, textIn } from "./resolve/expectations.ts";
import { blockAt, choiceAt, valued } from "./resolve/read.ts";
import { inTable } from "../../dsl/in-table.ts";

export interface Unexecuted {
  /** Why these steps, what they read and the launch cannot run, or not even be compiled; nothing where they can. All steps when none is named. */
  readonly of: (names: readonly string[], purpose?: Purpose) => readonly Diagnostic[];
  /** Steps that a bundle cannot hold, or that read what one of them makes. */
  readonly steps: ReadonlySet<string>;
  /** Steps that no other step reads from or waits for, sweeps aside: what the file is for. */
  readonly ends: () => ReadonlySet<string>;
  /** Where it is said, and where what nobody carries out is used. */
  readonly places: () => readonly Span[];
}

/** A bundle may be for a place where `cdrc run` starts nothing yet. */
export type Purpose = "run" | "compile";

/** What of a stage its engine takes care of: its layout, or with programs of its own what they compute and how as well. */
export type CarriedOut = "none" | "layout" | "all";

export function unexecuted(
  program: Program,
  launch: LaunchSpec,
  carriedOut: (stage: string) => CarriedOut = () => "none",
): Unexecuted {
  const views = new Map<Instance, View>();
  const roots = launch.target.kind === "kubernetes" ? launch.target.mounts.map(({ at }) => at).filter(isVolume) : [];
  const mounted = (path: string): boolean => roots.some((root) => path === root || path.startsWith(`${root}/`));
  const view = (block: Instance): View => {
    const found = views.get(block) ?? viewOf(block, carriedOut, mounted);
    views.set(block, found);
    return found;
  };
  const reach = (roots: readonly Instance[]): Set<Instance> => {
    const seen = new Set<Instance>(roots);
    for (const block of seen) for (const { other } of view(block).reads) seen.add(other);
    return seen;
  };
  const judge = (from: readonly Instance[], purpose: Purpose): Diagnostic[] =>
    [...reach(from)].flatMap((block) => {
      const who = describeInstance(block);
      if (block.kind.runs === false) return [kindNotExecuted(block.span, { who, kind: block.kind.name })];
      const { findings } = view(block);
      const lost = findings.filter(({ isCompiled }) => !isCompiled);
      if (lost.length > 0) return [notExecuted(block.span, { who, what: listed(lost) })];
      if (findings.length === 0 || purpose === "compile") return [];
      // A path of a mount is told with the launch that mounts it.
      return block.kind.name === "launch" ? [compiledOnly(block.span, { who })] : [];
    });
  const steps = program.blocks.filter((b) => b.kind.step === true && !b.abstract && isPresent(b));
  const usual = steps.filter(({ kind }) => kind.name !== "sweep");
  const launches = program.blocks.filter((b) => b.kind.name === "launch" && b.span === launch.span);
  return {
    // Whoever only checks a file does not ask.
    get steps() {
      return new Set(steps.filter((step) => judge([step], "compile").length > 0).map(nameOf));
    },
    places: () =>
      program.blocks
        .filter((block) => block.kind.runs === false || (!block.abstract && isPresent(block)))
        .flatMap((block) =>
          block.kind.runs === false && block.symbol !== null ? [block.symbol.node.span] : placesIn(view(block)),
        ),
    ends: () => {
      const readBy = (step: Instance) => [...reach([step])].filter((block) => block !== step);
      const read = new Set(usual.flatMap(readBy));
      return new Set(usual.filter((step) => !read.has(step)).map(nameOf));
    },
    of: (names, purpose = "run") => {
      if (steps.length === 0) return [nothingToRun({ source: program.root.file.source, start: 0, end: 0 }, {})];
      const wanted = names.length === 0 ? usual : steps.filter((step) => names.includes(nameOf(step)));
      return judge([...wanted, ...launches], purpose);
    },
  };
}

const placesIn = ({ findings, reads }: View): Span[] => [
  ...findings.map(({ span }) => span),
  ...reads.flatMap(({ other, span }) => (other.kind.runs === false ? [span] : [])),
];

const nameOf = (block: Instance): string => block.name ?? block.kind.name;

/** A place that a pod can have as a folder. */
const isVolume = (place: string): boolean => /^(?:pvc|tmp|nfs|file):\/\/|^\//.test(place);

const listed = (findings: View["findings"]): string => [...new Set(findings.map(({ what }) => what))].join(", ");

interface View {
  readonly findings: readonly { readonly span: Span; readonly what: string; readonly isCompiled?: boolean }[];
  /** Blocks that it speaks of, and where. */
  readonly reads: readonly { readonly other: Instance; readonly span: Span }[];
}

function viewOf(
  block: Instance,
  carriedOut: (stage: string) => CarriedOut,
  mounted: (path: string) => boolean,
): View {
  const findings: { span: Span; what: string; isCompiled: boolean }[] = [];
  const reads: { other: Instance; span: Span }[] = [];
  look(block, {
    block,
    carriedOut: block.kind.name === "stage" ? carriedOut(nameOf(block)) : "none",
    mounted,
    note: (span, what, isCompiled = false) => findings.push({ span, what, isCompiled }),
    read: (other, span) => reads.push({ other, span }),
  });
  for (const clause of [block.clauses.on, ...block.clauses.after]) {
    const symbol = clause === null ? null : block.context.resolve(clause.path, clause.module);
    const other = symbol === null ? null : block.context.instanceOf(symbol);
    if (clause !== null && other !== null) reads.push({ other, span: clause.path[0].span });
  }
  return { findings, reads };
}

interface Looking {
  readonly block: Instance;
  readonly carriedOut: CarriedOut;
  /** Is it in what the launch mounts? */
  readonly mounted: (path: string) => boolean;
  readonly note: (span: Span, what: string, isCompiled?: boolean) => void;
  readonly read: (other: Instance, span: Span) => void;
}

/** An engine with programs of its own says itself what it has of these. */
const judged: ReadonlySet<string> = new Set(["precision", "optimizer", "schedule"]);

function look(instance: Instance, looking: Looking): void {
  const { kind, context } = instance;
  const { note } = looking;
  if (kind.runs === false && instance.parent !== null) {
    note(extentOf(instance), `\`${kind.name}\``);
    return;
  }
  // Every step goes where the launch says.
  if (kind.name !== "launch" && instance.clauses.on !== null) note(instance.span, "`on`");
  const choices = choicesOf(instance);
  for (const [name, property] of Object.entries(kind.properties)) {
    if (!instance.values.has(name) && !instance.evaluated.has(name)) continue;
    const value = context.property(instance, name, instance.span);
    if (value.origin.kind === "default") continue;
    const isJudged = looking.carriedOut === "all" && judged.has(name);
    const isCompiled = property.compiledBeside?.some((choice) => choices.has(choice)) === true;
    const noted: Looking["note"] = isJudged
      ? () => undefined
      : (span, what, compiled) => note(span, what, compiled === true || isCompiled);
    said(value, property, `\`${name}\``, { ...looking, note: noted });
  }
  for (const { node } of instance.bounds) {
    const [{ text }] = node.target;
    if (inTable(kind.properties, text)?.runs === false) note(node.span, `\`${text} ${node.op} …\``);
  }
  for (const { span, what } of conversationsNotRun(instance, looking.carriedOut)) note(span, what);
  for (const { span, what } of weightsNotRun(instance, looking.carriedOut)) note(span, what);
  const watched = kind.name === "stage" ? expectationsOf(instance).map(({ source }) => source) : [];
  for (const { node } of instance.checks) {
    if (node.kind === "expect" && !watched.includes(textIn(node))) note(node.span, `\`${textIn(node)}\``);
  }
  for (const name of Object.keys(kind.blocks ?? {})) {
    const group = groupOf(instance, name);
    const isDone = name === "layout" && looking.carriedOut !== "none";
    if (group !== null && !isEmpty(group) && !isDone) look(group, looking);
  }
  for (const child of instance.blocks.values()) if (child.name !== null && isPresent(child)) look(child, looking);
}

/** The words that a block has chosen, where some of its properties are for one of them alone. */
function choicesOf(instance: Instance): ReadonlySet<string> {
  const asking = Object.values(instance.kind.properties).some(({ compiledBeside }) => compiledBeside !== undefined);
  const names = asking ? Object.keys(instance.kind.properties) : [];
  return new Set(names.flatMap((name) => choiceAt(instance, name)?.name ?? []));
}

/** Megatron takes weights in its own format alone. */
function weightsNotRun(stage: Instance, carriedOut: CarriedOut): View["findings"] {
  const model = carriedOut === "all" ? blockAt(stage, "model") : null;
  if (model === null || publishedWeights(model) === null || valued(stage, "from").value.kind === "handle") return [];
  return [{ span: valued(model, "from").span, what: "`from` of its model with `engine = megatron`" }];
}

/** What Megatron needs of the tokenizer of conversations, which it opens by its name. */
const namesOfTokenizer: ReadonlySet<string> = new Set(["name", "vocab"]);

function tokenizerNotRun(data: Instance): View["findings"] {
  const tokenizer = chatOf(data) === null ? null : choiceAt(data, "tokenizer");
  if (tokenizer?.name !== "hf") return [];
  const runs = (name: string): boolean => tokenizerChoice.constructors["hf"]?.parameters[name]?.runs !== false;
  return [...tokenizer.arguments]
    .filter(([name, { origin }]) => !namesOfTokenizer.has(name) && runs(name) && origin.kind !== "default")
    .map(([name, { span }]) => ({ span, what: `\`${name}\` of \`hf\` for conversations` }));
}

/** Only Megatron trains on conversations, and nobody else knows an answer from a question. */
function conversationsNotRun(instance: Instance, carriedOut: CarriedOut): View["findings"] {
  if (instance.kind.name === "data") return tokenizerNotRun(instance);
  const data = "data" in instance.kind.properties ? blockAt(instance, "data") : null;
  const isChat = data !== null && chatOf(data) !== null;
  if (isChat && carriedOut === "all") return [];
  const loss = instance.kind.name === "stage" ? valued(instance, "loss") : null;
  return [
    ...(isChat ? [{ span: valued(instance, "data").span, what: "`format = chat` without `engine = megatron`" }] : []),
    ...(loss !== null && countsAnswers(loss) ? [{ span: loss.span, what: "`over = answers`" }] : []),
  ];
}

/** From a group's name to the end of what it says. */
function extentOf(group: Instance): Span {
  const own = [...group.values.values()].map(({ expression }) => expression.span);
  const spans = [...own, ...[...group.blocks.values()].map(extentOf)].filter((s) => s.source === group.span.source);
  return { ...group.span, end: Math.max(group.span.end, ...spans.map(({ end }) => end)) };
}

const isEmpty = ({ values, blocks, bounds }: Instance): boolean => values.size + blocks.size + bounds.length === 0;

/** A value that was written, and what its property or parameter says of it. */
function said(value: Valued, property: Property, what: string, looking: Looking): void {
  const isOff = value.value.kind === "none" || value.value.kind === "auto" || value.value.kind === "unknown";
  if (isOff) return;
  if (property.runs !== false) return walk(value, property.type, looking);
  const usual = property.default === undefined ? null : defaultOf(property, "", value.span, looking.block.context);
  if (usual === null || show(usual.value) !== show(value.value)) looking.note(value.span, what);
  walk(value, property.type, { ...looking, note: () => undefined });
}

function walk({ value, span }: Valued, type: Type, looking: Looking): void {
  switch (value.kind) {
    case "block":
    case "handle":
      looking.read(value.block, span);
      return;
    case "list": {
      const element = alternatives(type).find((t) => t.kind === "list")?.element ?? type;
      for (const item of value.items) walk(item, element, looking);
      return;
    }
    case "choice": {
      if (value.declared !== undefined) looking.read(value.declared, span);
      const constructor = meanings(type)
        .flatMap((t) => (t.kind === "choice" ? [inTable(t.constructors, value.name)] : []))
        .find((c) => c !== undefined);
      if (constructor?.runs !== undefined) looking.note(span, `\`${value.name}\``, constructor.runs === "compiled");
      for (const [name, argument] of value.arguments) {
        const parameter = inTable(constructor?.parameters, name);
        if (parameter === undefined || argument.origin.kind === "default") continue;
        said(argument, parameter, `\`${name}\` of \`${value.name}\``, looking);
      }
      return;
    }
    case "string": {
      const place = meanings(type).find((t) => t.kind === "path");
      const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(value.value)?.[1];
      if (place?.kind === "path" && scheme !== undefined && place.schemes?.includes(scheme) !== true)
        looking.note(span, `paths with the scheme ${scheme}://`, looking.mounted(value.value));
      return;
    }
    case "formula": {
      const formula = meanings(type).find((t) => t.kind === "formula");
      if (formula === undefined) return;
      const known = typeof formula.names === "function" ? formula.names(looking.block) : formula.names;
      const { tree } = value;
      if (formula.alone === true && tree !== null && typeof tree === "object" && "op" in tree)
        looking.note(span, `\`${show(value)}\``);
      else for (const term of termsIn(tree)) for (const what of unrunIn(term, known)) looking.note(span, what);
      return;
    }
    case "member": {
      const values = meanings(type).flatMap((t) => (t.kind === "enum" && t.later !== undefined ? [t.later] : []))[0];
      if (values?.includes(value.name) === true) looking.note(span, `\`${value.name}\``);
      return;
    }
    default:
  }
}

interface Term {
  readonly name: string;
  readonly with?: Readonly<Record<string, FormulaTree>>;
}

/** A term that a file declares is in no descriptor's list, and nothing carries it out. */
function unrunIn({ name, with: given }: Term, names: FormulaNames | undefined): string[] {
  const found = names?.[name] ?? names?.[name.replace(/[^.]*$/, "*")];
  if (names === undefined) return [];
  if (found === undefined || found.runs === false) return [`\`${name}\``];
  const parameters = Object.entries(found.parameters ?? {}).filter(([, { runs }]) => runs === false);
  return parameters.flatMap(([parameter, property]) => {
    const value = given?.[parameter];
    return value === undefined || isUsual(value, property) ? [] : [`\`${parameter}\` of \`${name}\``];
  });
}

const isUsual = (value: FormulaTree, property: Property): boolean =>
  property.default !== undefined &&
  (property.default === String(value) || (value === 0 && property.default === "0%"));

function termsIn(tree: FormulaTree): Term[] {
  if (tree === null || typeof tree !== "object") return [];
  if (Array.isArray(tree)) return tree.flatMap(termsIn);
  if ("op" in tree) return tree.of.flatMap(termsIn);
  return "name" in tree ? [tree] : [];
}
