/** What a stage lowers to is what it means, and nothing that Megatron would refuse, change in silence or pass over. */
import { describe, expect, it } from "vitest";
import { parseCommandLine, parsedValues } from "../../../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../../../compiler/engines/megatron/complaints.ts";
import { inexpressible } from "../../../../compiler/engines/megatron/lower/expressible.ts";
import { intentsOf, wordsOfLaunch } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import { cameWith } from "../../../../compiler/engines/megatron/history.ts";
import { argumentTable, knownVersions } from "../../../../compiler/engines/megatron/table.ts";
import { below } from "../../../../compiler/engines/release.ts";
import { conversationCases, megatronCases, optimizerCases } from "../../../support/megatron.ts";

describe.each(knownVersions.slice(0, 2))("Megatron %s", (version) => {
  const cases = megatronCases(version);

  it("takes every family and every kind of layout", () => {
    const names = cases.map(({ name }) => name.split(", "));
    expect(new Set(names.map(([family]) => family)).size).toBe(13);
    expect(new Set(names.map(([, layout]) => layout)).size).toBe(9);
  });

  it.each(cases.map((one) => [one.name, one] as const))(
    "%s: reads back what was meant",
    (_, { step, plan, on, launch }) => {
      const line = parseCommandLine(wordsOfLaunch(launch), launch.table);
      expect(complaintsOf(line, launch.table)).toEqual([]);
      const values = parsedValues(line, launch.table);
      for (const { dest, value } of intentsOf({ stage: step, plan, cluster: on }))
        expect([dest, values[dest]]).toEqual([dest, value]);
    },
  );

  it.each(cases.map((one) => [one.name, one] as const))("%s: breaks no rule", (_, { step, plan, on }) => {
    expect(
      rules.flatMap((rule) => rule.check(step, plan, on)).map(({ code, message }) => `${code}: ${message}`),
    ).toEqual([]);
  });
});

describe.each(knownVersions.slice(2))("Megatron %s", (version) => {
  const cases = [...megatronCases(version), ...optimizerCases(version), ...conversationCases(version)];
  const [whole, wanting] = [true, false].map((is) => cases.filter(({ launch }) => (launch.late.length === 0) === is));

  it("is told all that is meant, in its own words", () => {
    expect(whole?.length).toBeGreaterThan(20);
    for (const { name, step, plan, on, launch } of whole ?? []) {
      const line = parseCommandLine(wordsOfLaunch(launch), launch.table);
      expect([name, complaintsOf(line, launch.table)]).toEqual([name, []]);
      expect([name, rules.flatMap((rule) => rule.check(step, plan, on))]).toEqual([name, []]);
    }
  });

  it("is refused for what came later, by its name and release", () => {
    for (const { name, step, plan, on, launch } of wanting ?? []) {
      const told = rules.flatMap((rule) => rule.check(step, plan, on)).map(({ code, message }) => [code, message]);
      expect([name, told.map(([code]) => code)]).toEqual([name, launch.late.map(() => "cdr/engine-late")]);
      for (const { words } of launch.late) {
        const [argument = ""] = words;
        const came = cameWith(argument.replace(/=.*/s, ""), launch.table.version) ?? "";
        expect(Number(came.replace("0.", ""))).toBeGreaterThan(Number(version.split(".")[1]));
        expect(
          told.some(([, message]) => message?.includes(`${argument}`) && message.includes(`needs Megatron ${came}`)),
        ).toBe(true);
      }
    }
  });
});

it("starts the program that a release has", () => {
  const program = (version: string) =>
    megatronCases(version).find(({ name }) => name.startsWith("nemotron_h"))?.launch.program;
  expect([program("0.17"), program("0.18")]).toEqual(["pretrain_mamba.py", "pretrain_hybrid.py"]);
});

it("says in a hybrid pattern where the stages of its pipeline end", () => {
  const patternOf = (layout: string) => {
    const one = megatronCases("0.20").find(({ name }) => name === `nemotron_h, ${layout}`);
    const words = one?.launch.arguments.find(({ dest }) => dest === "hybrid_layer_pattern")?.words;
    return [one?.plan.model.pattern, words?.[1]];
  };
  const [whole = "", cut] = patternOf("pipeline");
  expect(whole).toHaveLength(12);
  expect(cut).toBe(`${whole.slice(0, 6)}|${whole.slice(6)}`);
  const [alone, uncut] = patternOf("tensor");
  expect(uncut).toBe(alone);
});

