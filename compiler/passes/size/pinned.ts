import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Draft, Family } from "../../models/family.ts";
import type { Given, ModelRequest, Scalar } from "../../pipeline.ts";
import { has } from "./properties.ts";
import { tableFor } from "./table.ts";

/** Written values as pins; the tokenizer gives the vocabulary when nobody else does. */
export function pinned(family: Family, request: ModelRequest): { pins: Draft; origins: Record<string, Origin> } {
  const pins: Record<string, Scalar> = {};
  const origins: Record<string, Origin> = {};
  const take = (property: string, given: Given<Scalar>): void => {
    pins[property] = given.value;
    origins[property] = given.origin;
  };
  if (request.tokenizerVocab !== null) {
    const rule = "ids of the tokenizer";
    const origin: Origin = { kind: "derived", rule, inputs: ["data.tokenizer"] };
    const tokens = { ...request.tokenizerVocab, origin };
    take("vocab", request.size === null ? tokens : tableFor(tokens, request.bounds.get("vocab")));
  }
  for (const [property, given] of request.given) if (has(family, property)) take(property, given);
  if (request.layerRules !== undefined) origins["pattern"] = request.layerRules.origin;
  return { pins: pins as Draft, origins };
}
