import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import { optimizerOf } from "./course.ts";
import { expectationsOf } from "./expectations.ts";
import { lengthOf } from "./length.ts";
import { modelRequest, sizeSaidTwice } from "./model.ts";
import { size } from "../size.ts";
import { blockAt, given, valued } from "./read.ts";
import { settled } from "./settled.ts";
import { tokenizerConfig } from "./tokenizer.ts";
import { teacherOf } from "./teacher.ts";
import { tunedBatch } from "./tuned-batch.ts";

type Report = (diagnostic: Diagnostic) => void;

/** `null` where something a stage cannot be without is missing or wrong; that was reported. */
export function stageStep(block: Instance, cluster: ClusterSpec, report: Report): StageStep | null {
  const expectations = expectationsOf(block);
  const data = blockAt(block, "data");
  const modelBlock = blockAt(block, "model");
  const optimizer = optimizerOf(block);
  const batch = valued(block, "batch");
  if (data === null || modelBlock === null || optimizer === null || batch.value.kind === "unknown") {
    lengthOf(block, report);
    return null;
  }
  const wrong = sizeSaidTwice(modelBlock);
  if (wrong !== null) report(wrong);
  const { vocab: ids } = tokenizerConfig(data);
  const vocab = ids === null ? null : given(ids, valued(data, "tokenizer"));
  const model = modelRequest(modelBlock, vocab);
  const length = lengthOf(block, report);
  if (model === null) return null;
  if (length === null) {
    // It may follow from a model that cannot be, of which nobody else tells.
    for (const diagnostic of size(model).diagnostics) report(diagnostic);
    return null;
  }
  const tuned = tunedBatch(block, modelBlock, cluster);
  if (tuned !== null) {
    report(tuned);
    return null;
  }
  return {
    ...settled(block, { data, model: modelBlock, request: model, cluster, optimizer, batch }, report),
    ...teacherOf(block, vocab),
    length,
    expectations,
  };
}
