/** Forks of Megatron, and programs with some of its arguments: what their own are isn't known here. */
import { distance } from "fastest-levenshtein";
import type { Span } from "../../dsl/source/source.ts";
import { historyOf } from "../engines/megatron/history.ts";
import { entryOf } from "../engines/megatron/programs.ts";
import { argumentTable, type ArgumentTable } from "../engines/megatron/table.ts";
import type { Run } from "./launch.ts";

/** An argument that no release takes. */
export interface Strange {
  readonly name: string;
  readonly span: Span;
}

/** Few strange arguments are mistakes, each told as one. */
const several = 4;

/** As many as a program adds that leaves the rest to Megatron. */
const few = 8;

/** Arguments that a fork is known by: how it divides layers and sequences, or where it takes the model from. */
const forked: ReadonlySet<string> = new Set([
  // MindSpeed
  ...[
    "--context-parallel-algo",
    "--cp-window-size",
    "--num-layer-list",
    "--reuse-fp32-param",
    "--tokenizer-name-or-path",
  ],
  ...["--use-fused-rmsnorm", "--use-fused-swiglu", "--use-fused-rotary-pos-emb", "--moe-permutation-async-comm"],
  // AIAK
  ...["--training-phase", "--trainable-modules", "--hf-tokenizer-path"],
]);

/** What a run is given that no release of Megatron takes; `null` where it is too little to make it another program. */
export function otherMegatron(run: Run): readonly Strange[] | null {
  const known = found.get(run);
  if (known !== undefined) return known;
  const made = judged(run);
  found.set(run, made);
  return made;
}

/** A trainer of its own, whose arguments aren't Megatron's in other letters either. */
export function isStranger(run: Run): boolean {
  const table = argumentTable("gpt");
  return (otherMegatron(run) ?? []).filter(({ name }) => !isTaken(plain(name), table)).length >= several;
}

const found = new WeakMap<Run, readonly Strange[] | null>();

function judged({ args, program }: Run): readonly Strange[] | null {
  const entry = entryOf(program?.text ?? "");
  const table = argumentTable(entry ?? "gpt");
  // Nearly every name is one that the table has as it stands.
  const unknown = args.filter(({ text }) => text?.startsWith("--") === true && !table.byName.has(text));
  const untaken = unknown.flatMap(named).filter(({ name }) => !isTaken(name, table));
  if (untaken.some(({ name }) => forked.has(name))) return untaken;
  if (untaken.length < several) return null;
  const given = args.flatMap(named);
  const ofWords = given.filter(({ name }) => /\w[-_]\w/.test(name));
  const isUnderscored = ofWords.filter(({ name }) => name.includes("_")).length * 2 > ofWords.length;
  const strange = untaken.filter(({ name }) => isUnderscored || !isSlip(name, table));
  if (strange.length < several) return null;
  // A program of somebody's own adds a few arguments to Megatron's; one with many fills in others of Megatron's itself.
  return entry !== null || strange.length > few || strange.length * 3 >= given.length ? strange : null;
}

function named({ text, span }: Run["args"][number]): readonly Strange[] {
  const name = /^--[A-Za-z][\w-]*(?==|$)/.exec(text ?? "")?.[0];
  return name === undefined ? [] : [{ name, span }];
}

const isTaken = (name: string, table: ArgumentTable): boolean =>
  table.byName.has(name) || historyOf(name, table.version) !== null;

function isSlip(name: string, table: ArgumentTable): boolean {
  const written = plain(name);
  return [...table.byName.keys()].some(
    (each) => Math.abs(each.length - written.length) <= slip && distance(each, written) <= slip,
  );
}

const slip = 2;

const plain = (name: string): string => name.replaceAll("_", "-");
