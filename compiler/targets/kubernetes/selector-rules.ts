import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { podSelector } from "../../diagnostics/pods.ts";
import type { SpanOf } from "./rules.ts";

const domain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const part = /^[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;

/** Labels as `kubectl label` takes them. */
export function checkSelector(selector: string | null, spanOf: SpanOf): Diagnostic[] {
  const labels = selector?.split(",") ?? [];
  return labels.flatMap((label) => {
    const [key = "", value = ""] = label.split("=", 2);
    const [name = "", prefix] = key.split("/").toReversed();
    const why =
      !part.test(name) || key.split("/").length > 2
        ? `"${key}" is no key`
        : prefix !== undefined && (!domain.test(prefix) || prefix.length > 253)
          ? `"${prefix}" is no domain`
          : value !== "" && !part.test(value)
            ? `"${value}" is no value`
            : null;
    return why === null ? [] : [podSelector(spanOf("selector"), { label, why })];
  });
}
