/** Artefacts that must agree: tokens between data, models and evaluations; places between who writes and who may. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Valued } from "../../../dsl/types/value.ts";
import { storeReadOnly } from "../../diagnostics/data.ts";
import { evalTokenizer, modelTokenizer } from "../../diagnostics/operations.ts";
import { pathCase } from "../../diagnostics/places.ts";
import { blockAt, choiceAt, textAt, valued } from "../resolve/read.ts";
import { pathsIn } from "./references.ts";
import { sameTokens } from "./same-tokens.ts";
import { ofWeights } from "./seldom.ts";
import { ofTeacher } from "./teaching.ts";

export function lineage(blocks: readonly Instance[]): Diagnostic[] {
  return [...blocks.flatMap(tokens), ...places(blocks), ...spellings(blocks)];
}

function tokens(block: Instance): Diagnostic[] {
  if (block.kind.name === "stage")
    return [...ofModel(block), ...ofEvals(block), ...(isTaught(block) ? ofTeacher(block) : [])];
  if (block.kind.name !== "eval") return [];
  const model = valued(block, "model").value;
  const trained = model.kind === "handle" ? blockAt(model.block, "data") : null;
  return trained === null ? [] : against(block, trained, model.kind === "handle" ? model.block : block);
}

/** A model whose tokenizer is named, and data that were made with another. */
function ofModel(stage: Instance): Diagnostic[] {
  const [model, data] = [blockAt(stage, "model"), blockAt(stage, "data")];
  if (model === null || data === null) return [];
  const named = blockAt(model, "tokenizer");
  if (named === null) return textAt(model, "from")?.startsWith("hf://") === true ? ofWeights(stage, model, data) : [];
  const used = blockAt(data, "tokenizer");
  if (used === named) return [];
  const slots = {
    stage: stage.name ?? "",
    data: data.name ?? "",
    model: model.name ?? "",
    tokenizer: named.name ?? "",
  };
  const related = [{ message: "the model's tokenizer", span: valued(model, "tokenizer").span }];
  return [modelTokenizer(valued(stage, "data").span, slots, { related })];
}

const isTaught = (stage: Instance): boolean => choiceAt(stage, "objective")?.arguments.has("teacher") === true;

function ofEvals(stage: Instance): Diagnostic[] {
  const { value } = valued(stage, "evals");
  const data = blockAt(stage, "data");
  if (value.kind !== "list" || data === null) return [];
  return value.items.flatMap(({ value: item }) => (item.kind === "block" ? against(item.block, data, stage) : []));
}

/** The text of an evaluation must be written in the tokens that its model was trained on. */
function against(evaluation: Instance, trained: Instance, stage: Instance): Diagnostic[] {
  const texts = ["data", "tasks"].flatMap((name) => [...dataIn(valued(evaluation, name))]);
  return texts.flatMap(({ read, span }) => {
    if (read === trained || sameTokens(read, trained)) return [];
    const slots = { evaluation: evaluation.name ?? "", data: read.name ?? "", stage: stage.name ?? "" };
    const related = [{ message: "the training data of the stage", span: valued(stage, "data").span }];
    return [evalTokenizer(span, slots, { related })];
  });
}

/** Data that a value names, itself or in one of its items and arguments: `[perplexity(other.val)]`. */
function* dataIn({ value, span }: Pick<Valued, "value" | "span">): Generator<{ read: Instance; span: Span }> {
  if (value.kind === "block" || value.kind === "handle") {
    if (value.block.kind.name === "data") yield { read: value.block, span };
  } else if (value.kind === "list") for (const item of value.items) yield* dataIn(item);
  else if (value.kind === "choice") for (const argument of value.arguments.values()) yield* dataIn(argument);
}

/** Who writes where: no step may write to a store that can only be read. */
function places(blocks: readonly Instance[]): Diagnostic[] {
  const closed = blocks.filter((b) => b.kind.name === "store" && textAt(b, "access") === "read");
  if (closed.length === 0) return [];
  return blocks.flatMap((block) =>
    [...pathsIn(block)].flatMap(({ name, path, span }) => {
      const store = name === "to" ? closed.find((s) => path.startsWith(textAt(s, "at") ?? "\0")) : undefined;
      if (store === undefined) return [];
      const related = [{ message: "its access", span: valued(store, "access").span }];
      return [storeReadOnly(span, { store: store.name ?? "", step: block.name ?? "" }, { related })];
    }),
  );
}

/** A folder or a file, as it was first written. */
interface Place {
  readonly part: string;
  readonly span: Diagnostic["span"];
  readonly inner: Map<string, Place>;
}

/** One place said twice, in other capitals: a folder or the whole path. Each path is told of once. */
function spellings(blocks: readonly Instance[]): Diagnostic[] {
  const roots = new Map<string, Place>();
  const found: Diagnostic[] = [];
  for (const block of blocks) {
    for (const { path, span } of pathsIn(block)) {
      const parts = partsOf(path);
      let inner = roots;
      let first: { readonly at: number; readonly place: Place } | undefined;
      for (const [at, part] of parts.entries()) {
        const place = inner.get(part.toLowerCase()) ?? { part, span, inner: new Map<string, Place>() };
        inner.set(part.toLowerCase(), place);
        if (place.part !== part) first ??= { at, place };
        inner = place.inner;
      }
      if (first === undefined) continue;
      const above = parts.slice(0, first.at).join("");
      const other = above + parts[first.at];
      const before = above + first.place.part;
      const related = [{ message: "the other spelling", span: first.place.span }];
      const whole = span.source.text.slice(span.start, span.end) === JSON.stringify(path);
      const fixes = whole ? [replacement(span, JSON.stringify(before + path.slice(other.length)))] : [];
      found.push(pathCase(span, { path: other, other: before }, { related, fixes }));
    }
  }
  return found;
}

/** The folders that a path goes through, and itself, each with the slash before it; what a glob stands for is no place. */
function partsOf(path: string): string[] {
  const plain = path.replace(/(?:^|\/)[^/]*[*?{[].*$/, "");
  const root = /^[a-z][a-z0-9+.-]*:\/\/|^/.exec(plain)?.[0] ?? "";
  const parts = plain
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "");
  const isFull = plain.startsWith("/");
  return parts.map((part, index) => (index > 0 ? `/${part}` : `${root}${isFull ? "/" : ""}${part}`));
}
