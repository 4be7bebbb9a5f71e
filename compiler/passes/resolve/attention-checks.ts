import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { attentionFlash } from "../../diagnostics/kernels.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import { choiceAt, valued } from "./read.ts";

/** FlashAttention has kernels for 16-bit values alone, and for GPUs from Ampere on. */
export function checkAttention(
  block: Instance,
  precision: string,
  { device }: ClusterSpec,
  report: (diagnostic: Diagnostic) => void,
): void {
  if (choiceAt(block, "attention")?.name !== "flash") return;
  const attention = valued(block, "attention");
  const said = valued(block, "precision");
  const isOld = device.kind !== "cpu" && device.flops.bf16 === 0;
  if (device.kind !== "cpu" && !isOld && precision !== "fp32") return;
  const why = isOld ? `${device.name} is older` : device.kind === "cpu" ? "this runs on a CPU" : "precision is fp32";
  const isWritten = said.value.kind === "choice" && said.span.source.path === attention.span.source.path;
  const related = device.kind !== "cpu" && !isOld && isWritten ? [{ message: "the precision", span: said.span }] : [];
  report(
    attentionFlash(
      attention.span,
      { why },
      { related, valid: ["sdpa", "eager"], fixes: [replacement(attention.span, "sdpa", "use attention = sdpa")] },
    ),
  );
}
