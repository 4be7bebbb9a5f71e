/** What a data block says against itself, whoever reads it. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { dtypeTooSmall, randomVocabulary, streamsMixed } from "../../diagnostics/data.ts";
import { uint16Ids } from "../../kinds/data/derived.ts";
import { dataVocabValue } from "../../kinds/tokenizer-derived.ts";
import { checkFiles } from "./binary-files.ts";
import { checkCurriculum } from "./curriculum.ts";
import { checkKeep, checkParts } from "./row-checks.ts";
import { boolAt, choiceAt, numberOf, textOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

export function checkData(block: Instance, report: Report): void {
  checkIds(block, report);
  checkFiles(block, report);
  checkStreams(block, report);
  checkCurriculum(block, report);
  const format = choiceAt(block, "format");
  if (format !== null && format.arguments.size > 1) checkParts(format, report);
  const keep = valued(block, "keep").value;
  if (keep.kind === "list") checkKeep(block, keep.items, report);
}

/** Every id fits the type it is written as, and every drawn id is one of the tokenizer's. */
function checkIds(block: Instance, report: Report): void {
  const vocab = numberOf(dataVocabValue(block));
  if (vocab === null) return;
  const dtype = choiceAt(block, "shards")?.arguments.get("dtype");
  if (dtype !== undefined && textOf(dtype.value) === "uint16" && vocab > uint16Ids) {
    const fixes = [replacement(dtype.span, "uint32")];
    report(dtypeTooSmall(dtype.span, { vocab, ids: uint16Ids }, { valid: ["auto", "uint32"], fixes }));
  }
  const from = choiceAt(block, "from");
  const drawn = from?.name === "random" ? from.arguments.get("vocab") : undefined;
  const ids = numberOf(drawn?.value);
  if (drawn !== undefined && ids !== null && ids > vocab) {
    const fixes = [replacement(drawn.span, String(vocab))];
    report(randomVocabulary(drawn.span, { drawn: ids, vocab }, { fixes }));
  }
}

/** What is read while training and what lies on disk are not drawn from alike. */
function checkStreams(block: Instance, report: Report): void {
  const sources = [...block.blocks.values()].filter((child) => child.kind.name === "source");
  const own = boolAt(block, "stream") ?? false;
  const kinds = sources.map((source) => ({ source, streamed: boolAt(source, "stream") ?? own }));
  const [first] = kinds;
  const other = kinds.find(({ streamed }) => streamed !== first?.streamed);
  if (first === undefined || other === undefined) return;
  const [streamed, stored] = first.streamed ? [first, other] : [other, first];
  const slots = { streamed: streamed.source.name ?? "", stored: stored.source.name ?? "" };
  report(
    streamsMixed(other.source.span, slots, { related: [{ message: "the other kind", span: first.source.span }] }),
  );
}
