/** `tokenizer` blocks and what data say of their tokenizer. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import type { TokenizerConfig } from "../../bundle/data-programs.ts";
import { noSpecials, padIsEnd, tiktokenUnknown, tokenizerTwice, tokenizerUnmade } from "../../diagnostics/data.ts";
import { makerOf, padded, tiktokenVocabularies, vocabOf } from "../../kinds/tokenizer-derived.ts";
import type { TokenizerStep } from "../../pipeline.ts";
import { tokenEnv } from "./hub.ts";
import { argument, blockAt, choiceAt, group, numberAt, numberOf, textOf, textsOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

export function tokenizerStep(
  block: Instance,
  sourcesOf: (data: Instance) => TokenizerStep["sources"],
  report: Report,
): TokenizerStep | null {
  const learn = makerOf(block);
  if (learn === null) {
    const isWrong = ["learn", "from"].some((name) => valued(block, name).value.kind === "unknown");
    if (!isWrong) report(tokenizerUnmade(block.span, { name: block.name ?? "tokenizer" }));
    return null;
  }
  if (choiceAt(block, "learn") !== null && choiceAt(block, "from") !== null) {
    const related = [{ message: "the other way", span: valued(block, "learn").span }];
    report(tokenizerTwice(valued(block, "from").span, { name: block.name ?? "tokenizer" }, { related }));
  }
  checkTokenizer(learn, report);
  checkRoles(block, report);
  const from = argument(learn, "from");
  return {
    kind: "tokenizer",
    name: block.name ?? "tokenizer",
    span: block.span,
    needs: [],
    tokenizer: learned(learn),
    sources: from?.kind === "handle" ? sourcesOf(from.block) : [],
    seed: numberAt(block, "seed") ?? 42,
  };
}

/** How the text of a data block becomes tokens. */
export function tokenizerConfig(data: Instance): TokenizerConfig {
  const shared = blockAt(data, "tokenizer");
  if (shared !== null) {
    const learn = makerOf(shared);
    const vocab = learn === null ? null : vocabOf(learn);
    return { kind: "input", vocab: vocab === null ? null : padded(vocab, numberAt(shared, "vocab_multiple") ?? 1) };
  }
  const choice = choiceAt(data, "tokenizer");
  if (choice?.declared !== undefined) return { kind: "input", vocab: vocabOf(choice) };
  return choice === null ? { kind: "bytes", specials: ["<|end|>"], vocab: 257 } : learned(choice);
}

/** What can be said of a choice of tokenizer by itself. */
export function checkTokenizer(choice: ChoiceValue, report: Report): void {
  const specials = choice.arguments.get("specials");
  if (specials?.value.kind === "list" && specials.value.items.length === 0) {
    const usual = '["<|end|>"]';
    report(noSpecials(specials.span, { tokenizer: choice.name }, { fixes: [replacement(specials.span, usual)] }));
  }
  const name = choice.arguments.get("name");
  const encoding = textOf(name?.value);
  if (choice.name === "tiktoken" && name !== undefined && encoding !== null && vocabOf(choice) === null) {
    const valid = Object.keys(tiktokenVocabularies);
    const { fixes = [] } = suggest(name.span, encoding, valid);
    const quoted = fixes.map((fix) => ({
      ...fix,
      edits: fix.edits.map((edit) => ({ ...edit, newText: `"${edit.newText}"` })),
    }));
    report(tiktokenUnknown(name.span, { name: encoding }, { valid, fixes: quoted }));
  }
  reportSameRole(choice.arguments.get("pad"), choice.arguments.get("end"), report);
}

function checkRoles(block: Instance, report: Report): void {
  const special = group(block, "special");
  if (special !== null) reportSameRole(valued(special, "pad"), valued(special, "end"), report);
}

function reportSameRole(
  pad: ReturnType<typeof valued> | undefined,
  end: ReturnType<typeof valued> | undefined,
  report: Report,
): void {
  const token = textOf(pad?.value);
  if (pad === undefined || end === undefined || token === null || token !== textOf(end.value)) return;
  report(padIsEnd(pad.span, { token }, { related: [{ message: "the same token ends documents", span: end.span }] }));
}

function learned(choice: ChoiceValue): Exclude<TokenizerConfig, { kind: "input" }> {
  const specials = textsOf(argument(choice, "specials"));
  const vocab = vocabOf(choice);
  switch (choice.name) {
    case "bpe": {
      const least = numberOf(argument(choice, "min_count"));
      return {
        kind: "bpe",
        specials,
        vocab: vocab ?? 0,
        sample_bytes: numberOf(argument(choice, "sample")) ?? 1e8,
        ...(least === null ? {} : { min_count: least }),
      };
    }
    case "file":
      return {
        kind: "file",
        path: textOf(argument(choice, "path")) ?? "",
        end: textOf(argument(choice, "end")) ?? "<|end|>",
        vocab: vocab ?? 0,
      };
    case "hf":
      return {
        kind: "hf",
        name: textOf(argument(choice, "name")) ?? "",
        revision: textOf(argument(choice, "revision")),
        end: textOf(argument(choice, "end")),
        token_env: tokenEnv(argument(choice, "key")),
        vocab,
      };
    case "tiktoken":
    case "sentencepiece":
      return { kind: choice.name, name: textOf(argument(choice, "name") ?? argument(choice, "path")) ?? "", vocab };
    default:
      return { kind: "bytes", specials, vocab: vocab ?? 257 };
  }
}
