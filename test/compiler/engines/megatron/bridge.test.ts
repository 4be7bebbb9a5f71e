import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { containerOf } from "../../../../compiler/engines/megatron/bridge/container.ts";
import { bridgeFields, bridgeOf } from "../../../../compiler/engines/megatron/bridge/fields.ts";
import { yamlOf } from "../../../../compiler/engines/megatron/bridge/yaml.ts";
import { launchOf } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import { megatronCases, narrowCases, type MegatronCase } from "../../../support/megatron.ts";
import { given } from "../../../support/pipeline.ts";

const options = { entry: given("bridge" as const) };
const cases = [...megatronCases("0.3", options), ...narrowCases("0.3", options)];

function containerFor({ launch, step }: MegatronCase) {
  const fields = bridgeOf(step);
  if (fields === null) throw new Error("the stage does not start Megatron Bridge");
  return containerOf(launch, fields);
}

function first(): MegatronCase {
  const one = cases.find(({ name }) => name.startsWith("llama"));
  if (one === undefined) throw new Error("no llama was planned");
  return one;
}

describe("the configuration of Megatron Bridge", () => {
  it("has only fields of its dataclasses, each once", () => {
    const fields = bridgeFields(null);
    for (const one of cases) {
      for (const section of containerFor(one).sections) {
        const known =
          Object.values(fields?.sections ?? {}).find(({ target }) => target === section.target)?.fields ?? {};
        const names = section.fields.map(({ name }) => name);
        expect(names.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
      }
    }
  });

  it("is YAML in which numbers are numbers and folders those of the job", () => {
    const text = yamlOf(containerFor(first()));
    const read = load(text) as Record<string, Record<string, unknown>>;
    expect(read["optimizer"]?.["adam_eps"]).toBe(first().step.optimizer.eps);
    expect(text).toMatch(/adam_eps: 1\.0e-\d+ /);
    expect(text).toContain('[["${oc.env:CDR_DATA}/train"], null]');
  });

  it("takes a raw value where a field says it, and none otherwise", () => {
    const { step, plan, on } = first();
    const raw = { ...step, rawMegatron: { manual_gc: true, data_path: [30, "a", 70, "b"] } };
    const launch = launchOf({ stage: raw, plan, cluster: on });
    const text = yamlOf(containerFor({ ...first(), launch }));
    expect(text).toContain("  manual_gc: true # from raw.manual_gc");
    expect(text).toContain('  blend: [["a", "b"], [30, 70]] # from raw.data_path');
    const lost = { ...step, rawMegatron: { vision_pretraining: true } };
    expect(found(lost)).toEqual([expect.stringContaining("Megatron Bridge 0.3.1 has no key vision_pretraining")]);
    expect(found(step)).toEqual([]);
  });

  it.each([
    // OmegaConf halves backslashes in front of `${`.
    ["a\\${x} ${y}", "a\\\\\\${x} \\${y}"],
    ["{run}/x${y}", "${oc.env:CDR_RUN}/x\\${y}"],
    ["a: b\n  evil: 1 # '\"\u0085evil: 1\u2028\u007F é", "a: b\n  evil: 1 # '\"\u0085evil: 1\u2028\u007F é"],
  ])("takes the text %j as it stands", (value, read) => {
    const fields = [{ name: "f", value, from: "raw.f\u0085evil: 1" }];
    const text = yamlOf({ unplaced: [], sections: [{ name: "logger", target: "t", fields }] });
    expect(load(text)).toMatchObject({ logger: { _target_: "t", f: read } });
    expect(text).not.toMatch(/[\u0085\u2028\u007F]/);
  });

  it("is that of a version which is known", () => {
    const { step } = first();
    const other = { ...step, megatron: { ...step.megatron, version: given("0.19") } };
    expect(found(other)).toEqual([
      expect.stringContaining("Megatron Bridge 0.19 is not a known release; known are 0.3.1"),
    ]);
  });
});

function found(step: MegatronCase["step"]): readonly string[] {
  const { plan, on } = first();
  return rules
    .filter(({ name }) => name === "bridge" || name === "version")
    .flatMap(({ check }) => check(step, plan, on))
    .map(({ message }) => message);
}
