import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { showNumber, type ChoiceValue, type Value } from "../../../dsl/types/value.ts";
import type { SourceConfig, TokenizerConfig } from "../../bundle/programs.ts";
import {
  bothSources,
  mixedWeights,
  noSource,
  noSpecials,
  splitShares,
  splitTrain,
  weights,
} from "../../diagnostics/pipeline.ts";
import type { DataStep, TokenizerStep } from "../../pipeline.ts";
import { argument, blockAt, boolOf, choiceAt, group, numberAt, numberOf, textAt, textOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

/** The `data` step of a block, without the length of its samples when no one said it. */
export function dataStep(block: Instance, sequence: number, report: Report): DataStep {
  const name = block.name ?? "data";
  const tokenizerBlock = blockAt(block, "tokenizer");
  const own = choiceAt(block, "tokenizer");
  if (own !== null) checkSpecials(own, report);
  const pack = choiceAt(block, "pack");
  const split = group(block, "split");
  if (split !== null) checkSplit(split, report);
  return {
    kind: "data",
    name,
    span: block.span,
    needs: tokenizerBlock?.name == null ? [] : [tokenizerBlock.name],
    tokenizer: tokenizerBlock?.name ?? null,
    tokens: numberAt(block, "tokens"),
    config: {
      format: 1,
      step: name,
      seed: numberAt(block, "seed") ?? 42,
      sources: sourcesOf(block, report),
      tokenizer: tokenizerConfig(block),
      sequence,
      document_end: pack === null || (boolOf(argument(pack, "end")) ?? true),
      split: {
        val: (split === null ? null : numberAt(split, "val")) ?? 0.01,
        seed: (split === null ? null : numberAt(split, "seed")) ?? 42,
      },
      shuffle:
        valued(block, "shuffle").value.kind === "bool" ? (boolOf(valued(block, "shuffle").value) ?? true) : true,
      limit_files: numberAt(block, "limit"),
    },
  };
}

/** What is held out and what is trained on are all the documents. */
function checkSplit(split: Instance, report: Report): void {
  const [val, train] = [valued(split, "val"), valued(split, "train")];
  const held = numberOf(val.value) ?? 0.01;
  const shown = (value: number): string => showNumber({ kind: "number", value, dimension: {}, percent: true });
  if (held >= 1) report(splitShares(val.span, { what: `val = ${shown(held)}` }));
  else if (train.value.kind === "number" && Math.abs(train.value.value + held - 1) > 1e-9) {
    const left = shown(Number((1 - held).toPrecision(12)));
    const slots = { train: shown(train.value.value), left };
    report(splitTrain(train.span, slots, { valid: [left], fixes: [replacement(train.span, left)] }));
  }
}

/** Documents are told apart by the first special token. */
function checkSpecials(choice: ChoiceValue, report: Report): void {
  const specials = choice.arguments.get("specials");
  if (specials?.value.kind !== "list" || specials.value.items.length > 0) return;
  const usual = '["<|end|>"]';
  report(noSpecials(specials.span, { tokenizer: choice.name }, { fixes: [replacement(specials.span, usual)] }));
}

export function tokenizerStep(block: Instance, report: Report): TokenizerStep | null {
  const learn = choiceAt(block, "learn");
  if (learn === null) return null;
  checkSpecials(learn, report);
  const from = argument(learn, "from");
  const sources = from?.kind === "handle" ? sourcesOf(from.block, report) : [];
  return {
    kind: "tokenizer",
    name: block.name ?? "tokenizer",
    span: block.span,
    needs: [],
    tokenizer: learned(learn),
    sources,
    seed: numberAt(block, "seed") ?? 42,
  };
}

/** How the text of a data block becomes tokens. */
export function tokenizerConfig(data: Instance): TokenizerConfig {
  const shared = blockAt(data, "tokenizer");
  if (shared !== null) {
    const learn = choiceAt(shared, "learn");
    return { kind: "input", vocab: learn === null ? 0 : learned(learn).vocab };
  }
  const choice = choiceAt(data, "tokenizer");
  return choice === null ? { kind: "bytes", specials: ["<|end|>"], vocab: 257 } : learned(choice);
}

function learned(choice: ChoiceValue): Exclude<TokenizerConfig, { kind: "input" }> {
  const specials = textsOf(argument(choice, "specials"));
  switch (choice.name) {
    case "bpe":
      return {
        kind: "bpe",
        specials,
        vocab: numberOf(argument(choice, "vocab")) ?? 0,
        sample_bytes: numberOf(argument(choice, "sample")) ?? 1e8,
      };
    case "file":
      return {
        kind: "file",
        path: textOf(argument(choice, "path")) ?? "",
        end: textOf(argument(choice, "end")) ?? "<|end|>",
        vocab: numberOf(argument(choice, "vocab")) ?? 0,
      };
    default: {
      const multiple = numberOf(argument(choice, "multiple")) ?? 1;
      return { kind: "bytes", specials, vocab: Math.ceil((256 + specials.length) / multiple) * multiple };
    }
  }
}

const textsOf = (value: Value | undefined): string[] =>
  value?.kind === "list" ? value.items.flatMap((item) => textOf(item.value) ?? []) : [];

function sourcesOf(block: Instance, report: Report): SourceConfig[] {
  const sources = [...block.blocks.values()].filter((child) => child.kind.name === "source");
  const from = valued(block, "from");
  const written = from.value.kind !== "none" && from.value.kind !== "unknown";
  if (sources.length === 0) {
    if (from.value.kind === "none" && !block.abstract) report(noSource(block.span, { name: block.name ?? "data" }));
    return written ? [{ name: block.name ?? "data", share: 1, max_epochs: null, ...place(from.value, block) }] : [];
  }
  if (written) report(bothSources(from.span, { name: block.name ?? "data" }));
  const shares = sources.map((source) => ({ source, weight: valued(source, "weight") }));
  const amounts = shares.map(({ weight }) => (weight.value.kind === "number" ? weight.value : null));
  const percents = amounts.filter((amount) => amount?.percent === true);
  const sum = amounts.reduce((total, amount) => total + (amount?.value ?? 0), 0);
  if (percents.length > 0 && percents.length < amounts.length) report(mixedWeights(block.span, {}));
  else if (percents.length > 0 && Math.abs(sum - 1) > 1e-6) {
    const related = shares.map(({ weight }) => ({ message: "part of the sum", span: weight.span }));
    report(
      weights(
        block.span,
        { sum: showNumber({ kind: "number", value: sum, dimension: {}, percent: true }) },
        { related },
      ),
    );
  }
  return sources.map((source, index) => ({
    name: source.name ?? "source",
    share: sum === 0 ? 0 : (amounts[index]?.value ?? 0) / sum,
    max_epochs: numberAt(source, "epochs"),
    ...place(valued(source, "from").value, source),
  }));
}

type Place = SourceConfig extends infer S
  ? S extends SourceConfig
    ? Omit<S, "name" | "share" | "max_epochs">
    : never
  : never;

function place(from: Value, block: Instance): Place {
  if (from.kind === "choice")
    return { kind: "python_stdlib", part: textOf(argument(from, "part")) === "docs" ? "docs" : "source" };
  const column = textAt(block, "column") ?? "text";
  const texts = from.kind === "list" ? textsOf(from) : [textOf(from) ?? ""];
  const hub = texts.length === 1 ? /^hf:\/\/([^#@]+)(?:#([^@]+))?(?:@(.+))?$/.exec(texts[0] ?? "") : null;
  if (hub === null) return { kind: "files", patterns: texts, column };
  const key = valued(block, "key").value;
  const token = key.kind === "secret" && key.from.name === "env" ? textOf(argument(key.from, "name")) : null;
  return {
    kind: "hub",
    repository: hub[1] ?? "",
    subset: hub[2] ?? null,
    split: "train",
    revision: hub[3] ?? null,
    column,
    token_env: token,
  };
}
