/** What of a bundle is too large for a pod to be given it. */
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { number, showNumber } from "../../../dsl/types/value.ts";
import type { Bundle } from "../../bundle/steps.ts";
import { podFile } from "../../diagnostics/pods.ts";
import type { LaunchSpec } from "../../pipeline.ts";
import { largestFile } from "./config-maps.ts";
import { filesOfPods } from "./lower.ts";

export function checkFiles(bundle: Bundle, { target, span }: LaunchSpec): Diagnostic[] {
  if (target.kind !== "kubernetes") return [];
  return filesOfPods(bundle).flatMap(({ path, text }) => {
    const bytes = utf8ToBytes(text).length;
    return bytes <= largestFile ? [] : [podFile(span, { file: path, size: showNumber(number(bytes, { byte: 1 })) })];
  });
}
