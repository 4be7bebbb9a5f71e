import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import {
  engineCombination,
  engineRawDeprecated,
  engineRawIgnored,
  engineRawType,
} from "../../../diagnostics/engine-raw.ts";
import { deepspeedNoEffect } from "../../../diagnostics/deepspeed.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import type { Rule } from "../../engine.ts";
import { checkDeepSpeed, type Finding } from "../check.ts";
import { derivedConfig } from "../config.ts";
import { older } from "../older.ts";
import { merge } from "../merge.ts";
import { isSection, valueOf } from "../value.ts";
import { owners } from "./owners.ts";
import { rawConflicts } from "./raw-conflicts.ts";
import { findingsOf as ofRelease, lateIn } from "../versions.ts";
import { rawKeys } from "./raw-keys.ts";
import { releaseOf } from "./releases.ts";
import { spanOf } from "./span.ts";

/** What DeepSpeed demands of the whole configuration, as far as what `raw` says has a part in it. */
export const rawCombinations: Rule = {
  name: "raw-combinations",
  source: "deepspeed runtime/config.py, runtime/engine.py, runtime/zero: see each demand",
  check: (stage, plan, cluster) => {
    if (Object.keys(stage.raw).length === 0) return [];
    const said = new Set(
      [...rawKeys.check(stage, plan, cluster), ...rawConflicts.check(stage, plan, cluster)].map(
        ({ span }) => span.start,
      ),
    );
    return findingsOf(stage, plan).flatMap((finding) => {
      const paths = [finding.path, ...finding.related].filter((path) => within(stage.raw, path));
      const spans = paths.map((path) => spanOf(stage, path));
      const [span] = spans;
      return span === undefined || spans.some(({ start }) => said.has(start))
        ? []
        : (replaced(finding, stage, plan) ?? diagnosticOf(finding, span, at(stage.raw, finding.path)));
    });
  },
};

/** The training program brings an optimizer of torch; how a model is cut is the plan's. */
function findingsOf(stage: StageStep, plan: StagePlan): readonly Finding[] {
  const { pipeline_parallel } = plan.layout;
  const written = valueOf(merge(derivedConfig(stage, plan), stage.raw));
  if (!isSection(written)) return [];
  const release = releaseOf(stage);
  const { config, findings: own } = older(release, written, plan.layout.world);
  const { findings } = checkDeepSpeed(config, {
    world: plan.layout.world,
    model: pipeline_parallel === 1 ? { kind: "dense" } : { kind: "pipeline", stages: pipeline_parallel },
    clientOptimizer: "AdamW",
  });
  // What came later is told by its own rule.
  const late = new Set(lateIn(release, config).map(({ path }) => path));
  return [...own, ...ofRelease(release, config, findings)].filter(({ path }) => !late.has(path));
}

const within = (raw: Document, path: string): boolean => at(raw, path) !== undefined;

function at(document: Document, path: string): Document | undefined {
  return path
    .split(".")
    .reduce<Document | undefined>((value, key) => (isRecord(value) ? value[key] : undefined), document);
}

function isRecord(value: Document | undefined): value is { readonly [key: string]: Document } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An old name of what the stage says already; `null` where the raw block gives both names itself. */
function replaced({ remark, path, use }: Finding, stage: StageStep, plan: StagePlan): readonly Diagnostic[] | null {
  if (remark !== "both" || use === undefined) return null;
  const current = path.replace(/[^.]+$/, use);
  const [name, owner] =
    Object.entries(owners).find(([key]) => key === current || key.startsWith(`${current}.`)) ?? [];
  if (within(stage.raw, current) || name === undefined || owner === undefined) return null;
  const given = `${name} = ${JSON.stringify(at(derivedConfig(stage, plan), name))}, from ${owner.from(stage, plan)}`;
  const message = `${path} is the old name of ${use}, which is already set (${given}): the engine refuses both`;
  return [
    engineCombination(
      spanOf(stage, path),
      { message },
      { related: [{ message: "it follows from this", span: owner.span(stage) }] },
    ),
  ];
}

function diagnosticOf(
  { diagnostic, message, path, remark, valid, wanted, use }: Finding,
  span: Span,
  value: Document | undefined,
): Diagnostic[] {
  switch (remark) {
    case "value":
    case "shape":
      return [diagnostic(span, { message }, { valid })];
    case "demand":
      if (wanted !== undefined)
        return [engineRawType(span, { key: path, value: JSON.stringify(value), wanted }, { fix: diagnostic.fix })];
      if (diagnostic.severity === "error")
        return [engineCombination(span, { message }, { valid, fix: diagnostic.fix })];
      return [
        diagnostic === deepspeedNoEffect
          ? engineRawIgnored(span, { message })
          : diagnostic(span, { message }, { valid }),
      ];
    case "both":
    case "overridden":
      return [engineCombination(span, { message })];
    case "ignored":
      return [engineRawIgnored(span, { message })];
    case "deprecated":
      return [engineRawDeprecated(span, { key: path, status: "an old name", replacement: use ?? null })];
    // Names are the business of raw-keys, and `auto` is refused there.
    default:
      return [];
  }
}