it("has Mamba layers alone as a pattern of one letter, by the program and the names of the release", () => {
  const said = (version: string) => {
    const one = megatronCases(version).find(({ name }) => name === "mamba2, pipeline");
    const words = one?.launch.arguments.map((each) => each.words.join(" ")) ?? [];
    return [one?.launch.program, ...words.filter((word) => /^--(?:hybrid|num-layers|num-att|kv-ch|is-h)/.test(word))];
  };
  const heads = ["--num-attention-heads 32", "--kv-channels 64"];
  expect(said("0.19")).toEqual(["pretrain_hybrid.py", "--hybrid-layer-pattern MMMMMM|MMMMMM", ...heads]);
  expect(said("0.17")).toEqual(["pretrain_mamba.py", "--hybrid-layer-pattern MMMMMM|MMMMMM", ...heads]);
  const even = ["--hybrid-override-pattern MMMMMMMMMMMM", "--num-layers 12"];
  expect(said("0.16").toSorted()).toEqual(["pretrain_mamba.py", "--is-hybrid-model", ...even, ...heads].toSorted());
  expect(said("0.12").toSorted()).toEqual(["pretrain_mamba.py", "--is-hybrid-model", ...even, ...heads].toSorted());
});

it("has no biases in layers of Mamba alone", () => {
  const one = megatronCases("0.19").find(({ name }) => name === "mamba2, tensor");
  const whys = (bias: boolean) => (one === undefined ? null : inexpressible({ ...one.plan.model, bias }));
  expect(whys(false)).toEqual([]);
  expect(whys(true)).toEqual(["Megatron's Mamba layers have no biases"]);
});

/** Arguments of one case under one release that say what `mark` speaks of. */
const saidIn = (cases: ReturnType<typeof megatronCases>, name: string, mark: RegExp): readonly string[] =>
  (cases.find((one) => one.name === name)?.launch.arguments ?? [])
    .filter(({ words }) => mark.test(words[0] ?? ""))
    .map(({ words }) => words.join(" "));

it("says by the name, the place and the unit of a release what came under others", () => {
  const nesterov = (version: string) => saidIn(optimizerCases(version), "muon that looks ahead", /nesterov/);
  expect(["0.16", "0.17", "0.18", "0.20"].map(nesterov)).toEqual([
    ["--muon-use-nesterov"],
    ["--muon-use-nesterov"],
    ["--muon-nesterov"],
    ["--muon-nesterov"],
  ]);
  expect(saidIn(optimizerCases("0.17"), "plain muon", /nesterov/)).toEqual([]);

  const [old, earlier, late] = ["0.10", "0.16", "0.17"].map((version) => megatronCases(version));
  const pattern = (cases: ReturnType<typeof megatronCases> = []) =>
    saidIn(cases, "nemotron_h, pipeline", /^--(?:hybrid|num-layers$|spec)/);
  expect(pattern(earlier)).toEqual([
    "--hybrid-override-pattern M-M-M-M*-M-M",
    "--num-layers 12",
    "--spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec",
  ]);
  expect(pattern(late)).toEqual([
    "--hybrid-layer-pattern M-M-M-|M*-M-M",
    "--spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec",
  ]);
  const chunks = /^--num-.*virtual/;
  expect(saidIn(earlier ?? [], "llama, interleaved", chunks)).toEqual(["--num-virtual-stages-per-pipeline-rank 2"]);
  expect(saidIn(old ?? [], "llama, interleaved", chunks)).toEqual(["--num-layers-per-virtual-pipeline-stage 4"]);
});

it.each(knownVersions.filter((version) => !below(version, "0.15")))(
  "has words of Megatron %s for all cases",
  (version) => {
    const wanting = [...megatronCases(version), ...optimizerCases(version)].filter(
      ({ launch }) => launch.late.length > 0,
    );
    expect(
      wanting.map(({ name }) => name).filter((name) => !name.includes("muon") || !below(version, "0.16")),
    ).toEqual([]);
  },
);

it("names as many tokens as make the model's table, whatever a release's NullTokenizer adds", () => {
  const named = (version: string) => {
    const [one] = megatronCases(version);
    const words = one?.launch.arguments.find(({ dest }) => dest === "vocab_size")?.words;
    return Number(words?.[1]) - (one?.plan.model.vocab ?? 0);
  };
  expect(["0.12", "0.17", "0.18", "0.20"].map(named)).toEqual([-1, -1, 0, 0]);
});

it("knows what an older version lacks", () => {
  const [newest, older] = [argumentTable("gpt"), argumentTable("gpt", "0.19.2")];
  expect(newest.byName.has("--muon-use-syrk")).toBe(true);
  expect(older.byName.has("--muon-use-syrk")).toBe(false);
  expect(older.byName.get("--experimental-attention-variant")?.choices).not.toContain("gdn");
  expect(older.lacking.map(({ dest }) => dest)).toContain("muon_use_syrk");
});
