/** What a model block gives when it is asked for its counts, and for properties that it leaves to others. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Base } from "../../dsl/types/units.ts";
import { counted, number, unknown, type Value, type Valued } from "../../dsl/types/value.ts";
import type { Family, Group, Property } from "../models/family.ts";
import { families } from "../models/index.ts";
import { valueAt } from "../models/shape.ts";
import { modelRequest, sizeSaidTwice } from "../passes/resolve/model.ts";
import { patternOf } from "../passes/resolve/pattern.ts";
import { blockAt, given, numberAt, numberOf, textAt, valued } from "../passes/resolve/read.ts";
import { size } from "../passes/size.ts";
import type { Given } from "../pipeline.ts";
import type { SizedModel } from "../plan.ts";
import { letters } from "./model/pattern.ts";
import { trainedVocab } from "./model/trained-vocab.ts";
import { vocabValue } from "./tokenizer-derived.ts";
import { inTable } from "../../dsl/in-table.ts";

const known = new WeakMap<Instance, SizedModel | null>();

/** What keeps a model that no stage trains from being one: heads that do not divide its width, a size that it misses. */
export function sizeProblems(block: Instance): readonly Diagnostic[] {
  const vocab = vocabOf(block);
  const request = vocab === "several" ? null : modelRequest(block, vocab);
  const twice = sizeSaidTwice(block);
  if (twice !== null) return [twice];
  return request === null ? [] : size(request).diagnostics;
}

/** With the vocabulary of the tokenizer that it names, of the data that it is trained on, or its family's. */
function sized(block: Instance): SizedModel | null {
  const found = known.get(block);
  if (found !== undefined) return found;
  const vocab = vocabOf(block);
  const request = vocab === "several" ? null : modelRequest(block, vocab);
  const model = request === null ? null : size(request).model;
  known.set(block, model);
  return model;
}

/** The same for what no vocabulary decides: two of them are no matter unless the sizer makes the rest fit. */
function outlined(block: Instance): SizedModel | null {
  if (vocabOf(block, () => {}) !== "several") return sized(block);
  const request = modelRequest(block, null);
  return request === null || request.size !== null ? null : size(request).model;
}

function vocabOf(block: Instance, report?: (diagnostic: Diagnostic) => void): Given<number> | null | "several" {
  const tokenizer = blockAt(block, "tokenizer");
  if (tokenizer === null) return numberAt(block, "vocab") === null ? trainedVocab(block, report) : null;
  const vocab = numberOf(vocabValue(tokenizer));
  return vocab === null ? null : given(vocab, valued(block, "tokenizer"));
}

/** Whether a model has a group of figures though it writes none of them; one that cannot be sized may have what its family has. */
export function hasGroup(block: Instance, name: Group): boolean {
  const model = outlined(block);
  if (model !== null) return model[name] !== undefined;
  const family = inTable<Family>(families, textAt(block, "family") ?? "");
  return Object.keys(family?.defaults ?? {}).some((property) => property.startsWith(`${name}.`));
}

/** The kind of each layer, in words. */
export function layerKindsValue(block: Instance): Value {
  const model = sized(block);
  const text = patternOf(block, model?.layers)?.value;
  if (text === undefined) return unknown;
  const words = new Map<string, string>(Object.entries(letters).map(([word, letter]) => [letter, word]));
  const item = (letter: string): Valued => ({
    value: { kind: "string", value: words.get(letter) ?? letter },
    span: block.span,
    origin: { kind: "derived", rule: "pattern", inputs: [] },
  });
  return { kind: "list", items: [...text].map(item) };
}

export function sizedValue(block: Instance, name: "parameters" | "flops_per_token"): Value {
  const model = sized(block);
  if (model === null) return unknown;
  const base: Base = name === "parameters" ? "param" : "flop";
  return recordOf(
    block,
    Object.entries(model[name]).map(([field, value]) => [field, number(value, { [base]: 1 })]),
    name,
  );
}

/** What the family or the sizer decides where nobody wrote it. */
export function shapeValue(block: Instance, name: Property): Value {
  const model = name.includes(".") ? outlined(block) : sized(block);
  const value = model === null ? undefined : valueAt(model, name);
  if (value === undefined) return unknown;
  const type = inTable(block.kind.properties, name)?.type;
  if (typeof value === "number") {
    const isCount = type?.kind === "number" && type.integer === true;
    return (isCount ? counted : number)(value, name === "context" ? { token: 1 } : {});
  }
  if (typeof value === "boolean") return { kind: "bool", value };
  const word = String(value);
  if (type?.kind !== "enum") return { kind: "string", value: word };
  return { kind: "member", of: name, values: type.values, name: word };
}

/** A record of derived values. */
export function recordOf(block: Instance, fields: readonly (readonly [string, Value])[], rule: string): Value {
  const derived = (value: Value): Valued => ({
    value,
    span: block.span,
    origin: { kind: "derived", rule, inputs: [] },
  });
  return { kind: "record", fields: new Map(fields.map(([name, value]) => [name, derived(value)])), bounds: [] };
}
