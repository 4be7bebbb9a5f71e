import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { showNumber, type Value } from "../../../dsl/types/value.ts";
import type { SourceConfig } from "../../bundle/data-programs.ts";
import { bothSources, noSource, splitShares, splitTrain } from "../../diagnostics/pipeline.ts";
import type { DataStep } from "../../pipeline.ts";
import { chatOf, templateOf } from "./conversations.ts";
import { checkData } from "./data-checks.ts";
import { hubPlace, tokenEnv } from "./hub.ts";
import { checkWeights, sourceBlocks, weightsOf } from "./weights.ts";
import {
  argument,
  blockAt,
  boolOf,
  choiceAt,
  group,
  heldOut,
  numberAt,
  numberOf,
  settingsOf,
  textAt,
  textOf,
  textsOf,
  valued,
} from "./read.ts";
import { trainedTokens } from "./trained-tokens.ts";
import { checkTokenizer, tokenizerConfig } from "./tokenizer.ts";

type Report = (diagnostic: Diagnostic) => void;

/** The `data` step of a block, without the length of its samples when no one said it. */
export function dataStep(block: Instance, sequence: number, report: Report): DataStep {
  const name = block.name ?? "data";
  const tokenizerBlock = blockAt(block, "tokenizer");
  const own = choiceAt(block, "tokenizer");
  if (own !== null) checkTokenizer(own, report);
  checkData(block, report);
  const pack = choiceAt(block, "pack");
  const split = group(block, "split");
  const chat = chatOf(block);
  const template = chat === null ? null : templateOf(chat);
  if (split !== null) checkSplit(split, report);
  return {
    kind: "data",
    name,
    span: block.span,
    needs: tokenizerBlock?.name == null ? [] : [tokenizerBlock.name],
    tokenizer: tokenizerBlock?.name ?? null,
    tokens: numberAt(block, "tokens"),
    trained: trainedTokens(block),
    config: {
      format: 1,
      step: name,
      seed: numberAt(block, "seed") ?? 42,
      sources: sourcesOf(block, report),
      tokenizer: tokenizerConfig(block),
      ...(template === null ? {} : { conversations: { template } }),
      sequence,
      document_end: pack === null || (boolOf(argument(pack, "end")) ?? true),
      split: {
        val: heldOut(block, "val"),
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
  const held = (numberOf(val.value) ?? 0) + (numberAt(split, "test") ?? 0);
  const shown = (value: number): string => showNumber({ kind: "number", value, dimension: {}, percent: true });
  if (held >= 1) report(splitShares(val.span, { what: `the held-out share, ${shown(held)},` }));
  else if (train.value.kind === "number" && Math.abs(train.value.value + held - 1) > 1e-9) {
    const left = shown(Number((1 - held).toPrecision(12)));
    const slots = { train: shown(train.value.value), left };
    report(splitTrain(train.span, slots, { valid: [left], fixes: [replacement(train.span, left)] }));
  }
}

/** Where the text of a block comes from, as far as a program can read it. */
export function sourcesOf(block: Instance, report: Report): SourceConfig[] {
  const sources = sourceBlocks(block);
  const from = valued(block, "from");
  const written = from.value.kind !== "none" && from.value.kind !== "unknown";
  if (sources.length === 0) {
    const isEmpty = from.value.kind === "list" && from.value.items.length === 0;
    if ((from.value.kind === "none" || isEmpty) && !block.abstract && block.strangeGroups.size === 0)
      report(noSource(isEmpty ? from.span : block.span, { name: block.name ?? "data" }));
    const at = written ? place(from.value, block) : null;
    return at === null ? [] : [{ name: block.name ?? "data", share: 1, max_epochs: null, ...at }];
  }
  if (written) report(bothSources(from.span, { name: block.name ?? "data" }));
  const { amounts, sum } = weightsOf(block);
  checkWeights(block, report);
  return sources.flatMap((source, index) => {
    const at = place(valued(source, "from").value, source);
    if (at === null) return [];
    const share = sum === 0 ? 0 : (amounts[index]?.value ?? 0) / sum;
    return [{ name: source.name ?? "source", share, max_epochs: mostEpochs(source), ...at }];
  });
}

/** `epochs <= n`, or `epochs = n`. */
function mostEpochs(source: Instance): number | null {
  const { given, bounds } = settingsOf(source, ["epochs"]);
  const written = given.get("epochs")?.value;
  return bounds.get("epochs")?.max ?? (typeof written === "number" ? written : null);
}

type Place = SourceConfig extends infer S
  ? S extends SourceConfig
    ? Omit<S, "name" | "share" | "max_epochs">
    : never
  : never;

/** `null` for what no program reads yet. */
function place(from: Value, block: Instance): Place | null {
  if (from.kind === "block" || (from.kind === "choice" && from.name !== "python_stdlib")) return null;
  if (from.kind === "choice")
    return { kind: "python_stdlib", part: textOf(argument(from, "part")) === "docs" ? "docs" : "source" };
  const column = columnOf(block);
  const texts = from.kind === "list" ? textsOf(from) : [textOf(from) ?? ""];
  const hub = texts.length === 1 ? hubPlace(texts[0] ?? "") : null;
  if (hub === null) return { kind: "files", patterns: texts, column };
  return { kind: "hub", ...hub, split: "train", column, token_env: tokenEnv(valued(block, "key").value) };
}

/** The column of a source's texts, or of its conversations. */
function columnOf(block: Instance): string {
  const own = textAt(block, "column") ?? "text";
  const chat = chatOf(block.kind.name === "source" ? (block.parent ?? block) : block);
  const isWritten = valued(block, "column").origin.kind !== "default";
  return chat === null || isWritten ? own : (textOf(argument(chat, "column")) ?? own);
}
